//! Local types: the protocol as one role sees it.

use cost::Formula;

use crate::global::{LoopId, NodeId, Payload, RoleId};

/// A state, as an index into [`LocalType::states`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

impl StateId {
    /// The index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One message that a state may send or receive.
#[derive(Debug, Clone, PartialEq)]
pub struct Action {
    /// The other role.
    pub peer: RoleId,
    /// The label.
    pub label: String,
    /// The payload's types.
    pub payload: Vec<Payload>,
    /// Bytes on the wire.
    pub size: Option<Formula>,
    /// Computation: before sending (`pre`) in a send state, after receiving (`cost`) in a receive
    /// state, in the unit of the cost model.
    pub compute: Option<Formula>,
    /// The interaction of the global type that it comes from (the first, where several were merged).
    pub origin: NodeId,
    /// What follows.
    pub next: StateId,
}

/// A state of a local type.
#[derive(Debug, Clone, PartialEq)]
pub enum LocalState {
    /// Nothing more to do.
    End,
    /// Internal choice: this role picks one action and sends. One action: a plain send.
    Send(Vec<Action>),
    /// External choice: all actions come from the same peer; the label decides.
    Receive(Vec<Action>),
    /// Head of a loop.
    Loop {
        /// The loop of the global type.
        id: LoopId,
        /// First state of the body.
        body: StateId,
        /// What follows after the last iteration of a bounded run.
        exit: StateId,
    },
    /// Back to the head of an enclosing loop.
    Continue(LoopId),
}

/// The protocol as one role sees it: a graph in an arena, loops by [`LocalState::Continue`].
#[derive(Debug, Clone, PartialEq)]
pub struct LocalType {
    /// Whose view it is.
    pub role: RoleId,
    /// The arena.
    pub states: Vec<LocalState>,
    /// Where it starts.
    pub root: StateId,
}

impl LocalType {
    /// The state behind an index.
    #[must_use]
    pub fn state(&self, id: StateId) -> &LocalState {
        &self.states[id.index()]
    }
}
