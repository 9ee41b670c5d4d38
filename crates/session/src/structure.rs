//! Where the ways of a choice meet again: from the graph back to blocks.

use crate::global::{GlobalType, Node, NodeId};

/// Depth of blocks from which on they are kept short.
const DEEP: usize = 24;

/// Per choice, the first node that all its ways come to which do not go back to a loop's head.
pub(crate) struct Joins<'a> {
    global: &'a GlobalType,
    /// Per node: the next one that every way out of it must pass; `None` if there is no way out.
    after: Vec<Option<NodeId>>,
}

impl<'a> Joins<'a> {
    /// Finds the joins of a global type.
    pub(crate) fn new(global: &'a GlobalType) -> Self {
        let mut joins = Self { global, after: Vec::with_capacity(global.nodes.len()) };
        for node in &global.nodes {
            let after = match node {
                Node::End | Node::Continue(_) => None,
                Node::Interaction(interaction) => Some(interaction.next),
                Node::Loop { exit, .. } => Some(*exit),
                Node::Choice { branches, .. } => branches
                    .iter()
                    .map(|branch| branch.first)
                    .filter(|first| joins.leads_on(*first))
                    .map(Some)
                    .reduce(|a, b| joins.meet(a?, b?))
                    .flatten(),
            };
            // A way into a dead end is one itself.
            joins.after.push(after.filter(|after| joins.leads_on(*after)));
        }
        joins
    }

    /// Whether some way from a node comes to an end rather than back to a loop's head.
    fn leads_on(&self, id: NodeId) -> bool {
        matches!(self.global.node(id), Node::End) || self.after[id.index()].is_some()
    }

    fn meet(&self, mut a: NodeId, mut b: NodeId) -> Option<NodeId> {
        while a != b {
            if a > b {
                a = self.after[a.index()]?;
            } else {
                b = self.after[b.index()]?;
            }
        }
        Some(a)
    }

    /// What follows a choice once its ways have met; `None` if they never do.
    ///
    /// With one way that leads on, all that follows belongs to that way. Only deep inside other
    /// blocks its first message alone does, so that a long sequence of such choices does not nest.
    pub(crate) fn after_choice(&self, id: NodeId, depth: usize) -> Option<NodeId> {
        let Node::Choice { branches, .. } = self.global.node(id) else { return None };
        let mut onward = branches.iter().map(|branch| branch.first).filter(|first| self.leads_on(*first));
        match (onward.next()?, onward.next()) {
            (_, Some(_)) => self.after[id.index()],
            (only, None) if depth > DEEP => self.after[only.index()],
            _ => None,
        }
    }
}
