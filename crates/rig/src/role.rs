//! A role at work: the interpreter of its machine.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use crate::board::{Board, Position};
use crate::clock;
use crate::error::{Activity, RigError};
use crate::program::{Accept, Emit, Program, Step};
use crate::repetition::{Count, Course, Repetition};
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
        let mut course = Course::new(&self.program, limit);
        wait_until(start);
        let mut state = self.program.start;
        while let Some(next) = self.step(state, rate, &mut course, record)? {
            state = next;
        }
        let end = clock::now();
        self.at.set(state, Activity::Done);
        Ok(course.finish(end))
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
        course: &mut Course,
        record: &mut R,
    ) -> Result<Option<usize>, RigError> {
        match &self.program.steps[state] {
            Step::End => Ok(None),
            Step::Send(_) => self.send(state, rate, course, record).map(Some),
            Step::Receive { .. } => self.receive(state, rate, course, record).map(Some),
            Step::Loop { slot, id, iterations, body, exit, outermost } => {
                Ok(Some(course.start(*slot, *id, *iterations, [*body, *exit], *outermost)))
            }
            Step::Continue { slot } => Ok(Some(course.pass(*slot, record))),
        }
    }

    fn send<R: Record>(
        &mut self,
        state: usize,
        rate: SpinRate,
        course: &mut Course,
        record: &mut R,
    ) -> Result<usize, RigError> {
        let Step::Send(emits) = &self.program.steps[state] else { unreachable!("a send state") };
        let branch = if emits.len() == 1 { 0 } else { course.decide(&self.program, state, emits.len())? };
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
        course.sent(*slot, message.bytes);
        Ok(message.next)
    }

    fn receive<R: Record>(
        &mut self,
        state: usize,
        rate: SpinRate,
        course: &mut Course,
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
        course.received(*slot, bytes);
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
