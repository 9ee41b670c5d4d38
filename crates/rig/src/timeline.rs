//! What every role did when, in one repetition.

use serde::{Deserialize, Serialize};
use session::global::NodeId;

use crate::clock;

/// What a role did during an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventKind {
    /// Spent a local cost.
    Compute,
    /// Sent a message, waiting for room included.
    Send,
    /// Waited for a message to arrive.
    Wait,
    /// Took a message that had arrived.
    Receive,
}

/// One thing that a role did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Who: an index into [`session::plan::Plan::roles`].
    pub role: usize,
    /// What.
    pub kind: EventKind,
    /// When it began, in seconds since the common start.
    pub start: f64,
    /// When it ended, in seconds since the common start.
    pub end: f64,
    /// The interaction of the global type that it belongs to.
    pub origin: NodeId,
}

/// Events that one role may contribute: enough for a picture, bounded for long runs.
pub(crate) const EVENTS_PER_ROLE: usize = 4096;

/// Passes of outermost loops that a role records events of.
pub(crate) const ITERATIONS: u64 = 64;

/// Takes note of what a role does; chosen at compile time so that measured repetitions carry none of it.
pub(crate) trait Record {
    /// Whether notes are taken at all: if not, no clock is read.
    const ENABLED: bool;

    /// Something happened between two clock readings.
    fn note(&mut self, kind: EventKind, start: u64, end: u64, origin: NodeId);

    /// A pass of an outermost loop is over.
    fn pass(&mut self);

    /// The time now, if notes are taken.
    fn clock() -> u64 {
        if Self::ENABLED { clock::now() } else { 0 }
    }
}

/// Takes no notes.
#[derive(Debug)]
pub(crate) struct Silent;

impl Record for Silent {
    const ENABLED: bool = false;

    fn note(&mut self, _: EventKind, _: u64, _: u64, _: NodeId) {}

    fn pass(&mut self) {}
}

/// Takes notes of the first passes.
#[derive(Debug)]
pub(crate) struct Timeline {
    role: usize,
    start: u64,
    passes: u64,
    events: Vec<Event>,
}

impl Timeline {
    /// For the events of `role` in a repetition with the common start `start`.
    pub(crate) fn new(role: usize, start: u64) -> Self {
        Self { role, start, passes: 0, events: Vec::with_capacity(EVENTS_PER_ROLE) }
    }

    /// The notes, in order of time.
    pub(crate) fn into_events(self) -> Vec<Event> {
        self.events
    }
}

impl Record for Timeline {
    const ENABLED: bool = true;

    fn note(&mut self, kind: EventKind, start: u64, end: u64, origin: NodeId) {
        if self.passes < ITERATIONS && self.events.len() < EVENTS_PER_ROLE {
            let (start, end) = (clock::seconds(self.start, start), clock::seconds(self.start, end));
            self.events.push(Event { role: self.role, kind, start, end, origin });
        }
    }

    fn pass(&mut self) {
        self.passes += 1;
    }
}
