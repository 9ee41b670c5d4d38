//! Projection of a global type onto one role.

use std::collections::BTreeMap;

use diag::Diagnostic;

use super::choice::openings;
use super::merge::{Merger, Unmergeable};
use crate::global::{GlobalType, Interaction, Node, NodeId, Phase, RoleId};
use crate::local::{Action, LocalState, LocalType, StateId};

/// Where each role acts, and where straight runs of interactions end, so that projecting a role costs
/// time for its own steps only.
///
/// A run is a stretch of neighbours in the arena, each the continuation of the one above it: what
/// comes later in a run has a smaller index.
pub(super) struct Chains {
    /// For each interaction the number of its run.
    run: Vec<u32>,
    /// For each interaction the node that follows its run.
    run_end: Vec<NodeId>,
    /// For each role the interactions in which it acts, ascending.
    acts: Vec<Vec<NodeId>>,
    /// Nodes other than interactions, ascending.
    control: Vec<NodeId>,
}

impl Chains {
    pub(super) fn new(global: &GlobalType) -> Self {
        let count = global.nodes.len();
        let mut chains = Self {
            run: Vec::with_capacity(count),
            run_end: Vec::with_capacity(count),
            acts: vec![Vec::new(); global.roles.len()],
            control: Vec::new(),
        };
        for (index, node) in global.nodes.iter().enumerate() {
            let id = NodeId(u32::try_from(index).expect("node count fits u32"));
            chains.add(global, id, node);
        }
        chains
    }

    fn add(&mut self, global: &GlobalType, id: NodeId, node: &Node) {
        let Node::Interaction(interaction) = node else {
            self.control.push(id);
            self.run.push(id.0);
            self.run_end.push(id);
            return;
        };
        let next = interaction.next;
        let runs_on = next.0 + 1 == id.0 && matches!(global.node(next), Node::Interaction(_));
        self.run.push(if runs_on { self.run[next.index()] } else { id.0 });
        self.run_end.push(if runs_on { self.run_end[next.index()] } else { next });
        for role in acting_roles(interaction) {
            self.acts[role.index()].push(id);
        }
    }

    /// The role's first act from `node` on in its run, or the node after the run.
    fn next_act(&self, role: RoleId, node: NodeId) -> NodeId {
        let acts = &self.acts[role.index()];
        let candidate = acts[..acts.partition_point(|act| *act <= node)].last();
        match candidate {
            Some(act) if self.run[act.index()] == self.run[node.index()] => *act,
            _ => self.run_end[node.index()],
        }
    }

    /// Whether the role acts in the text of a loop's body, whose nodes lie between exit and head.
    fn acts_between(&self, role: RoleId, exit: NodeId, head: NodeId) -> bool {
        let acts = &self.acts[role.index()];
        acts.get(acts.partition_point(|act| *act <= exit)).is_some_and(|act| *act < head)
    }
}

fn acting_roles(interaction: &Interaction) -> impl Iterator<Item = RoleId> {
    let sender = (interaction.phase != Phase::Receive).then_some(interaction.from);
    let receiver = (interaction.phase != Phase::Send
        && (interaction.to != interaction.from || sender.is_none()))
    .then_some(interaction.to);
    sender.into_iter().chain(receiver)
}

/// The projection onto one role, built from the end of the text to its start.
pub(super) fn project_role(
    global: &GlobalType,
    chains: &Chains,
    role: RoleId,
) -> (LocalType, Vec<Diagnostic>) {
    let mut projection = Projection {
        global,
        chains,
        role,
        merger: Merger::default(),
        states: BTreeMap::new(),
        conflicts: Vec::new(),
    };
    for node in ascending(&chains.control, &chains.acts[role.index()]) {
        let state = projection.node(node);
        projection.states.insert(node, state);
    }
    let root = projection.at(global.root);
    let local = LocalType { role, states: projection.merger.states, root };
    (local, projection.conflicts.into_iter().map(|(_, diagnostic)| diagnostic).collect())
}

/// Two ascending lists as one.
fn ascending<'a>(a: &'a [NodeId], b: &'a [NodeId]) -> impl Iterator<Item = NodeId> + 'a {
    let (mut i, mut j) = (0, 0);
    std::iter::from_fn(move || {
        let from_a = match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) => x < y,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (None, None) => return None,
        };
        let (list, at) = if from_a { (a, &mut i) } else { (b, &mut j) };
        *at += 1;
        Some(list[*at - 1])
    })
}

struct Projection<'a> {
    global: &'a GlobalType,
    chains: &'a Chains,
    role: RoleId,
    merger: Merger,
    states: BTreeMap<NodeId, StateId>,
    /// What could not be merged, with the choice at which it happened.
    conflicts: Vec<(NodeId, Diagnostic)>,
}

impl Projection<'_> {
    /// The state of this role when the protocol stands at `node`.
    fn at(&self, mut node: NodeId) -> StateId {
        while let Node::Interaction(_) = self.global.node(node) {
            if let Some(state) = self.states.get(&node) {
                return *state;
            }
            node = self.chains.next_act(self.role, node);
        }
        self.states[&node]
    }

    fn node(&mut self, node: NodeId) -> StateId {
        match self.global.node(node) {
            Node::End => self.merger.add(LocalState::End),
            Node::Continue(id) => self.merger.add(LocalState::Continue(*id)),
            Node::Interaction(interaction) => self.interaction(node, interaction),
            Node::Choice { at, branches, .. } if *at == self.role => {
                let openings: Vec<NodeId> =
                    branches.iter().flat_map(|branch| openings(self.global, *at, branch.first)).collect();
                let actions = openings.into_iter().flat_map(|opening| self.sends_at(opening)).collect();
                self.merger.add(LocalState::Send(actions))
            }
            Node::Choice { branches, .. } => self.merge(node, branches),
            Node::Loop { id, body, exit } => {
                let outside = *exit;
                let takes_part = self.chains.acts_between(self.role, outside, node);
                let (body, exit) = (self.at(*body), self.at(*exit));
                let guarded =
                    !matches!(self.merger.states[body.index()], LocalState::End | LocalState::Continue(_));
                if takes_part && guarded {
                    self.merger.add(LocalState::Loop { id: *id, body, exit })
                } else {
                    // The role does not see this loop, so what its branches differ in is not its concern.
                    self.conflicts.retain(|(at, _)| *at <= outside || *at > node);
                    exit
                }
            }
        }
    }

    fn sends_at(&self, opening: NodeId) -> Vec<Action> {
        match &self.merger.states[self.at(opening).index()] {
            LocalState::Send(actions) => actions.clone(),
            other => panic!("an announced choice starts with a send, not {other:?}"),
        }
    }

    fn interaction(&mut self, origin: NodeId, interaction: &Interaction) -> StateId {
        let mut next = self.at(interaction.next);
        let action = |peer: RoleId, compute: &Option<cost::Formula>, next: StateId| Action {
            peer,
            label: interaction.label.clone(),
            payload: interaction.payload.clone(),
            size: interaction.size.clone(),
            compute: compute.clone(),
            origin,
            next,
        };
        if interaction.to == self.role && interaction.phase != Phase::Send {
            let receive = action(interaction.from, &interaction.cost, next);
            next = self.merger.add(LocalState::Receive(vec![receive]));
        }
        if interaction.from == self.role && interaction.phase != Phase::Receive {
            let send = action(interaction.to, &interaction.pre, next);
            next = self.merger.add(LocalState::Send(vec![send]));
        }
        next
    }

    fn merge(&mut self, node: NodeId, branches: &[crate::global::Branch]) -> StateId {
        let mut merged = self.at(branches[0].first);
        for branch in &branches[1..] {
            let other = self.at(branch.first);
            match self.merger.merge(merged, other) {
                Ok(state) => merged = state,
                Err(conflict) => {
                    self.report(node, &conflict);
                    break;
                }
            }
        }
        merged
    }

    fn report(&mut self, node: NodeId, conflict: &Unmergeable) {
        let Node::Choice { at, span, .. } = self.global.node(node) else { return };
        let (role, chooser) = (self.global.role_name(self.role), self.global.role_name(*at));
        let mut diagnostic = Diagnostic::error(
            "S201",
            format!("`{role}` cannot tell which branch of the choice at `{chooser}` was taken"),
        )
        .at(*span, conflict.reason.clone());
        for (state, which) in [(conflict.left, "one"), (conflict.right, "another")] {
            let what = self.describe(state);
            match self.origin(state) {
                Some(span) => diagnostic = diagnostic.at(span, format!("in {which} branch `{role}` {what}")),
                None => diagnostic = diagnostic.help(format!("in {which} branch `{role}` {what}")),
            }
        }
        let cure = format!(
            "let a message to `{role}` come first in every branch, from the same role and with a label of its own"
        );
        self.conflicts.push((node, diagnostic.help(cure)));
    }

    fn origin(&self, state: StateId) -> Option<diag::Span> {
        let (LocalState::Send(actions) | LocalState::Receive(actions)) = &self.merger.states[state.index()]
        else {
            return None;
        };
        Some(self.global.interaction(actions[0].origin).span)
    }

    fn describe(&self, state: StateId) -> String {
        match &self.merger.states[state.index()] {
            LocalState::End => "has nothing more to do".to_owned(),
            LocalState::Continue(id) => format!("goes back to `{}`", self.global.loops[id.index()].name),
            LocalState::Loop { id, .. } => {
                format!("enters the loop `{}`", self.global.loops[id.index()].name)
            }
            LocalState::Send(actions) => {
                format!("sends `{}` to `{}`", actions[0].label, self.global.role_name(actions[0].peer))
            }
            LocalState::Receive(actions) => {
                format!("waits for `{}` from `{}`", actions[0].label, self.global.role_name(actions[0].peer))
            }
        }
    }
}
