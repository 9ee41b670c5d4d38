//! A role at work: the interpreter of its machine.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use session::global::LoopId;

use crate::board::{Board, Position};
use crate::clock;
use crate::error::{Activity, RigError};
use crate::program::{Accept, Emit, Program, Step};
use crate::spin::SpinRate;
use crate::timeline::{EventKind, Record};
use crate::transport::{ReceiveEnd, SendEnd};

/// Shortly before the common start the roles stop sleeping: timers are not exact enough.
const LAST_SLEEP: Duration = Duration::from_micros(300);

/// A role with its machine and the ends of its channels.
#[derive(Debug)]
pub(crate) struct Role {
    program: Program,
    senders: Vec<SendEnd>,
    receivers: Vec<ReceiveEnd>,
    at: Whereabouts,
    message: Vec<u8>,
}

/// A role's place on the board.
#[derive(Debug)]
struct Whereabouts {
    board: Arc<Board>,
    role: usize,
    count: u64,
}

impl Whereabouts {
    fn set(&mut self, state: usize, activity: Activity) {
        self.count += 1;
        self.board.set(self.role, Position::new(self.count, state, activity));
    }
}

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

impl Role {
    /// `senders` and `receivers` in the order of the program's outgoing and incoming channels.
    pub(crate) fn new(
        program: Program,
        senders: Vec<SendEnd>,
        receivers: Vec<ReceiveEnd>,
        board: Arc<Board>,
    ) -> Self {
        // Written once, so that no page of it is touched for the first time in the middle of a run.
        let message = vec![1; program.largest];
        let at = Whereabouts { board, role: program.role, count: 0 };
        Self { program, senders, receivers, at, message }
    }

    /// Runs the machine once from the common start on. `limit` bounds the clock readings per loop.
    ///
    /// # Errors
    /// If a peer is gone, a wrong message arrives, or the plan has no decision left.
    pub(crate) fn repeat<R: Record>(
        &mut self,
        start: u64,
        rate: SpinRate,
        limit: usize,
        record: &mut R,
    ) -> Result<Repetition, RigError> {
        let mut run = Run::new(&self.program, limit);
        wait_until(start);
        let mut state = self.program.start;
        while let Some(next) = self.step(state, rate, &mut run, record)? {
            state = next;
        }
        let end = clock::now();
        self.at.set(state, Activity::Done);
        Ok(Repetition { end, ..run.repetition })
    }

    /// Takes and forgets what the peers sent but this role did not receive.
    ///
    /// # Errors
    /// If a peer is gone.
    pub(crate) fn discard(&mut self, channel: usize, count: Count) -> Result<(), RigError> {
        let slot = self.program.incoming.binary_search(&channel).map_err(|_| RigError::Plan {
            role: self.program.name.clone(),
            problem: format!("it does not receive from channel {channel}"),
        })?;
        let discarded = self.receivers[slot].discard(count.messages, count.bytes);
        discarded.map_err(|error| RigError::PeerClosed {
            waiting: self.program.waiting(self.program.start, Activity::Receive),
            reason: error.to_string(),
        })
    }

    fn step<R: Record>(
        &mut self,
        state: usize,
        rate: SpinRate,
        run: &mut Run,
        record: &mut R,
    ) -> Result<Option<usize>, RigError> {
        match &self.program.steps[state] {
            Step::End => Ok(None),
            Step::Send(_) => self.send(state, rate, run, record).map(Some),
            Step::Receive { .. } => self.receive(state, rate, run, record).map(Some),
            Step::Loop { slot, id, iterations, body, exit, outermost } => {
                let passages = outermost.then(|| run.enter(*id, *iterations));
                let counter = Counter {
                    iterations: *iterations,
                    left: *iterations,
                    body: *body,
                    exit: *exit,
                    passages,
                };
                run.counters[*slot] = counter;
                Ok(Some(if *iterations == 0 { *exit } else { *body }))
            }
            Step::Continue { slot } => Ok(Some(run.pass(*slot, record))),
        }
    }

    fn send<R: Record>(
        &mut self,
        state: usize,
        rate: SpinRate,
        run: &mut Run,
        record: &mut R,
    ) -> Result<usize, RigError> {
        let Step::Send(emits) = &self.program.steps[state] else { unreachable!("a send state") };
        let branch = if emits.len() == 1 { 0 } else { run.decide(&self.program, state, emits.len())? };
        let Emit { slot, message } = &emits[branch];
        if message.compute > 0.0 {
            self.at.set(state, Activity::Compute);
            let begun = R::clock();
            rate.spend(message.compute);
            record.note(EventKind::Compute, begun, R::clock(), message.origin);
        }
        self.at.set(state, Activity::Send);
        self.message[0] = message.tag;
        let begun = R::clock();
        let sent = self.senders[*slot].send(&self.message[..message.bytes]);
        record.note(EventKind::Send, begun, R::clock(), message.origin);
        sent.map_err(|error| RigError::PeerClosed {
            waiting: self.program.waiting_to_send(state, &emits[branch]),
            reason: error.to_string(),
        })?;
        run.repetition.sent[*slot].add(message.bytes);
        Ok(message.next)
    }

    fn receive<R: Record>(
        &mut self,
        state: usize,
        rate: SpinRate,
        run: &mut Run,
        record: &mut R,
    ) -> Result<usize, RigError> {
        self.at.set(state, Activity::Receive);
        let Step::Receive { slot, smallest, accepts } = &self.program.steps[state] else {
            unreachable!("a receive state")
        };
        let begun = R::clock();
        let end = &mut self.receivers[*slot];
        let lost = |error: io::Error| RigError::PeerClosed {
            waiting: self.program.waiting(state, Activity::Receive),
            reason: error.to_string(),
        };
        if R::ENABLED {
            end.wait().map_err(lost)?;
        }
        let arrived = R::clock();
        let known = |tag| accepts.iter().find(|accept: &&Accept| accept.tag == tag);
        let size = |tag| known(tag).map(|accept| accept.bytes);
        let (tag, bytes) = end.receive(*smallest, size).map_err(lost)?;
        let Some(accept) = known(tag).filter(|accept| accept.bytes == bytes) else {
            return Err(self.unexpected(state, tag, bytes));
        };
        if R::ENABLED {
            record.note(EventKind::Wait, begun, arrived, accept.origin);
            record.note(EventKind::Receive, arrived, R::clock(), accept.origin);
        }
        run.repetition.received[*slot].add(bytes);
        if accept.compute > 0.0 {
            self.at.set(state, Activity::Compute);
            let begun = R::clock();
            rate.spend(accept.compute);
            record.note(EventKind::Compute, begun, R::clock(), accept.origin);
        }
        Ok(accept.next)
    }

    fn unexpected(&self, state: usize, tag: u8, bytes: usize) -> RigError {
        RigError::Unexpected {
            waiting: self.program.waiting(state, Activity::Receive),
            found: format!("a message with tag {tag} of {bytes} bytes"),
        }
    }
}

/// The changing part of one repetition.
#[derive(Debug)]
struct Run {
    counters: Vec<Counter>,
    decided: usize,
    limit: usize,
    repetition: Repetition,
}

impl Run {
    fn new(program: &Program, limit: usize) -> Self {
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
    fn pass<R: Record>(&mut self, slot: usize, record: &mut R) -> usize {
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

    fn decide(&mut self, program: &Program, state: usize, branches: usize) -> Result<usize, RigError> {
        let decision = program.decisions.get(self.decided).map(|&branch| branch as usize);
        self.decided += 1;
        decision.filter(|&branch| branch < branches).ok_or_else(|| RigError::Plan {
            role: program.name.clone(),
            problem: format!("state {state} finds no decision number {} among {branches}", self.decided),
        })
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

/// Sleeps until shortly before `start`, then gives way to others until it is reached: at the start every role
/// is ready to run, however many there are.
fn wait_until(start: u64) {
    loop {
        let left = Duration::from_nanos(start.saturating_sub(clock::now()));
        if left.is_zero() {
            return;
        }
        match left.checked_sub(LAST_SLEEP) {
            Some(sleep) => std::thread::sleep(sleep),
            None => std::thread::yield_now(),
        }
    }
}
