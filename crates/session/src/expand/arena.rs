//! The arena of a global type under construction, filled from the end of the protocol backwards.

use std::collections::{BTreeMap, BTreeSet};

use cost::Formula;
use diag::{Diagnostic, Span};

use crate::global::{Branch, Interaction, Loop, LoopId, Node, NodeId, RoleId};

/// A global type under construction.
pub(crate) struct Arena {
    nodes: Vec<Node>,
    loops: Vec<LoopRecord>,
    /// Loops whose body is under construction, the innermost last.
    open: Vec<LoopId>,
    continues: BTreeMap<NodeId, Span>,
}

struct LoopRecord {
    name: String,
    span: Span,
    iterations: Option<Formula>,
    parent: Option<LoopId>,
    /// Its node, once it is closed; `None` if it was never continued and so is no loop.
    node: Option<NodeId>,
    continued: bool,
    /// Roles of the body. While the loop is open: one entry per participation, not sorted.
    roles: Vec<RoleId>,
}

/// The finished parts.
pub(crate) struct Parts {
    pub(crate) nodes: Vec<Node>,
    pub(crate) loops: Vec<Loop>,
}

impl Arena {
    /// An arena that holds the end of the protocol.
    pub(crate) fn new() -> Self {
        Self { nodes: vec![Node::End], loops: Vec::new(), open: Vec::new(), continues: BTreeMap::new() }
    }

    /// The end of the protocol.
    pub(crate) fn end() -> NodeId {
        NodeId(0)
    }

    /// Number of nodes so far.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    fn push(&mut self, node: Node) -> NodeId {
        let id = NodeId(u32::try_from(self.nodes.len()).expect("expansion is limited far below 2^32 nodes"));
        self.nodes.push(node);
        id
    }

    /// A message, followed by its `next`.
    pub(crate) fn message(&mut self, interaction: Interaction) -> NodeId {
        if let Some(innermost) = self.open.last() {
            self.loops[innermost.index()].roles.extend([interaction.from, interaction.to]);
        }
        self.push(Node::Interaction(Box::new(interaction)))
    }

    /// What stands for a faulty statement: something in the way, so that no further fault follows
    /// from it. The global type is not going to be used.
    pub(crate) fn fault(&mut self) -> NodeId {
        self.push(Node::End)
    }

    /// A choice.
    pub(crate) fn choice(&mut self, at: RoleId, branches: Vec<Branch>, span: Span) -> NodeId {
        if let Some(innermost) = self.open.last() {
            self.loops[innermost.index()].roles.push(at);
        }
        self.push(Node::Choice { at, branches, span })
    }

    /// The first message at or after a node, seen through the heads of loops.
    pub(crate) fn first(&self, mut id: NodeId) -> NodeId {
        while let Node::Loop { body, .. } = self.nodes[id.index()] {
            id = body;
        }
        id
    }

    /// The channels that carry messages.
    pub(crate) fn channels(&self) -> BTreeSet<(RoleId, RoleId)> {
        let interactions = self.nodes.iter().filter_map(|node| match node {
            Node::Interaction(interaction) => Some((interaction.from, interaction.to)),
            _ => None,
        });
        interactions.collect()
    }

    /// Begins a loop. Everything built until [`Arena::close_loop`] is its body.
    pub(crate) fn open_loop(&mut self, name: &str, span: Span, iterations: Option<Formula>) -> LoopId {
        let id = LoopId(u32::try_from(self.loops.len()).expect("expansion is limited far below 2^32 loops"));
        let parent = self.open.last().copied();
        let name = name.to_owned();
        let roles = Vec::new();
        self.loops.push(LoopRecord { name, span, iterations, parent, node: None, continued: false, roles });
        self.open.push(id);
        id
    }

    /// Back to the head of an open loop.
    pub(crate) fn continue_loop(&mut self, id: LoopId, span: Span) -> NodeId {
        self.loops[id.index()].continued = true;
        let node = self.push(Node::Continue(id));
        self.continues.insert(node, span);
        node
    }

    /// Ends the innermost loop. One that is never continued runs once and leaves only its body.
    pub(crate) fn close_loop(&mut self, id: LoopId, body: NodeId, exit: NodeId) -> NodeId {
        let innermost = self.open.pop();
        debug_assert_eq!(innermost, Some(id), "loops close in the reverse order of opening");
        let record = &mut self.loops[id.index()];
        record.roles.sort_unstable();
        record.roles.dedup();
        if let Some(parent) = record.parent {
            let roles =
                if record.continued { record.roles.clone() } else { std::mem::take(&mut record.roles) };
            self.loops[parent.index()].roles.extend(roles);
        }
        if !self.loops[id.index()].continued {
            return body;
        }
        let node = self.push(Node::Loop { id, body, exit });
        self.loops[id.index()].node = Some(node);
        node
    }

    /// Numbers the loops in the order of the text and reports loops that may turn without a message (S107).
    pub(crate) fn finish(mut self, diagnostics: &mut Vec<Diagnostic>) -> Parts {
        self.check_guards(diagnostics);
        let mut order: Vec<(NodeId, usize)> =
            self.loops.iter().enumerate().filter_map(|(index, record)| Some((record.node?, index))).collect();
        order.sort_unstable_by(|a, b| b.cmp(a));
        let mut renumbered = vec![None; self.loops.len()];
        for (new, (_, old)) in order.iter().enumerate() {
            renumbered[*old] = Some(LoopId(u32::try_from(new).expect("loop count fits u32")));
        }
        for node in &mut self.nodes {
            if let Node::Loop { id, .. } | Node::Continue(id) = node {
                *id = renumbered[id.index()].unwrap_or(*id);
            }
        }
        let parents: Vec<Option<LoopId>> =
            order.iter().map(|(_, old)| self.real_parent(*old, &renumbered)).collect();
        let loops = order
            .iter()
            .zip(parents)
            .map(|((node, old), parent)| {
                let record = &mut self.loops[*old];
                Loop {
                    name: std::mem::take(&mut record.name),
                    node: *node,
                    iterations: record.iterations.take(),
                    parent,
                    roles: std::mem::take(&mut record.roles),
                    span: record.span,
                }
            })
            .collect();
        Parts { nodes: self.nodes, loops }
    }

    /// The nearest enclosing loop that is one, by its new number.
    fn real_parent(&self, of: usize, renumbered: &[Option<LoopId>]) -> Option<LoopId> {
        let mut parent = self.loops[of].parent;
        while let Some(id) = parent {
            if let Some(new) = renumbered[id.index()] {
                return Some(new);
            }
            parent = self.loops[id.index()].parent;
        }
        None
    }

    fn check_guards(&self, diagnostics: &mut Vec<Diagnostic>) {
        // Per node: the `continue`s that can be reached from it without a message. Kept only where there are any.
        let mut reached: BTreeMap<NodeId, BTreeMap<LoopId, NodeId>> = BTreeMap::new();
        for (index, node) in self.nodes.iter().enumerate() {
            let id = NodeId(u32::try_from(index).expect("node count fits u32"));
            let mut set = BTreeMap::new();
            match node {
                Node::End | Node::Interaction(_) => continue,
                Node::Continue(target) => {
                    set.insert(*target, id);
                }
                Node::Choice { branches, .. } => {
                    branches
                        .iter()
                        .filter_map(|branch| reached.get(&branch.first))
                        .for_each(|s| set.extend(s));
                }
                Node::Loop { id: own, body, .. } => {
                    set.extend(reached.get(body).into_iter().flatten());
                    if let Some(back) = set.remove(own) {
                        diagnostics.push(self.unguarded(*own, back));
                    }
                }
            }
            if !set.is_empty() {
                reached.insert(id, set);
            }
        }
    }

    fn unguarded(&self, id: LoopId, back: NodeId) -> Diagnostic {
        let record = &self.loops[id.index()];
        let span = self.continues.get(&back).copied().unwrap_or_default();
        Diagnostic::error("S107", format!("the loop `{}` can turn for ever without a message", record.name))
            .at(span, "back to the head, and nothing was sent")
            .at(record.span, "the loop begins here")
            .help("every way from the head of a loop to its `continue` must pass a message")
    }
}
