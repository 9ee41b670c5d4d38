//! One repetition of a role's machine: where its loops are, and what is left behind.

use serde::{Deserialize, Serialize};
use session::global::LoopId;

use crate::clock;
use crate::error::RigError;
use crate::program::{Program, Step};
use crate::timeline::Record;

/// Messages and bytes that went over a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Count {
    /// Messages.
    pub messages: u64,
    /// Their bytes, tags included, credits not.
    pub bytes: u64,
}

impl Count {
    fn add(&mut self, bytes: usize) {
        self.messages += 1;
        self.bytes += bytes as u64;
    }
}

/// What one repetition left behind at one role.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Repetition {
    /// Clock reading at the role's end.
    pub(crate) end: u64,
    /// Readings at the heads of its outermost loops.
    pub(crate) passages: Vec<Passages>,
    /// What it sent, by [`Program::outgoing`].
    pub(crate) sent: Vec<Count>,
    /// What it received, by [`Program::incoming`].
    pub(crate) received: Vec<Count>,
}

/// Clock readings at the head of an outermost loop: one on entry and one after every `stride` passes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Passages {
    /// The loop.
    pub(crate) id: LoopId,
    /// Passes between readings: 1 unless the loop is longer than the readings that may be kept.
    pub(crate) stride: u64,
    /// Readings in nanoseconds, ascending.
    pub(crate) times: Vec<u64>,
}

/// The counter of a loop.
#[derive(Debug, Clone, Copy, Default)]
struct Counter {
    iterations: u64,
    left: u64,
    body: usize,
    exit: usize,
    /// Index into the repetition's passages, if the loop is outermost.
    passages: Option<usize>,
}

/// The changing part of one repetition.
#[derive(Debug)]
pub(crate) struct Course {
    counters: Vec<Counter>,
    decided: usize,
    limit: usize,
    repetition: Repetition,
}

impl Course {
    /// Nothing has happened yet. `limit` bounds the clock readings per loop.
    pub(crate) fn new(program: &Program, limit: usize) -> Self {
        let mut passages = Vec::new();
        for step in &program.steps {
            if let Step::Loop { id, iterations, outermost: true, .. } = step {
                passages.push(Passages::new(*id, *iterations, limit));
            }
        }
        let sent = vec![Count::default(); program.outgoing.len()];
        let received = vec![Count::default(); program.incoming.len()];
        let counters = vec![Counter::default(); program.loops];
        Self { counters, decided: 0, limit, repetition: Repetition { end: 0, passages, sent, received } }
    }

    /// Enters the loop of this slot and tells where to go on.
    pub(crate) fn start(
        &mut self,
        slot: usize,
        id: LoopId,
        iterations: u64,
        [body, exit]: [usize; 2],
        outermost: bool,
    ) -> usize {
        let passages = outermost.then(|| self.enter(id, iterations));
        self.counters[slot] = Counter { iterations, left: iterations, body, exit, passages };
        if iterations == 0 { exit } else { body }
    }

    /// Notes the entry into an outermost loop and finds the place of its readings.
    fn enter(&mut self, id: LoopId, iterations: u64) -> usize {
        let lists = &mut self.repetition.passages;
        let free = lists.iter().position(|list| list.id == id && list.times.is_empty());
        let at = free.unwrap_or_else(|| {
            lists.push(Passages::new(id, iterations, self.limit));
            lists.len() - 1
        });
        lists[at].times.push(clock::now());
        at
    }

    /// Counts a pass and tells where to go on.
    pub(crate) fn pass<R: Record>(&mut self, slot: usize, record: &mut R) -> usize {
        let counter = &mut self.counters[slot];
        counter.left = counter.left.saturating_sub(1);
        if let Some(at) = counter.passages {
            let list = &mut self.repetition.passages[at];
            if (counter.iterations - counter.left).is_multiple_of(list.stride) {
                list.times.push(clock::now());
            }
            record.pass();
        }
        if counter.left == 0 { counter.exit } else { counter.body }
    }

    /// The branch that the plan wants at this visit of a send state.
    ///
    /// # Errors
    /// If it wants none, or one that does not exist.
    pub(crate) fn decide(
        &mut self,
        program: &Program,
        state: usize,
        branches: usize,
    ) -> Result<usize, RigError> {
        let decision = program.decisions.get(self.decided).map(|&branch| branch as usize);
        self.decided += 1;
        decision.filter(|&branch| branch < branches).ok_or_else(|| RigError::Plan {
            role: program.name.clone(),
            problem: format!("state {state} finds no decision number {} among {branches}", self.decided),
        })
    }

    /// Counts a message that was sent.
    pub(crate) fn sent(&mut self, slot: usize, bytes: usize) {
        self.repetition.sent[slot].add(bytes);
    }

    /// Counts a message that was received.
    pub(crate) fn received(&mut self, slot: usize, bytes: usize) {
        self.repetition.received[slot].add(bytes);
    }

    /// What it left behind, the role having ended at `end`.
    pub(crate) fn finish(self, end: u64) -> Repetition {
        Repetition { end, ..self.repetition }
    }
}

impl Passages {
    /// Room for all readings, so that none of them allocates.
    fn new(id: LoopId, iterations: u64, limit: usize) -> Self {
        let stride = iterations.div_ceil(limit as u64).max(1);
        let room = usize::try_from(iterations / stride).unwrap_or(limit) + 2;
        Self { id, stride, times: Vec::with_capacity(room) }
    }

    /// Seconds per pass, one sample per pair of readings.
    pub(crate) fn durations(&self) -> impl Iterator<Item = f64> + '_ {
        self.times.windows(2).map(|pair| clock::seconds(pair[0], pair[1]) / self.stride as f64)
    }
}
