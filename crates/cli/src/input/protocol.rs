//! The protocol file and its parameters.

use std::path::{Path, PathBuf};

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
        Protocol::new(super::read(&self.file)?, &self.set, self.protocol.clone(), unit)
    }
}

/// By its name; else by its first character, which no protocol text begins with.
fn is_json(source: &Source) -> bool {
    match Path::new(source.name()).extension() {
        Some(kind) => kind == "json",
        None => source.text().trim_start().starts_with(['{', '[']),
    }
}

/// Text to global type, whichever of the two forms the text has.
pub(crate) fn parse(source: &Source, options: &Options) -> (Option<GlobalType>, Vec<Diagnostic>) {
    if is_json(source) { session::parse_json(source, options) } else { session::parse(source, options) }
}

impl Protocol {
    /// Reads a protocol from its text, with these parameters. Warnings are shown.
    pub(crate) fn new(
        source: Source,
        given: &[Given],
        name: Option<String>,
        unit: Option<Unit>,
    ) -> Result<Self, Failure> {
        let values = parameters(given, unit)?;
        let options = Options { parameters: values.clone(), protocol: name };
        let (global, diagnostics) = parse(&source, &options);
        match global {
            Some(global) => {
                show(&source, &diagnostics);
                let given = given.iter().map(|one| one.text().to_owned()).collect();
                Ok(Self { source, global, setting: Setting { values, iterations: None }, given })
            }
            None => Err(Failure::Text(Box::new(source), diagnostics)),
        }
    }

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
