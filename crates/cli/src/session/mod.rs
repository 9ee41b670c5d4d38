//! `lagcast session ..`: everything about message-passing protocols.

mod check;
mod cost;
pub(crate) mod experiment;
mod latency;
mod local;
mod prediction;
mod project;
mod run;
mod timeline;

use clap::Subcommand;

use crate::output::Answer;

pub(crate) use latency::{bottleneck_text, step_to_json};

/// Subcommands about message-passing protocols.
#[derive(Debug, Subcommand)]
pub(crate) enum SessionCommand {
    Check(check::CheckArguments),
    Project(project::ProjectArguments),
    Cost(cost::CostCommand),
    Latency(latency::LatencyCommand),
    Run(run::RunCommand),
}

/// Runs the subcommand.
pub(crate) fn run(command: &SessionCommand) -> Answer {
    match command {
        SessionCommand::Check(arguments) => check::run(arguments),
        SessionCommand::Project(arguments) => project::run(arguments),
        SessionCommand::Cost(arguments) => cost::run(arguments),
        SessionCommand::Latency(arguments) => latency::run(arguments),
        SessionCommand::Run(arguments) => run::run(arguments),
    }
}
