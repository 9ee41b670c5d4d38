//! A protocol made concrete for a bounded run: bytes, seconds and decisions filled in.

use serde::{Deserialize, Serialize};

mod build;
mod decide;
mod trace;

pub use build::{MESSAGE_LIMIT, plan};
pub use trace::{Activity, Deadlock, Event, Trace, trace};

use crate::global::{LoopId, NodeId};

/// What every role does in one bounded run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// Name of the protocol.
    pub protocol: String,
    /// One machine per role; roles are indices into this list.
    pub roles: Vec<RolePlan>,
    /// The channels that carry messages, sorted.
    pub channels: Vec<Channel>,
}

/// An ordered pair of roles between which messages flow.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channel {
    /// The sender.
    pub from: usize,
    /// The receiver.
    pub to: usize,
    /// Messages that fit before the sender must wait; `None`: the transport's own bound.
    pub capacity: Option<u32>,
    /// Largest message in bytes.
    pub largest: usize,
}

/// The machine that one role executes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RolePlan {
    /// Name of the role.
    pub name: String,
    /// The states; loops by index.
    pub states: Vec<PlanState>,
    /// Where it starts.
    pub start: usize,
    /// Which branch to take at each visit of a send state with several outputs, in order of the visits.
    pub decisions: Vec<u32>,
}

/// A state of a role's machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum PlanState {
    /// Done.
    End,
    /// Computes, then sends one of the outputs.
    Send(Vec<Output>),
    /// Receives one of the inputs from `from` (the wire says which), then computes.
    Receive {
        /// The sender.
        from: usize,
        /// The possible messages, by [`Input::tag`].
        inputs: Vec<Input>,
    },
    /// Head of a loop: starts its counter.
    Loop {
        /// Which loop.
        id: LoopId,
        /// Times the body runs.
        iterations: u64,
        /// First state of the body.
        body: usize,
        /// What follows after the last iteration.
        exit: usize,
        /// Whether no loop is around it: its passes are the run's iterations.
        outermost: bool,
    },
    /// Counts a pass; back to the body, or on to the exit after the last one.
    Continue(LoopId),
}

/// A message to be sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// The receiver.
    pub to: usize,
    /// The label on the wire: the first byte of the message. Unique per label on a channel.
    pub tag: u8,
    /// The label.
    pub label: String,
    /// Bytes of the message, tag included; at least 1.
    pub bytes: usize,
    /// Seconds of computation before sending.
    pub compute: f64,
    /// The interaction in the global type.
    pub origin: NodeId,
    /// The next state.
    pub next: usize,
}

/// A message that may arrive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Input {
    /// The label on the wire.
    pub tag: u8,
    /// The label.
    pub label: String,
    /// Bytes of the message, tag included; at least 1.
    pub bytes: usize,
    /// Seconds of computation after receiving.
    pub compute: f64,
    /// The interaction in the global type.
    pub origin: NodeId,
    /// The next state.
    pub next: usize,
}
