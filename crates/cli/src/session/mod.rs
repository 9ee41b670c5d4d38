//! `lagcast session ..`: everything about message-passing protocols.

mod check;
mod cost;
mod latency;
mod prediction;
mod project;
mod run;
mod schedule;

use clap::Subcommand;

use crate::output::Answer;

pub use prediction::{completion, per_iteration, subject_of_loop, subject_of_run};
pub use run::{Measured, Side};

/// Subcommands about message-passing protocols.
#[derive(Debug, Subcommand)]
pub enum SessionCommand {
    Check(check::CheckArguments),
    Project(project::ProjectArguments),
    Cost(cost::CostCommand),
    Latency(latency::LatencyCommand),
    Run(run::RunCommand),
}

/// Runs the subcommand.
pub fn run(command: &SessionCommand) -> Answer {
    match command {
        SessionCommand::Check(arguments) => check::run(arguments),
        SessionCommand::Project(arguments) => project::run(arguments),
        SessionCommand::Cost(arguments) => cost::run(arguments),
        SessionCommand::Latency(arguments) => latency::run(arguments),
        SessionCommand::Run(arguments) => run::run(arguments),
    }
}
