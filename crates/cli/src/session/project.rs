//! `lagcast session project`: the protocol as each role sees it.

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use session::LocalType;

use super::local::{local_text, machine};
use crate::input::{Protocol, ProtocolArguments};
use crate::output::{Answer, Failure, Outcome, document, show};

/// Print the local type of each role
///
/// Projection with full merging gives every role its own view of the protocol: what it sends, what it
/// receives, where it chooses and where another role's choice reaches it. As text in nuScr's notation, or as
/// a state machine in DOT (the notation of nuScr and Rumpsteak) or JSON. If the projection of a role is not
/// defined the protocol is not well formed: the faults are shown and the exit status is 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lagcast session project ring.nuscr --role P
  lagcast session project ring.nuscr --role P --format dot | dot -Tsvg > P.svg")]
pub(crate) struct ProjectArguments {
    #[command(flatten)]
    protocol: ProtocolArguments,
    /// Only this role; all otherwise
    #[arg(long, short, value_name = "ROLE")]
    role: Option<String>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    format: LocalForm,
}

/// How local types are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum LocalForm {
    /// Local protocols in nuScr's notation.
    #[default]
    Text,
    /// State machines in Graphviz' language, one graph per role.
    Dot,
    /// State machines in one JSON document.
    Json,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &ProjectArguments) -> Answer {
    let protocol = arguments.protocol.read(Some(cost::Unit::Seconds))?;
    let wanted = wanted(&protocol, arguments.role.as_deref())?;
    let (locals, diagnostics) = session::project(&protocol.global);
    show(&protocol.source, &diagnostics);
    if diag::has_errors(&diagnostics) {
        return Ok(Outcome { text: String::new(), status: 1 });
    }
    let chosen: Vec<&LocalType> =
        locals.iter().filter(|local| wanted.is_none_or(|role| role == local.role)).collect();
    Ok(Outcome::yes(match arguments.format {
        LocalForm::Text => {
            chosen.iter().map(|local| local_text(&protocol.global, local)).collect::<Vec<_>>().join("\n")
        }
        LocalForm::Dot => chosen
            .iter()
            .map(|local| machine(local).to_dot(&protocol.global, protocol.global.role_name(local.role)))
            .collect::<Vec<_>>()
            .join("\n"),
        LocalForm::Json => document(&to_json(&protocol, &chosen)),
    }))
}

fn wanted(protocol: &Protocol, role: Option<&str>) -> Result<Option<session::global::RoleId>, Failure> {
    let Some(name) = role else { return Ok(None) };
    let found = protocol.global.role(name);
    found.map(Some).ok_or_else(|| {
        let names: Vec<&str> = protocol.global.roles.iter().take(20).map(|role| role.name.as_str()).collect();
        let more = if protocol.global.roles.len() > names.len() { ", .." } else { "" };
        Failure::with_help(
            format!("the protocol {} has no role `{name}`", protocol.global.name),
            format!("its roles are {}{more}", names.join(", ")),
        )
    })
}

/// `{"protocol", "roles": {NAME: {"initial", "states", "transitions": [{"from", "to", "direction", "peer", ..}]}}}`.
fn to_json(protocol: &Protocol, locals: &[&LocalType]) -> Value {
    let roles: Map<String, Value> = locals
        .iter()
        .map(|local| {
            (protocol.global.role_name(local.role).to_owned(), machine(local).to_json(&protocol.global))
        })
        .collect();
    json!({"protocol": protocol.global.name, "roles": roles})
}
