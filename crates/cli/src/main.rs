//! `lagcast`: foretells how long a protocol will take, runs it for real, and shows where the two part.
//!
//! One file per subcommand. Each turns its arguments into library options, calls the library, reports, and
//! hands back an [`output::Answer`]; only [`output`] prints and decides the exit status.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the command line is where results are printed"
)]

mod calibrate;
mod compare;
mod date;
mod demo;
mod explain;
mod input;
mod output;
mod progress;
mod rigging;
mod session;
mod shell;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use output::{Answer, conclude};

/// Foretells how long a protocol will take, runs it for real, and shows where the two part
///
/// A protocol is a text: who sends what to whom, with sizes and costs in annotations. A cost model is a text:
/// what sending, receiving and computing cost on a machine. From the two, lagcast predicts how long each
/// participant takes, how long one iteration of a loop takes in the long run, and which messages are the
/// bottleneck; then it runs the protocol for real and sets the two side by side.
#[derive(Debug, Parser)]
#[command(name = "lagcast", version, max_term_width = 100, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Subcommands,
}

const AFTER_HELP: &str = "\
Examples:
  lagcast demo                                                   the tour, in under two minutes
  lagcast calibrate transport --transport tcp -o tcp.toml        what messages cost on this machine
  lagcast session latency ring.nuscr --costs tcp.toml            how fast the ring turns, and why
  lagcast session run ring.nuscr --costs tcp.toml -n 1000        prediction beside measurement

Exit status: 0 fine; 1 the answer is no (not well formed, out of tolerance); 2 no answer (unreadable file, \
faulty text, missing price, bad argument). NO_COLOR turns colours off.";

#[derive(Debug, Subcommand)]
enum Subcommands {
    /// Check, project, price and run message-passing protocols
    ///
    /// A protocol is written once, for all participants, in nuScr's notation with costs in the annotation
    /// strings (or as JSON). These subcommands say whether it is well formed, what each role does, what it
    /// costs, how fast its loops go, and how long it really takes.
    #[command(
        subcommand,
        after_help = "\
Examples:
  lagcast session check ring.nuscr
  lagcast session cost ring.nuscr --costs tcp.toml --iterations 1000"
    )]
    Session(session::SessionCommand),
    #[command(subcommand)]
    Calibrate(calibrate::CalibrateCommand),
    Compare(compare::CompareArguments),
    Demo(demo::DemoArguments),
    Explain(explain::ExplainArguments),
    Completions(shell::CompletionsArguments),
    Man(shell::ManArguments),
    /// Plays one role of a run with processes
    #[command(hide = true)]
    PlayRole,
}

fn main() -> ExitCode {
    match Arguments::try_parse() {
        Ok(arguments) => conclude(answer(&arguments.command)),
        Err(error) => {
            // Help and version go to standard output, complaints to standard error; a closed pipe is no fault.
            let _ = error.print();
            ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
        }
    }
}

fn answer(command: &Subcommands) -> Answer {
    match command {
        Subcommands::Session(command) => session::run(command),
        Subcommands::Calibrate(command) => calibrate::run(command),
        Subcommands::Compare(arguments) => compare::run(arguments),
        Subcommands::Demo(arguments) => demo::run(arguments),
        Subcommands::Explain(arguments) => explain::run(arguments),
        Subcommands::Completions(arguments) => shell::completions(arguments, Arguments::command()),
        Subcommands::Man(arguments) => shell::man(arguments, Arguments::command()),
        Subcommands::PlayRole => rigging::play_role(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    /// Every subcommand teaches: a summary, and two examples.
    #[test]
    fn every_subcommand_has_a_purpose_and_examples() {
        fn check(command: &clap::Command) {
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            assert!(command.get_about().is_some(), "{}", command.get_name());
            assert!(command.get_long_about().is_some(), "{} has no paragraph", command.get_name());
            assert!(help.matches("  lagcast ").count() >= 2, "{} has no two examples", command.get_name());
            command.get_subcommands().filter(|inner| !inner.is_hide_set()).for_each(check);
        }
        check(&Arguments::command());
    }
}
