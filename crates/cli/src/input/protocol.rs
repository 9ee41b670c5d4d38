//! The protocol file and its parameters.

use std::path::PathBuf;

use clap::Args;
use cost::Unit;
use diag::{Diagnostic, Source, Span};
use session::{GlobalType, Options, Setting};

use super::{Given, given, parameters};
use crate::output::{Failure, show};

/// Options of every subcommand that reads a protocol.
#[derive(Debug, Args)]
pub(crate) struct ProtocolArguments {
    /// Protocol: nuScr text with costs in annotations, or JSON; `-` is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Value of a parameter, such as n=64; arithmetic and units are allowed (c=5us); repeatable
    #[arg(long, short, value_name = "NAME=VALUE", value_parser = given)]
    pub(crate) set: Vec<Given>,
    /// Which protocol of the file is meant, where it holds several
    #[arg(long, value_name = "NAME")]
    pub(crate) protocol: Option<String>,
}

/// A protocol that was read without errors.
#[derive(Debug)]
pub(crate) struct Protocol {
    /// Its text.
    pub(crate) source: Source,
    /// What the text means.
    pub(crate) global: GlobalType,
    /// The parameters given on the command line, loop bounds not included.
    pub(crate) setting: Setting,
    /// The parameters as written on the command line.
    pub(crate) given: Vec<String>,
}

impl ProtocolArguments {
    /// Reads the protocol; values with a unit are turned into `unit`. Warnings are shown.
    pub(crate) fn read(&self, unit: Option<Unit>) -> Result<Protocol, Failure> {
        let source = super::read(&self.file)?;
        let setting = self.setting(unit)?;
        let (global, diagnostics) = self.parse(&source, &setting);
        match global {
            Some(global) => {
                show(&source, &diagnostics);
                let given = self.set.iter().map(|one| one.text().to_owned()).collect();
                Ok(Protocol { source, global, setting, given })
            }
            None => Err(Failure::Text(Box::new(source), diagnostics)),
        }
    }

    /// The parameters given on the command line.
    pub(crate) fn setting(&self, unit: Option<Unit>) -> Result<Setting, Failure> {
        Ok(Setting { values: parameters(&self.set, unit)?, iterations: None })
    }

    /// Text to global type, whichever of the two forms the text has.
    pub(crate) fn parse(&self, source: &Source, setting: &Setting) -> (Option<GlobalType>, Vec<Diagnostic>) {
        let options = Options { parameters: setting.values.clone(), protocol: self.protocol.clone() };
        if self.is_json(source) {
            session::parse_json(source, &options)
        } else {
            session::parse(source, &options)
        }
    }

    /// By its name; else by its first character, which no protocol text begins with.
    fn is_json(&self, source: &Source) -> bool {
        match self.file.extension() {
            Some(kind) => kind == "json",
            None => source.text().trim_start().starts_with(['{', '[']),
        }
    }
}

impl Protocol {
    /// A failure of an analysis of this protocol.
    pub(crate) fn failure(&self, diagnostics: Vec<Diagnostic>) -> Failure {
        Failure::Text(Box::new(self.source.clone()), diagnostics)
    }

    /// Shows warnings and notes about this protocol.
    pub(crate) fn show(&self, diagnostics: &[Diagnostic]) {
        show(&self.source, diagnostics);
    }

    /// The line of a place, counted from 1.
    pub(crate) fn line(&self, span: Span) -> usize {
        self.source.position(span.start).line
    }

    /// The text of the line on which a place begins, without surrounding spaces.
    pub(crate) fn quoted(&self, span: Span) -> &str {
        self.source.text().lines().nth(self.line(span) - 1).unwrap_or_default().trim()
    }

    /// Its name with the parameters given: `Pipe(n=4)`.
    pub(crate) fn subject(&self) -> String {
        if self.given.is_empty() {
            return self.global.name.clone();
        }
        let mut given = self.given.clone();
        given.sort();
        format!("{}({})", self.global.name, given.join(", "))
    }
}
