//! The global type of a protocol: one description for all participants.
//!
//! A [`GlobalType`] is a directed graph in an arena. It is the tail form of the theory (every
//! interaction carries its continuation) with shared continuations, so that a sequence of choices
//! does not grow exponentially. Every edge except [`Node::Continue`] leads to a node with a smaller
//! index: the arena read backwards is a topological order.

use cost::Formula;
use diag::Span;
use serde::{Deserialize, Serialize};

/// A participant, as an index into [`GlobalType::roles`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleId(pub u32);

/// A node, as an index into [`GlobalType::nodes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub u32);

/// A loop, as an index into [`GlobalType::loops`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct LoopId(pub u32);

impl RoleId {
    /// The index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl NodeId {
    /// The index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl LoopId {
    /// The index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A participant and where it was declared.
#[derive(Debug, Clone, PartialEq)]
pub struct Role {
    /// Name, unique in the protocol. Members of an indexed role are called `W_1`, `W_2`, ...
    pub name: String,
    /// Its declaration.
    pub span: Span,
}

/// One element of a payload: `int`, `x: int`, `x: int{x > 0}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Payload {
    /// The variable, where one is bound.
    pub variable: Option<String>,
    /// The type's name, possibly qualified.
    pub base: String,
    /// The refinement as written, without the braces; kept, not interpreted.
    pub refinement: Option<String>,
}

/// Which part of a message an interaction stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// `p -> q`: sent, received and computed on.
    Whole,
    /// `p ~> q`: sent only; the matching receive comes later.
    Send,
    /// `recv .. at q from p`: the receive (and computation) of a message sent earlier.
    Receive,
}

/// A message between two roles with its sizes and costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Interaction {
    /// Which half, or both.
    pub phase: Phase,
    /// The sender.
    pub from: RoleId,
    /// The receiver.
    pub to: RoleId,
    /// The label.
    pub label: String,
    /// The payload's types.
    pub payload: Vec<Payload>,
    /// Bytes on the wire, label included. A bare label has size 1. `None`: a payload without a size.
    pub size: Option<Formula>,
    /// Computation at the receiver after receiving, in the unit of the cost model.
    pub cost: Option<Formula>,
    /// Computation at the sender before sending, in the unit of the cost model.
    pub pre: Option<Formula>,
    /// Latest completion after the start of the protocol; kept for simulation.
    pub deadline: Option<Formula>,
    /// Where it was written.
    pub span: Span,
    /// What follows.
    pub next: NodeId,
}

/// One alternative of a choice.
#[derive(Debug, Clone, PartialEq)]
pub struct Branch {
    /// Probability of this branch, where given.
    pub probability: Option<Formula>,
    /// The branch.
    pub first: NodeId,
}

/// A node of the global type.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// Nothing more happens.
    End,
    /// A message, or half of one.
    Interaction(Box<Interaction>),
    /// `at` picks one branch and says so by its first message.
    Choice {
        /// The role that decides.
        at: RoleId,
        /// The alternatives; at least one.
        branches: Vec<Branch>,
        /// The words `choice at P`.
        span: Span,
    },
    /// Head of a loop: `mu X. body`.
    Loop {
        /// Which loop.
        id: LoopId,
        /// First node of the body.
        body: NodeId,
        /// What follows in the text after the loop: reached by paths of the body that end without
        /// `continue`, and after the last iteration of a bounded run.
        exit: NodeId,
    },
    /// `continue X`: back to the head of an enclosing loop.
    Continue(LoopId),
}

/// A loop of the protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Loop {
    /// Name as written.
    pub name: String,
    /// Its [`Node::Loop`].
    pub node: NodeId,
    /// Number of times the body runs, from `iter X=..` in the header.
    pub iterations: Option<Formula>,
    /// The loop around it, if any.
    pub parent: Option<LoopId>,
    /// Roles that take part in the text of its body.
    pub roles: Vec<RoleId>,
    /// The words `rec X`.
    pub span: Span,
}

/// A parameter of the protocol: `param n=64, c1`.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Name.
    pub name: String,
    /// Value unless set from outside.
    pub default: Option<Formula>,
    /// Where it was declared.
    pub span: Span,
}

/// A bounded channel: `capacity P->Q=2`.
#[derive(Debug, Clone, PartialEq)]
pub struct Capacity {
    /// The sender.
    pub from: RoleId,
    /// The receiver.
    pub to: RoleId,
    /// Messages that fit before the sender must wait; at least 1.
    pub slots: u32,
    /// Where it was declared.
    pub span: Span,
}

/// A protocol ready for analysis: checked for scope and arity, indices and `do` expanded.
#[derive(Debug, Clone, PartialEq)]
pub struct GlobalType {
    /// The protocol's name.
    pub name: String,
    /// Participants in order of declaration.
    pub roles: Vec<Role>,
    /// The arena.
    pub nodes: Vec<Node>,
    /// Where the protocol starts.
    pub root: NodeId,
    /// The loops, outer ones before inner ones.
    pub loops: Vec<Loop>,
    /// Declared parameters.
    pub parameters: Vec<Parameter>,
    /// Bounded channels.
    pub capacities: Vec<Capacity>,
    /// Role to node of a deployment, as written: `place P,Q=a`.
    pub placement: Vec<(RoleId, String)>,
    /// Node to number of cores, as written: `cores a=2`.
    pub cores: Vec<(String, u32)>,
}

impl GlobalType {
    /// The node behind an index.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Name of a role.
    #[must_use]
    pub fn role_name(&self, id: RoleId) -> &str {
        &self.roles[id.index()].name
    }

    /// The role of a name.
    #[must_use]
    pub fn role(&self, name: &str) -> Option<RoleId> {
        let index = self.roles.iter().position(|role| role.name == name)?;
        Some(RoleId(u32::try_from(index).expect("role count fits u32")))
    }

    /// All role ids in order of declaration.
    pub fn role_ids(&self) -> impl DoubleEndedIterator<Item = RoleId> + use<> {
        (0..u32::try_from(self.roles.len()).expect("role count fits u32")).map(RoleId)
    }

    /// The interaction at a node.
    ///
    /// # Panics
    /// If the node is no interaction.
    #[must_use]
    pub fn interaction(&self, id: NodeId) -> &Interaction {
        match self.node(id) {
            Node::Interaction(interaction) => interaction,
            other => panic!("{other:?} is no interaction"),
        }
    }

    /// The interactions of the text with their node ids, in order of the text.
    pub fn interactions(&self) -> impl Iterator<Item = (NodeId, &Interaction)> {
        self.nodes.iter().enumerate().rev().filter_map(|(index, node)| match node {
            Node::Interaction(interaction) => {
                Some((NodeId(u32::try_from(index).expect("node count fits u32")), &**interaction))
            }
            _ => None,
        })
    }

    /// Node of the deployment on which a role is placed, if the header says so.
    #[must_use]
    pub fn placed_on(&self, role: RoleId) -> Option<&str> {
        self.placement.iter().find(|(placed, _)| *placed == role).map(|(_, node)| node.as_str())
    }
}
