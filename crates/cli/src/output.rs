//! What a subcommand hands back, how it reaches the terminal, and the exit status that follows.

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::ValueEnum;
use diag::{Colour, Diagnostic, Source};

/// Form of the results on standard output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// Aligned tables and sentences, rounded numbers with units.
    #[default]
    Text,
    /// One JSON document, numbers at full precision.
    Json,
    /// Comma-separated values (RFC 4180), numbers at full precision.
    Csv,
    /// A LaTeX tabular that needs no package.
    Latex,
}

/// Form of results that are no table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum TextOrJson {
    /// For people.
    #[default]
    Text,
    /// One JSON document.
    Json,
}

/// What a subcommand found out.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// All that goes to standard output.
    pub(crate) text: String,
    /// Exit status: 0 for yes or results without a verdict, 1 for no, 2 where the question stays open.
    pub(crate) status: u8,
}

impl Outcome {
    /// Results without a verdict, or with a good one.
    pub(crate) fn yes(text: impl Into<String>) -> Self {
        Self { text: text.into(), status: 0 }
    }
}

/// Why a subcommand has no answer: the exit status is 2.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A text of the user's is wrong. Its diagnostics have at least one error.
    Text(Box<Source>, Vec<Diagnostic>),
    /// Anything else: a sentence, and what to try.
    World {
        /// What went wrong, naming the object.
        message: String,
        /// What to try; may be empty.
        help: String,
    },
}

impl Failure {
    /// A failure without advice.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::World { message: message.into(), help: String::new() }
    }

    /// A failure with what to try.
    pub(crate) fn with_help(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::World { message: message.into(), help: help.into() }
    }

    /// The failure in one sentence.
    pub(crate) fn sentence(&self) -> String {
        match self {
            Self::World { message, .. } => message.clone(),
            Self::Text(source, diagnostics) => {
                let first = diagnostics.first().map_or("has errors", |one| one.message.as_str());
                format!("{}: {first}", source.name())
            }
        }
    }
}

/// What every subcommand returns.
pub(crate) type Answer = Result<Outcome, Failure>;

/// Shows diagnostics on standard error, in colour where that is a terminal that wants it.
pub(crate) fn show(source: &Source, diagnostics: &[Diagnostic]) {
    to_stderr(diag::render(source, diagnostics, colour()).as_bytes());
}

fn colour() -> Colour {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    if std::io::stderr().is_terminal() && !plain { Colour::Ansi } else { Colour::Plain }
}

/// Says something to the person at the terminal, beside the results.
pub(crate) fn remark(line: &str) {
    to_stderr(format!("{line}\n").as_bytes());
}

/// A closed standard error is nobody's fault and nobody would read the complaint.
fn to_stderr(bytes: &[u8]) {
    let _ = std::io::stderr().lock().write_all(bytes);
}

/// Prints the answer and turns it into the exit status: 0 yes, 1 no, 2 no answer.
pub(crate) fn conclude(answer: Answer) -> ExitCode {
    match answer {
        Ok(outcome) => match print(&outcome.text) {
            Ok(()) => ExitCode::from(outcome.status),
            Err(code) => code,
        },
        Err(Failure::Text(source, diagnostics)) => {
            show(&source, &diagnostics);
            ExitCode::from(2)
        }
        Err(Failure::World { message, help }) => {
            remark(&format!("error: {message}"));
            if !help.is_empty() {
                remark(&format!("help: {help}"));
            }
            ExitCode::from(2)
        }
    }
}

/// A reader that closed the pipe has seen enough: the verdict stands. Other faults are told.
fn print(text: &str) -> Result<(), ExitCode> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            remark(&format!("error: cannot write to standard output: {error}"));
            Err(ExitCode::from(2))
        }
        _ => Ok(()),
    }
}

/// A JSON value as the whole document on standard output.
pub(crate) fn document(value: &serde_json::Value) -> String {
    format!("{value:#}\n")
}
