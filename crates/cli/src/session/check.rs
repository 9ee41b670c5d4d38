//! `lagcast session check`: is the protocol well formed?

use clap::Args;
use diag::Diagnostic;
use serde_json::json;
use session::Options;

use crate::input::{ProtocolArguments, parameters, parse, read};
use crate::output::{Answer, Outcome, TextOrJson, document, show};

/// Say whether a protocol is well formed
///
/// A protocol is well formed if its projection (with full merging) is defined for every role: then every role
/// knows at each moment what to do next. All faults are reported at once, each with its place, its cause and
/// what to do about it; `lagcast explain CODE` tells more. The exit status is 0 for yes, 1 for no, and 2 if
/// the text could not be understood at all.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lagcast session check ring.nuscr
  lagcast session check ring.nuscr --set n=64 --format json")]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    protocol: ProtocolArguments,
    /// Form of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    format: TextOrJson,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &CheckArguments) -> Answer {
    let source = read(&arguments.protocol.file)?;
    let options = Options {
        parameters: parameters(&arguments.protocol.set, Some(cost::Unit::Seconds))?,
        protocol: arguments.protocol.protocol.clone(),
    };
    let (global, mut diagnostics) = parse(&source, &options);
    let mut summary = String::new();
    if let Some(global) = &global {
        diagnostics.extend(session::project(global).1);
        diag::sort(&mut diagnostics);
        let (roles, interactions) = (global.roles.len(), global.interactions().count());
        summary =
            format!("{}: {}, {}", global.name, count(roles, "role"), count(interactions, "interaction"));
    }
    let well_formed = !diag::has_errors(&diagnostics);
    let text = match arguments.format {
        TextOrJson::Json => document(
            &json!({"well_formed": well_formed, "diagnostics": diag::to_json(&source, &diagnostics)}),
        ),
        TextOrJson::Text => {
            show(&source, &diagnostics);
            verdict(source.name(), &summary, &diagnostics)
        }
    };
    Ok(Outcome { text, status: status(well_formed, &diagnostics) })
}

fn verdict(name: &str, summary: &str, diagnostics: &[Diagnostic]) -> String {
    let errors = diagnostics.iter().filter(|one| one.is_error()).count();
    match errors {
        0 => format!("{name}: well formed ({summary})\n"),
        some => format!("{name}: not well formed: {}\n", count(some, "error")),
    }
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A text that is no protocol (S0xx) leaves the question open; every other error answers it with no.
fn status(well_formed: bool, diagnostics: &[Diagnostic]) -> u8 {
    let unreadable = diagnostics.iter().any(|one| one.is_error() && one.code.starts_with("S0"));
    if unreadable { 2 } else { u8::from(!well_formed) }
}
