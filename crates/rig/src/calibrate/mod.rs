//! What a transport costs, measured.
//!
//! A message from `p` to `q` is priced by four numbers, each a function of its size:
//! `T(p) += send`, the message arrives at `T(p) + latency + wake`, and
//! `T(q) = max(T(q), arrival) + recv`. They are isolated as follows.
//!
//! - *Crossings*: two roles send each other messages, each waiting for the other (after computations of several
//!   lengths). Readings of one clock on both sides give the time in the sending call, and the time from the
//!   begin of sending until the blocked receiver has the message.
//! - *Deposits*: the receiver is busy while the message comes, and finds it ready: that is `recv`.
//! - *Polled crossings*: the receiver never sleeps. What they take beyond sending and receiving is `latency`.
//!
//! `wake` is what is left of a crossing, so that a chain of waiting roles, and with it any ping-pong, takes
//! exactly the time that was measured.
//!
//! What `send` is needs a decision: on loopback the receiver is woken within the sender's system call, and on a
//! virtual machine that can cost the sender ten times the rest of it. The model has one number, and takes the
//! one for a waiting receiver: if the receiver is not waiting, it is behind, and then the sender's pace is not
//! what the run depends on. The exception is a stream of messages with hardly any computation, which the
//! model makes too slow where waking is dear; [`Point::ready_send`] is the number for it.

mod model;
mod probe;
mod statistics;

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use cost::Estimate;

use crate::affinity::{Placement, allowed_cores};
use crate::awake::KeepAwake;
use crate::environment::environment;
use crate::error::RigError;
use crate::spin::SpinRate;
use crate::transport::Transport;
pub use model::{SAME_CORE, share_cores};
use probe::{Crossing, Deposit, Setting, Waiting};
use statistics::{estimate, median, split};

/// What to calibrate, and how long to take over it.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrateOptions {
    /// Which transport.
    pub transport: Transport,
    /// Message sizes in bytes, ascending; at least two, each at least 1.
    pub sizes: Vec<usize>,
    /// Where the two roles run; it should be what the predicted runs will use. With cores named, the second
    /// set of prices, for roles that share a core, is measured on the first of them.
    pub placement: Placement,
    /// Whether to keep the cores from halting, as the predicted runs will.
    pub keep_awake: bool,
    /// Rounds at each size; the middle one counts, so that a disturbance of less than half of them is
    /// without effect.
    pub rounds: usize,
    /// Messages each way in each round.
    pub messages: usize,
    /// Time to stay within: on a busy machine there are fewer rounds instead, but one at each size.
    pub budget: Duration,
    /// The date to write into the model, as `YYYY-MM-DD`: the rig does not know the calendar.
    pub date: Option<String>,
}

impl CalibrateOptions {
    /// Sizes from 1 B to 256 KiB, placed by the scheduler; 4 to 8 s.
    #[must_use]
    pub fn new(transport: Transport) -> Self {
        Self {
            transport,
            sizes: vec![1, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10],
            placement: Placement::Scheduler,
            keep_awake: false,
            rounds: 5,
            messages: 250,
            budget: Duration::from_secs(8),
            date: None,
        }
    }

    /// The same with a third of the messages, within 3 s.
    #[must_use]
    pub fn quick(self) -> Self {
        Self { rounds: 3, messages: 120, budget: Duration::from_secs(3), ..self }
    }
}

/// Everything that was measured about a transport. Times are in seconds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransportCalibration {
    /// Which transport.
    pub transport: Transport,
    /// Between roles on different cores, or wherever the scheduler put them; by size.
    pub apart: Vec<Point>,
    /// Between roles that share a core, by size; empty if the scheduler placed them.
    pub together: Vec<Point>,
    /// Seconds that a computation of one second takes: interrupts and other work on the machine make it more
    /// than 1.
    pub compute: Estimate,
    /// Cores, kernel, processor, transport and placement.
    pub environment: String,
    /// When, as `YYYY-MM-DD`.
    pub date: Option<String>,
}

/// The costs of messages of one size: first percentile, mean and 99th percentile, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Bytes.
    pub size: usize,
    /// The sender's time for a message to a receiver that waits.
    pub send: Estimate,
    /// From the end of sending until a receiver that does not sleep has it.
    pub latency: Estimate,
    /// What a sleeping receiver needs beyond that.
    pub wake: Estimate,
    /// The receiver's time for a message that is there.
    pub recv: Estimate,
    /// The sender's time for a message to a receiver that is busy: at most `send`.
    pub ready_send: Estimate,
    /// Time between messages of a stream, sender and receiver going as fast as they can: not part of the
    /// model, but what it can be held against.
    pub stream: f64,
}

impl Point {
    /// From the begin of sending until a receiver that waited has the message: half a round trip.
    #[must_use]
    pub fn crossing(&self) -> Estimate {
        self.send + self.latency + self.wake + self.recv
    }
}

/// Measures a transport and writes down what it costs as a model in seconds, named `tcp-loopback`,
/// `unix-socket` or `thread-queue`.
///
/// `progress` is told how many of how many steps are done.
///
/// # Errors
/// As [`measure_transport`].
pub fn calibrate_transport(
    options: &CalibrateOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<cost::Model, RigError> {
    Ok(measure_transport(options, progress)?.model())
}

/// Measures a transport.
///
/// `progress` is told how many of how many steps are done.
///
/// # Errors
/// [`RigError::Options`] for sizes or counts that allow no measurement, [`RigError::System`] if connections or
/// threads are refused.
pub fn measure_transport(
    options: &CalibrateOptions,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<TransportCalibration, RigError> {
    options.check()?;
    let failed = |error: std::io::Error| {
        let doing = format!("measuring {}", options.transport);
        RigError::system(doing, &error, "check that loopback connections are allowed")
    };
    let cores = options.cores().map_err(failed)?;
    let _awake = options.keep_awake.then(|| keep_awake(cores)).transpose().map_err(failed)?;
    let apart = Setting { transport: options.transport, cores, rate: SpinRate::measure() };
    let together = cores[0].map(|core| Setting { cores: [Some(core); 2], ..apart });
    let steps = options.sizes.len() * (1 + usize::from(together.is_some())) + 1;
    let begun = Instant::now();
    let mut done = 0;
    let mut measure = |setting: &Setting| {
        let points = options.sizes.iter().map(|&size| {
            done += 1;
            let share = options.budget.mul_f64(done as f64 / steps as f64);
            let point = point(setting, options, size, begun + share);
            progress(done, steps);
            point
        });
        points.collect::<std::io::Result<Vec<Point>>>().map_err(failed)
    };
    let calibration = TransportCalibration {
        transport: options.transport,
        apart: measure(&apart)?,
        together: together.map_or(Ok(Vec::new()), |setting| measure(&setting))?,
        compute: compute(&apart, options, begun + options.budget).map_err(failed)?,
        environment: options.describe(),
        date: options.date.clone(),
    };
    progress(steps, steps);
    Ok(calibration)
}

/// Computations before sending, in seconds: none, short and long. A role that has just been woken sends at once
/// or after a while, and its peer has slept accordingly.
const THOUGHTS: [f64; 3] = [0.0, 20e-6, 100e-6];

/// The work of the computations that are timed, in seconds.
const WORK: [f64; 3] = [20e-6, 100e-6, 200e-6];

/// Measures one size, in as many rounds as are wanted or fit in until `deadline`.
fn point(
    setting: &Setting,
    options: &CalibrateOptions,
    size: usize,
    deadline: Instant,
) -> std::io::Result<Point> {
    let apart = matches!(setting.cores, [Some(here), Some(there)] if here != there);
    let (mut sends, mut totals, mut polled) = (Vec::new(), Vec::new(), Vec::new());
    let (mut ready, mut takes, mut streams) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..options.rounds {
        if round > 0 && Instant::now() > deadline {
            break;
        }
        let crossings = probe::crossings(setting, size, Waiting::Blocked, &THOUGHTS, options.messages)?;
        // Long enough that the next message is there before the receiver asks for it.
        let busy = 20e-6 + 3.0 * median(crossings.iter().map(|one| one.total).collect());
        let deposits = probe::deposits(setting, size, busy, options.messages)?;
        sends.push(pick(&crossings, |one: &Crossing| one.send));
        totals.push(pick(&crossings, |one: &Crossing| one.total));
        if !deposits.is_empty() {
            ready.push(pick(&deposits, |one: &Deposit| one.send));
            takes.push(pick(&deposits, |one: &Deposit| one.recv));
        }
        if apart {
            let crossings =
                probe::crossings(setting, size, Waiting::Polling, &THOUGHTS[..2], options.messages)?;
            polled.push(pick(&crossings, |one: &Crossing| one.total));
        }
        streams.push(probe::stream(setting, size, 2 * options.messages)?);
    }
    let (send, total) = (estimate(&sends), estimate(&totals));
    let (ready, take) = match ready.is_empty() {
        true => (send, None),
        false => (estimate(&ready), Some(estimate(&takes))),
    };
    let parts = split(send, total, ready, take, estimate(&polled));
    Ok(Point {
        size,
        send: parts.send,
        latency: parts.latency,
        wake: parts.wake,
        recv: parts.recv,
        ready_send: parts.ready_send,
        stream: median(streams),
    })
}

fn pick<T>(samples: &[T], value: impl Fn(&T) -> f64) -> Vec<f64> {
    samples.iter().map(value).collect()
}

/// Times computations, in as many rounds as are wanted or fit in until `deadline`.
fn compute(setting: &Setting, options: &CalibrateOptions, deadline: Instant) -> std::io::Result<Estimate> {
    let mut rounds = Vec::new();
    for round in 0..options.rounds {
        if round > 0 && Instant::now() > deadline {
            break;
        }
        let mut shares = Vec::new();
        for work in WORK {
            let times = probe::computations(setting, work, options.messages)?;
            shares.extend(times.into_iter().map(|time| time / work));
        }
        rounds.push(shares);
    }
    Ok(estimate(&rounds))
}

fn keep_awake(cores: [Option<usize>; 2]) -> std::io::Result<KeepAwake> {
    let named: Vec<usize> = cores.into_iter().flatten().collect();
    KeepAwake::new(&if named.is_empty() { allowed_cores()? } else { named })
}

impl CalibrateOptions {
    fn check(&self) -> Result<(), RigError> {
        let refuse = |problem: &str, remedy: &str| {
            Err(RigError::Options { problem: problem.to_owned(), remedy: remedy.to_owned() })
        };
        let ascending = self.sizes.windows(2).all(|pair| pair[0] < pair[1]);
        if self.sizes.len() < 2 || self.sizes.first() == Some(&0) || !ascending {
            return refuse(
                "the sizes to measure are no ascending list",
                "name two sizes or more, from 1 byte",
            );
        }
        if self.rounds == 0 || self.messages < 20 {
            return refuse(
                "too few messages to tell a spread",
                "ask for a round or more of at least 20 messages",
            );
        }
        if let Placement::Cores(cores) = &self.placement
            && cores.len() != 2
        {
            return refuse("a calibration has two roles", "name two cores");
        }
        Ok(())
    }

    fn cores(&self) -> std::io::Result<[Option<usize>; 2]> {
        let cores = self.placement.cores(2)?;
        Ok([cores[0], cores[1]])
    }

    fn describe(&self) -> String {
        let placement = match self.placement {
            Placement::Scheduler => "placed by the scheduler",
            _ => "pinned",
        };
        let described = format!("{}, threads over {}, {placement}", environment(), self.transport);
        if self.keep_awake { format!("{described}, {}", KeepAwake::DESCRIPTION) } else { described }
    }
}
