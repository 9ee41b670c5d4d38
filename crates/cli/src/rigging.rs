//! Options that tell the rig how to treat the machine, the same for runs and calibrations: a prediction
//! holds only for runs under the conditions of its calibration.

use clap::Args;
use rig::{Placement, RunOptions, Transport};

use crate::output::{Failure, Outcome};

/// How roles meet the machine.
#[derive(Debug, Clone, Args)]
pub(crate) struct RigArguments {
    /// Keep each role on one core, in turn, instead of leaving it to the scheduler
    #[arg(long)]
    pub(crate) pin: bool,
    /// Keep the cores from halting while roles wait, so that waking takes the same time whatever the wait
    #[arg(long)]
    pub(crate) awake: bool,
}

impl RigArguments {
    /// Puts them into the options of a run.
    pub(crate) fn apply(&self, options: &mut RunOptions) {
        options.placement = self.placement();
        options.keep_awake = self.awake;
    }

    /// Where roles run.
    pub(crate) fn placement(&self) -> Placement {
        if self.pin { Placement::RoundRobin } else { Placement::Scheduler }
    }
}

/// Parses the name of a transport for the command line.
pub(crate) fn transport(name: &str) -> Result<Transport, String> {
    let names: Vec<&str> = Transport::ALL.into_iter().map(Transport::name).collect();
    Transport::from_name(name).ok_or_else(|| format!("the transports are {}", names.join(", ")))
}

/// The hidden subcommand that plays one role of a run with processes, told by its parent what to do.
pub(crate) fn play_role() -> Result<Outcome, Failure> {
    let input = std::io::BufReader::new(std::io::stdin());
    // The parent is told about failures over standard output; there is nobody to read a message here.
    match rig::serve_role(input, std::io::stdout()) {
        Ok(()) => Ok(Outcome::yes("")),
        Err(error) => Err(Failure::new(error.to_string())),
    }
}
