//! How many interactions of one iteration each role takes part in (for Definition 5.4).

use std::collections::BTreeMap;

use super::machine::Machine;
use crate::global::{Interaction, LoopId, Node, NodeId, Phase, RoleId};

/// Interactions by role; roles that take part in none are absent.
type Counts = BTreeMap<RoleId, u64>;

/// For each role the interactions of one iteration of a loop in which it takes part: the most over
/// the branches that continue the loop, inner loops as often as they run.
pub(super) fn interactions_per_iteration(machine: &Machine, id: LoopId) -> Vec<u64> {
    let Node::Loop { body, exit, .. } = *machine.global.node(machine.global.loops[id.index()].node) else {
        panic!("a loop's node is a loop")
    };
    let mut walk = Walk { machine, pending: BTreeMap::new(), returning: BTreeMap::new() };
    walk.pending.insert(body, Counts::new());
    walk.drain(exit);
    let counts = walk.returning.remove(&id).unwrap_or_default();
    machine.global.role_ids().map(|role| counts.get(&role).copied().unwrap_or(0)).collect()
}

struct Walk<'a> {
    machine: &'a Machine<'a>,
    pending: BTreeMap<NodeId, Counts>,
    returning: BTreeMap<LoopId, Counts>,
}

impl Walk<'_> {
    /// Visits all pending nodes above `floor`, in order of the text.
    fn drain(&mut self, floor: NodeId) {
        while let Some(entry) = self.pending.last_entry() {
            if *entry.key() <= floor {
                break;
            }
            let (node, counts) = entry.remove_entry();
            self.visit(node, counts);
        }
    }

    fn visit(&mut self, node: NodeId, mut counts: Counts) {
        match self.machine.global.node(node) {
            Node::End => {}
            Node::Continue(id) => merge(self.returning.entry(*id).or_default(), counts),
            Node::Choice { branches, .. } => {
                for branch in branches {
                    merge(self.pending.entry(branch.first).or_default(), counts.clone());
                }
            }
            Node::Interaction(interaction) => {
                for role in acting(interaction) {
                    *counts.entry(role).or_default() += 1;
                }
                merge(self.pending.entry(interaction.next).or_default(), counts);
            }
            Node::Loop { id, body, exit } => self.inner(*id, *body, *exit, &counts),
        }
    }

    /// All iterations of an inner loop but the last go round; the last one leaves wherever it can.
    fn inner(&mut self, id: LoopId, body: NodeId, exit: NodeId, before: &Counts) {
        let mut nested = Walk { machine: self.machine, pending: BTreeMap::new(), returning: BTreeMap::new() };
        nested.pending.insert(body, Counts::new());
        nested.drain(exit);
        let once = nested.returning.remove(&id);
        let rounds = self.machine.iterations[id.index()].saturating_sub(1);
        let offset = plus(before, once.as_ref().unwrap_or(&Counts::new()), rounds);
        if let Some(once) = once {
            merge(self.pending.entry(exit).or_default(), plus(&offset, &once, 1));
        }
        for (node, counts) in nested.pending {
            merge(self.pending.entry(node).or_default(), plus(&offset, &counts, 1));
        }
        for (outer, counts) in nested.returning {
            merge(self.returning.entry(outer).or_default(), plus(&offset, &counts, 1));
        }
    }
}

fn plus(a: &Counts, b: &Counts, times: u64) -> Counts {
    let mut sum = a.clone();
    for (role, count) in b {
        *sum.entry(*role).or_default() += count * times;
    }
    sum
}

/// The larger count of each role.
fn merge(into: &mut Counts, other: Counts) {
    if into.is_empty() {
        *into = other;
        return;
    }
    for (role, count) in other {
        let known = into.entry(role).or_default();
        *known = (*known).max(count);
    }
}

/// The roles that act in an interaction: both in a whole message, one in a half.
fn acting(interaction: &Interaction) -> impl Iterator<Item = RoleId> {
    let sends = interaction.phase != Phase::Receive;
    let receives = interaction.phase != Phase::Send && !(sends && interaction.from == interaction.to);
    sends.then_some(interaction.from).into_iter().chain(receives.then_some(interaction.to))
}
