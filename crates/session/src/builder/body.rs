use cost::Formula;
use diag::Span;

use crate::expand::steps::Step;
use crate::global::{Interaction, NodeId, Payload, Phase, RoleId};

/// Steps of a protocol, in order.
#[derive(Debug, Clone, Default)]
pub struct Body {
    pub(super) steps: Vec<Step>,
}

impl Body {
    /// A message; sizes and costs are added to what is returned.
    pub fn message(&mut self, label: &str, from: RoleId, to: RoleId) -> MessageBuilder<'_> {
        self.interaction(Phase::Whole, label, from, to)
    }

    /// Only the sending of a message.
    pub fn send(&mut self, label: &str, from: RoleId, to: RoleId) -> MessageBuilder<'_> {
        self.interaction(Phase::Send, label, from, to)
    }

    /// Only the receipt, at `to`, of a message that `from` sent earlier.
    pub fn receive(&mut self, label: &str, from: RoleId, to: RoleId) -> MessageBuilder<'_> {
        self.interaction(Phase::Receive, label, from, to)
    }

    fn interaction(&mut self, phase: Phase, label: &str, from: RoleId, to: RoleId) -> MessageBuilder<'_> {
        let interaction = Interaction {
            phase,
            from,
            to,
            label: label.to_owned(),
            payload: Vec::new(),
            size: Some(Formula::number(1.0)),
            cost: None,
            pre: None,
            deadline: None,
            span: Span::default(),
            next: NodeId(0),
        };
        self.steps.push(Step::Message(Box::new(interaction)));
        match self.steps.last_mut() {
            Some(Step::Message(interaction)) => MessageBuilder { interaction },
            _ => unreachable!("a message has just been added"),
        }
    }

    /// A choice at a role; `write` adds its branches.
    pub fn choice(&mut self, at: RoleId, write: impl FnOnce(&mut Branches)) {
        let mut branches = Branches::default();
        write(&mut branches);
        self.steps.push(Step::Choice { at, branches: branches.branches });
    }

    /// A loop; `write` adds its body.
    pub fn rec(&mut self, name: &str, write: impl FnOnce(&mut Body)) {
        let mut body = Body::default();
        write(&mut body);
        self.steps.push(Step::Rec { name: name.to_owned(), iterations: None, body: body.steps });
    }

    /// Back to the head of a loop around.
    pub fn continue_with(&mut self, name: &str) {
        self.steps.push(Step::Continue(name.to_owned()));
    }
}

/// The branches of a choice.
#[derive(Debug, Clone, Default)]
pub struct Branches {
    branches: Vec<(Option<Formula>, Vec<Step>)>,
}

impl Branches {
    /// One more branch.
    pub fn branch(&mut self, write: impl FnOnce(&mut Body)) {
        let mut body = Body::default();
        write(&mut body);
        self.branches.push((None, body.steps));
    }

    /// One more branch, taken with a probability.
    pub fn branch_with(&mut self, probability: Formula, write: impl FnOnce(&mut Body)) {
        self.branch(write);
        if let Some((slot, _)) = self.branches.last_mut() {
            *slot = Some(probability);
        }
    }
}

/// A message under construction. Without a size it is a bare label of size 1, or of unknown size
/// once it has a payload.
#[derive(Debug)]
pub struct MessageBuilder<'a> {
    interaction: &'a mut Interaction,
}

impl MessageBuilder<'_> {
    /// Adds a payload type. To be called before [`MessageBuilder::size`].
    pub fn payload(self, base: &str) -> Self {
        self.interaction.payload.push(Payload { variable: None, base: base.to_owned(), refinement: None });
        self.interaction.size = None;
        self
    }

    /// Sets the bytes on the wire, label included.
    pub fn size(self, size: Formula) -> Self {
        self.interaction.size = Some(size);
        self
    }

    /// Sets the computation at the receiver after receiving.
    pub fn cost(self, cost: Formula) -> Self {
        self.interaction.cost = Some(cost);
        self
    }

    /// Sets the computation at the sender before sending.
    pub fn pre(self, pre: Formula) -> Self {
        self.interaction.pre = Some(pre);
        self
    }

    /// Sets the latest completion.
    pub fn deadline(self, deadline: Formula) -> Self {
        self.interaction.deadline = Some(deadline);
        self
    }
}
