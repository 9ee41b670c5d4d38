//! Runs a plan for real and times it.

mod child;
mod conduct;
mod processes;
mod threads;
mod worker;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use session::global::LoopId;
use session::plan::Plan;

pub use child::serve_role;
use conduct::{Conductor, Crew, Round};

use crate::affinity::{Placement, allowed_cores};
use crate::awake::KeepAwake;
use crate::board::Board;
use crate::clock;
use crate::environment::environment;
use crate::error::RigError;
use crate::measurement::{IterationTimes, Measurement, quantile, sorted};
use crate::program::Program;
use crate::repetition::Count;
use crate::spin::SpinRate;
use crate::transport::Transport;

/// Clock readings that all roles together keep per outermost loop and repetition: 64 MiB at most.
const READINGS: usize = 8 << 20;

/// How to run a plan.
#[derive(Debug, Clone, PartialEq)]
pub struct RunOptions {
    /// How messages travel.
    pub transport: Transport,
    /// `None`: one thread per role. Otherwise one process per role: program and arguments that start a process
    /// which calls [`serve_role`] on its standard input and output.
    pub role_command: Option<Vec<OsString>>,
    /// Measured repetitions, at least [`RunOptions::FEWEST_REPETITIONS`].
    pub repetitions: u32,
    /// Repetitions before the measured ones.
    pub warmup: u32,
    /// Whether to run once more and record what every role did when.
    pub timeline: bool,
    /// On which cores the roles run.
    pub placement: Placement,
    /// Whether to keep the cores from halting while roles wait: see [`KeepAwake`].
    pub keep_awake: bool,
    /// The run is given up when nothing has moved for this long.
    pub watchdog: Duration,
    /// Speed of the busy loop, if it has been measured already.
    pub rate: Option<SpinRate>,
}

impl RunOptions {
    /// Fewer measured repetitions than this say nothing about spread.
    pub const FEWEST_REPETITIONS: u32 = 5;

    /// Threads, one warm-up and five measured repetitions, placed by the scheduler, given up after 30 s
    /// without progress.
    #[must_use]
    pub fn new(transport: Transport) -> Self {
        Self {
            transport,
            role_command: None,
            repetitions: Self::FEWEST_REPETITIONS,
            warmup: 1,
            timeline: false,
            placement: Placement::Scheduler,
            keep_awake: false,
            watchdog: Duration::from_secs(30),
            rate: None,
        }
    }

    fn check(&self, roles: usize) -> Result<(), RigError> {
        let refuse =
            |problem: String, remedy: &str| Err(RigError::Options { problem, remedy: remedy.to_owned() });
        if self.repetitions < Self::FEWEST_REPETITIONS {
            let problem = format!("{} repetitions are too few to tell a spread", self.repetitions);
            return refuse(problem, &format!("ask for at least {}", Self::FEWEST_REPETITIONS));
        }
        if self.transport == Transport::Thread && self.role_command.is_some() {
            let problem = "the thread transport stays within one process".to_owned();
            return refuse(problem, "use tcp or unix, or run the roles as threads");
        }
        if let Some([]) = self.role_command.as_deref() {
            return refuse("the command of the role processes is empty".to_owned(), "name a program");
        }
        if let Placement::Cores(cores) = &self.placement
            && cores.len() != roles
        {
            let problem = format!("{} cores are named for {roles} roles", cores.len());
            return refuse(problem, "name one core per role");
        }
        if self.watchdog.is_zero() {
            return refuse("a watchdog of 0 s ends every run".to_owned(), "allow at least some milliseconds");
        }
        Ok(())
    }
}

/// Runs a plan: warm-up, repetitions, and what the clocks said.
///
/// All roles start together: at a clock reading that they are told in advance. Blocks the caller until every
/// role has ended; afterwards no thread, process or socket of the run is left, whether it went well or not.
///
/// # Errors
/// See [`RigError`]: a plan or options that cannot be executed, a refusal of the system, a peer that is gone,
/// a wrong message, or a deadlock.
pub fn run(plan: &Plan, options: &RunOptions) -> Result<Measurement, RigError> {
    options.check(plan.roles.len())?;
    let programs = check_plan(plan)?;
    let cores = options.placement.cores(plan.roles.len()).map_err(|error| cannot_tell_cores(&error))?;
    let _awake = options.keep_awake.then(|| awake(&cores)).transpose()?;
    let board = Arc::new(Board::new(plan.roles.len()));
    let limit = (READINGS / plan.roles.len()).clamp(1 << 10, 1 << 17);
    if let Some(command) = &options.role_command {
        let (crew, reports) = processes::Processes::start(plan, options.transport, &cores, limit, command)?;
        let mut conductor = Conductor {
            crew,
            reports,
            board,
            programs: &programs,
            channels: &plan.channels,
            watchdog: options.watchdog,
        };
        processes::introduce(&mut conductor)?;
        measure(plan, options, &mut conductor)
    } else {
        let (crew, reports) = threads::Threads::start(plan, options.transport, &cores, limit, &board)?;
        let mut conductor = Conductor {
            crew,
            reports,
            board,
            programs: &programs,
            channels: &plan.channels,
            watchdog: options.watchdog,
        };
        measure(plan, options, &mut conductor)
    }
}

fn cannot_tell_cores(error: &std::io::Error) -> RigError {
    RigError::system("asking for the cores of this process", error, "leave placement to the scheduler")
}

/// Keeps awake the cores that roles are bound to, or all if the scheduler places them.
fn awake(cores: &[Option<usize>]) -> Result<KeepAwake, RigError> {
    let mut used: Vec<usize> = cores.iter().copied().flatten().collect();
    if used.is_empty() {
        used = allowed_cores().map_err(|error| cannot_tell_cores(&error))?;
    }
    used.sort_unstable();
    used.dedup();
    KeepAwake::new(&used).map_err(|error| {
        RigError::system("keeping the cores awake", &error, "run without keeping them awake")
    })
}

/// The programs of all roles, if the plan holds together.
fn check_plan(plan: &Plan) -> Result<Vec<Program>, RigError> {
    let fault = |problem: String| RigError::Plan { role: plan.protocol.clone(), problem };
    if plan.roles.is_empty() {
        return Err(fault("it has no roles".to_owned()));
    }
    let mut seen = BTreeMap::new();
    for (index, channel) in plan.channels.iter().enumerate() {
        let roles = (channel.from, channel.to);
        if channel.from.max(channel.to) >= plan.roles.len() {
            return Err(fault(format!("channel {index} joins roles that do not exist")));
        }
        if channel.capacity == Some(0) {
            return Err(fault(format!("channel {index} has no room for any message")));
        }
        if let Some(twin) = seen.insert(roles, index) {
            return Err(fault(format!("channels {twin} and {index} join the same roles")));
        }
    }
    (0..plan.roles.len()).map(|role| Program::new(plan, role)).collect()
}

fn measure<C: Crew>(
    plan: &Plan,
    options: &RunOptions,
    conductor: &mut Conductor<'_, C>,
) -> Result<Measurement, RigError> {
    let mut rounds = conductor.rounds(options)?;
    let timeline = if options.timeline { rounds.pop().map_or_else(Vec::new, events) } else { Vec::new() };
    let ends: Vec<Vec<f64>> = (0..plan.roles.len())
        .map(|role| {
            let times: Vec<f64> =
                rounds.iter().map(|round| clock::seconds(round.start, round.repetitions[role].end)).collect();
            sorted(&times)
        })
        .collect();
    let ends: Vec<f64> = ends.iter().map(|times| quantile(times, 0.5)).collect();
    let traffic: Vec<Count> = rounds
        .last()
        .map_or_else(Vec::new, |round| conductor.traffic(round).iter().map(|both| both.0).collect());
    Ok(Measurement {
        completion: rounds.iter().map(completion).collect(),
        iteration: iteration(&rounds, &ends),
        ends,
        timeline,
        traffic,
        transport: options.transport,
        environment: describe(options),
    })
}

fn completion(round: &Round) -> f64 {
    let last = round.repetitions.iter().map(|repetition| repetition.end).max().unwrap_or(round.start);
    clock::seconds(round.start, last)
}

fn events(round: Round) -> Vec<crate::timeline::Event> {
    let mut events: Vec<_> = round.events.into_iter().flatten().collect();
    events.sort_by(|a, b| a.start.total_cmp(&b.start));
    events
}

/// The samples of the longest outermost loop at the role that finishes last.
fn iteration(rounds: &[Round], ends: &[f64]) -> Option<IterationTimes> {
    let mut roles: Vec<usize> = (0..ends.len()).collect();
    roles.sort_by(|&a, &b| ends[b].total_cmp(&ends[a]));
    roles.into_iter().find_map(|role| {
        let mut loops: BTreeMap<LoopId, Vec<f64>> = BTreeMap::new();
        let mut spent: BTreeMap<LoopId, u64> = BTreeMap::new();
        for list in rounds.iter().flat_map(|round| &round.repetitions[role].passages) {
            loops.entry(list.id).or_default().extend(list.durations());
            if let (Some(first), Some(last)) = (list.times.first(), list.times.last()) {
                *spent.entry(list.id).or_default() += last - first;
            }
        }
        let (&id, _) = spent.iter().max_by_key(|(_, time)| **time)?;
        let samples = loops.remove(&id).filter(|samples| !samples.is_empty())?;
        Some(IterationTimes { role, id, samples })
    })
}

/// Everything about the run that its numbers depend on.
fn describe(options: &RunOptions) -> String {
    let placement = match options.placement {
        Placement::Scheduler => "placed by the scheduler",
        Placement::RoundRobin => "pinned round robin",
        Placement::Cores(_) => "pinned",
    };
    let workers = if options.role_command.is_some() { "processes" } else { "threads" };
    let described = format!("{}, {workers} over {}, {placement}", environment(), options.transport);
    if options.keep_awake { format!("{described}, {}", KeepAwake::DESCRIPTION) } else { described }
}
