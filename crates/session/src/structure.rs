//! Where the ways of a choice meet again: from the graph back to blocks.

use std::collections::BinaryHeap;

use crate::global::{Branch, GlobalType, Node, NodeId};

/// Per choice, the first node that all its ways come to, those left aside that go back to a loop's
/// head before it.
pub(crate) struct Joins<'a> {
    global: &'a GlobalType,
    /// Per node: the next one that all ways out of it pass; `None` at an end or where they part for good.
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
                Node::Choice { branches, .. } => joins.meet(branches),
            };
            joins.after.push(after);
        }
        joins
    }

    /// Follows all ways downwards, always the one that is furthest up, until they are one.
    fn meet(&self, branches: &[Branch]) -> Option<NodeId> {
        let mut ways: BinaryHeap<NodeId> = branches.iter().map(|branch| branch.first).collect();
        loop {
            let highest = ways.pop()?;
            while ways.peek() == Some(&highest) {
                ways.pop();
            }
            if ways.is_empty() {
                return Some(highest);
            }
            match self.after[highest.index()] {
                Some(next) => ways.push(next),
                // A way that goes back above all the others is left aside.
                None if matches!(self.global.node(highest), Node::Continue(_)) => {}
                None => return None,
            }
        }
    }

    /// What follows a choice once its ways have met; `None` if they never do.
    ///
    /// If just one way leads on and it is not known how much of it belongs to the branch, all of it
    /// does. Only where the text is too deep already its first message alone does, so that a long
    /// sequence of such choices does not nest without end.
    pub(crate) fn after_choice(&self, id: NodeId, is_deep: bool) -> Option<NodeId> {
        let join = self.after[id.index()]?;
        let Node::Choice { branches, .. } = self.global.node(id) else { return Some(join) };
        let leads_there = |branch: &&Branch| branch.first == join || self.passes(branch.first, join);
        let is_whole_branch = branches.iter().any(|branch| branch.first == join);
        if !is_whole_branch || branches.iter().filter(leads_there).count() > 1 {
            return Some(join);
        }
        self.after[join.index()].filter(|_| is_deep)
    }

    /// Whether the ways from a node come to another one.
    fn passes(&self, mut id: NodeId, join: NodeId) -> bool {
        while id > join {
            match self.after[id.index()] {
                Some(next) => id = next,
                None => return false,
            }
        }
        id == join
    }
}
