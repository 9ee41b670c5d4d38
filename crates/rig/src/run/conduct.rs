//! The repetitions of a run: everybody starts together, and somebody watches.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use session::plan::Channel;

use super::RunOptions;
use super::worker::{Cue, Report};
use crate::board::{Board, Position};
use crate::clock;
use crate::error::{Activity, RigError};
use crate::program::Program;
use crate::repetition::{Count, Repetition};
use crate::spin::SpinRate;
use crate::timeline::Event;

/// After the first failure, how long the others may take to say what they saw: the first to notice a failure
/// is rarely its cause.
const AFTERMATH: Duration = Duration::from_secs(1);

/// The roles, wherever they run.
pub(crate) trait Crew {
    /// Gives a role its next cue.
    fn cue(&mut self, role: usize, cue: Cue);

    /// Ends the run early: wakes every role that is blocked.
    fn abort(&mut self);

    /// Why a role that has gone without a word did so.
    fn epitaph(&mut self, role: usize) -> RigError;
}

/// One repetition as all roles lived it.
#[derive(Debug)]
pub(crate) struct Round {
    /// The common start.
    pub(crate) start: u64,
    /// What it left behind, by role.
    pub(crate) repetitions: Vec<Repetition>,
    /// Events, by role.
    pub(crate) events: Vec<Vec<Event>>,
}

/// A crew at work.
pub(crate) struct Conductor<'a, C> {
    pub(crate) crew: C,
    pub(crate) reports: Receiver<(usize, Report)>,
    pub(crate) board: Arc<Board>,
    /// What each state waits for, and which channels each role uses.
    pub(crate) programs: &'a [Program],
    pub(crate) channels: &'a [Channel],
    pub(crate) watchdog: Duration,
}

impl<C: Crew> Conductor<'_, C> {
    /// Warm-up, measured repetitions and, if wanted, one more for the timeline, which comes last.
    ///
    /// # Errors
    /// Whatever ended the run early. The crew is told to stop, and has its blocked calls ended.
    pub(crate) fn rounds(&mut self, options: &RunOptions) -> Result<Vec<Round>, RigError> {
        self.gather(|report| matches!(report, Report::Ready).then_some(()))?;
        let mut rate = options.rate.unwrap_or_else(SpinRate::measure);
        let mut rounds = Vec::with_capacity(options.repetitions as usize + 1);
        for number in 0..options.warmup + options.repetitions + u32::from(options.timeline) {
            // Everybody is blocked now, so this measures an idle core.
            rate = rate.refreshed();
            let timeline = number >= options.warmup + options.repetitions;
            let round = self.round(rate, timeline)?;
            self.discard_leftovers(&round)?;
            if number >= options.warmup {
                rounds.push(round);
            }
        }
        Ok(rounds)
    }

    fn round(&mut self, rate: SpinRate, timeline: bool) -> Result<Round, RigError> {
        // Far enough away that all roles have heard of it: a cue takes some 10 us, more between processes.
        let lead = Duration::from_micros(2000 + 100 * self.programs.len() as u64);
        let start = clock::now() + u64::try_from(lead.as_nanos()).expect("some milliseconds");
        for role in 0..self.programs.len() {
            self.crew.cue(role, Cue::Repeat { start, rate, timeline });
        }
        let finished = self.gather(|report| match report {
            Report::Finished(repetition, events) => Some((repetition, events)),
            _ => None,
        })?;
        let (repetitions, events) = finished.into_iter().unzip();
        Ok(Round { start, repetitions, events })
    }

    /// Empties the channels: a bounded run may end with messages sent ahead, and the next repetition must not
    /// find them.
    fn discard_leftovers(&mut self, round: &Round) -> Result<(), RigError> {
        let mut leftovers: BTreeMap<usize, Vec<(usize, Count)>> = BTreeMap::new();
        for (index, (sent, received)) in self.traffic(round).into_iter().enumerate() {
            if sent.messages > received.messages {
                let count =
                    Count { messages: sent.messages - received.messages, bytes: sent.bytes - received.bytes };
                leftovers.entry(self.channels[index].to).or_default().push((index, count));
            }
        }
        if leftovers.is_empty() {
            return Ok(());
        }
        for role in 0..self.programs.len() {
            self.crew.cue(role, Cue::Discard(leftovers.remove(&role).unwrap_or_default()));
        }
        self.gather(|report| matches!(report, Report::Discarded).then_some(())).map(drop)
    }

    /// What was sent and received on each channel.
    pub(crate) fn traffic(&self, round: &Round) -> Vec<(Count, Count)> {
        let mut traffic = vec![(Count::default(), Count::default()); self.channels.len()];
        for (program, repetition) in self.programs.iter().zip(&round.repetitions) {
            for (&channel, &count) in program.outgoing.iter().zip(&repetition.sent) {
                traffic[channel].0 = count;
            }
            for (&channel, &count) in program.incoming.iter().zip(&repetition.received) {
                traffic[channel].1 = count;
            }
        }
        traffic
    }

    /// Waits for one report of the wanted kind from every role, by role.
    ///
    /// # Errors
    /// What ended the run: a role's failure, or nothing at all happening for as long as the watchdog allows.
    pub(crate) fn gather<T>(&mut self, wanted: impl Fn(Report) -> Option<T>) -> Result<Vec<T>, RigError> {
        let mut gathered: Vec<Option<T>> = self.programs.iter().map(|_| None).collect();
        let mut missing = gathered.len();
        let mut watch = Watch::new(&self.board, self.watchdog);
        while missing > 0 {
            let (role, report) = match self.reports.recv_timeout(watch.tick) {
                Ok(report) => report,
                Err(RecvTimeoutError::Timeout) if !watch.has_expired(&self.board) => continue,
                Err(_) => {
                    let stalled = self.stalled();
                    self.crew.abort();
                    return Err(stalled);
                }
            };
            match report {
                Report::At(word) => self.board.set(role, Position::from_word(word)),
                Report::Failed(error) => return Err(self.aftermath(error)),
                Report::Gone => {
                    let error = self.crew.epitaph(role);
                    return Err(self.aftermath(error));
                }
                other => {
                    if let Some(answer) = wanted(other) {
                        missing -= usize::from(gathered[role].is_none());
                        gathered[role] = Some(answer);
                    }
                    watch.see_progress();
                }
            }
        }
        Ok(gathered.into_iter().flatten().collect())
    }

    /// Ends the run and picks, among what the roles then report, the error nearest to the cause.
    fn aftermath(&mut self, first: RigError) -> RigError {
        let until = Instant::now() + AFTERMATH;
        let mut cause = first;
        let mut aborted = false;
        // A role that is at fault itself has said so, or is about to: give it a moment before everybody's
        // connections are cut and everybody complains.
        let mut patience = AFTERMATH / 4;
        while Instant::now() < until && cause.rank() < 2 {
            match self.reports.recv_timeout(patience) {
                Ok((_, Report::Failed(error))) if error.rank() > cause.rank() => cause = error,
                Ok((role, Report::Gone)) => cause = self.crew.epitaph(role),
                Ok(_) => {}
                Err(_) if aborted => break,
                Err(_) => {
                    self.crew.abort();
                    aborted = true;
                    patience = AFTERMATH / 20;
                }
            }
        }
        self.crew.abort();
        cause
    }

    fn stalled(&self) -> RigError {
        let waiting = self.programs.iter().zip(self.board.snapshot()).filter_map(|(program, position)| {
            let busy = matches!(position.activity(), Activity::Send | Activity::Receive);
            busy.then(|| program.waiting(position.state(), position.activity()))
        });
        RigError::Stalled { seconds: self.watchdog.as_secs_f64(), waiting: waiting.collect() }
    }
}

/// Looks at the board now and then.
struct Watch {
    tick: Duration,
    limit: Duration,
    seen: Vec<Position>,
    progress: Instant,
}

impl Watch {
    fn new(board: &Board, limit: Duration) -> Self {
        let tick = (limit / 8).clamp(Duration::from_millis(5), Duration::from_millis(250));
        Self { tick, limit, seen: board.snapshot(), progress: Instant::now() }
    }

    fn see_progress(&mut self) {
        self.progress = Instant::now();
    }

    /// Whether nothing has moved for too long. A role that computes is moving, however long it takes.
    fn has_expired(&mut self, board: &Board) -> bool {
        let now = board.snapshot();
        if now != self.seen || now.iter().any(|position| position.activity() == Activity::Compute) {
            self.see_progress();
        }
        self.seen = now;
        self.progress.elapsed() >= self.limit
    }
}
