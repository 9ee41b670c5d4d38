//! The cost semantics: one walk over the global type that moves clocks (Definition 4.5 of the paper,
//! with the queues of Definition 4.1 carried from one iteration to the next).
//!
//! The walk is generic over the [`Domain`] of times. Nodes are visited in topological order and
//! states that meet are joined by the pointwise maximum, which is exact because every step is
//! max-plus linear; so the work is linear in the text, however many paths there are.

use std::collections::BTreeMap;

use super::charges::{Charges, Steps};
use super::clocks::{Clocks, Domain, Pair};
use crate::global::{GlobalType, Interaction, LoopId, Node, NodeId, Phase};

/// A protocol with its charges and loop bounds, ready to be walked.
pub struct Machine<'a> {
    /// The protocol.
    pub global: &'a GlobalType,
    /// Its charges.
    pub charges: &'a Charges,
    /// How many times the body of each loop runs.
    pub iterations: Vec<u64>,
}

impl Machine<'_> {
    /// Runs the whole protocol from `start`; the state in which it ends.
    ///
    /// The protocol must have passed the check of messages in flight.
    pub fn run<D: Domain>(&self, domain: &mut D, start: Clocks<D::Time>) -> Clocks<D::Time> {
        let mut walk = Walk::new(self, domain);
        walk.arrive(self.global.root, start);
        walk.drain(None);
        walk.ended.expect("every run with bounded loops ends")
    }

    /// Runs the body of a loop once; the state at its `continue`s, `None` if no path continues.
    pub fn body<D: Domain>(
        &self,
        domain: &mut D,
        id: LoopId,
        head: Clocks<D::Time>,
    ) -> Option<Clocks<D::Time>> {
        let Node::Loop { body, exit, .. } = *self.global.node(self.global.loops[id.index()].node) else {
            panic!("a loop's node is a loop")
        };
        let mut walk = Walk::new(self, domain);
        walk.arrive(body, head);
        walk.drain(Some(exit));
        walk.returning.remove(&id)
    }

    /// The state at the first arrival at the head of a loop; `None` if it cannot be reached.
    pub fn head<D: Domain>(
        &self,
        domain: &mut D,
        id: LoopId,
        start: Clocks<D::Time>,
    ) -> Option<Clocks<D::Time>> {
        let mut walk = Walk::new(self, domain);
        walk.watched = Some(id);
        walk.arrive(self.global.root, start);
        walk.drain(None);
        walk.seen
    }
}

struct Walk<'a, D: Domain> {
    machine: &'a Machine<'a>,
    domain: &'a mut D,
    /// States that wait at nodes; larger ids come first in the text.
    pending: BTreeMap<NodeId, Clocks<D::Time>>,
    /// States at the `continue`s of loops that are being walked.
    returning: BTreeMap<LoopId, Clocks<D::Time>>,
    ended: Option<Clocks<D::Time>>,
    watched: Option<LoopId>,
    seen: Option<Clocks<D::Time>>,
}

impl<'a, D: Domain> Walk<'a, D> {
    fn new(machine: &'a Machine<'a>, domain: &'a mut D) -> Self {
        Self {
            machine,
            domain,
            pending: BTreeMap::new(),
            returning: BTreeMap::new(),
            ended: None,
            watched: None,
            seen: None,
        }
    }

    fn arrive(&mut self, node: NodeId, clocks: Clocks<D::Time>) {
        match self.pending.get_mut(&node) {
            Some(known) => known.join(clocks, &mut |a, b| self.domain.later(a, b)),
            None => {
                self.pending.insert(node, clocks);
            }
        }
    }

    /// Visits all pending nodes above `floor`, in order of the text.
    fn drain(&mut self, floor: Option<NodeId>) {
        while let Some(entry) = self.pending.last_entry() {
            if floor.is_some_and(|floor| *entry.key() <= floor) {
                break;
            }
            let (node, clocks) = entry.remove_entry();
            self.visit(node, clocks, floor);
        }
    }

    fn visit(&mut self, mut node: NodeId, mut clocks: Clocks<D::Time>, floor: Option<NodeId>) {
        let machine = self.machine;
        // A straight run of interactions is walked on the spot while nothing else waits.
        while let Node::Interaction(interaction) = machine.global.node(node) {
            self.interact(node, interaction, &mut clocks);
            node = interaction.next;
            let alone = self.pending.is_empty() && floor.is_none_or(|floor| node > floor);
            if !alone {
                return self.arrive(node, clocks);
            }
        }
        match machine.global.node(node) {
            Node::Interaction(_) => unreachable!("interactions are walked above"),
            Node::End => match &mut self.ended {
                Some(known) => known.join(clocks, &mut |a, b| self.domain.later(a, b)),
                None => self.ended = Some(clocks),
            },
            Node::Choice { branches, .. } => {
                for branch in branches {
                    self.arrive(branch.first, clocks.clone());
                }
            }
            Node::Loop { id, body, exit } => self.repeat(*id, *body, *exit, clocks),
            Node::Continue(id) => match self.returning.get_mut(id) {
                Some(known) => known.join(clocks, &mut |a, b| self.domain.later(a, b)),
                None => {
                    self.returning.insert(*id, clocks);
                }
            },
        }
    }

    fn repeat(&mut self, id: LoopId, body: NodeId, exit: NodeId, mut head: Clocks<D::Time>) {
        if self.watched == Some(id) && self.seen.is_none() {
            self.seen = Some(head.clone());
        }
        for _ in 0..self.machine.iterations[id.index()] {
            self.arrive(body, head);
            self.drain(Some(exit));
            match self.returning.remove(&id) {
                Some(next) => head = next,
                None => return,
            }
        }
        self.arrive(exit, head);
    }

    fn interact(&mut self, site: NodeId, interaction: &Interaction, clocks: &mut Clocks<D::Time>) {
        let steps = self.machine.charges.steps(site);
        let channel = (interaction.from, interaction.to);
        match interaction.phase {
            Phase::Whole => {
                let arrival = self.send(channel, steps, clocks);
                self.receive(channel, steps, arrival, clocks);
            }
            Phase::Send => {
                let arrival = self.send(channel, steps, clocks);
                clocks.enqueue(channel, arrival);
            }
            Phase::Receive => {
                let arrival = clocks.dequeue(channel).expect("a message is in flight (checked before)");
                self.receive(channel, steps, arrival, clocks);
            }
        }
    }

    /// The sender computes, waits for a free slot and sends; gives the time of arrival.
    fn send(&mut self, channel: Pair, steps: Steps, clocks: &mut Clocks<D::Time>) -> D::Time {
        let mut time = self.charge(clocks.role(channel.0).clone(), [steps.pre]);
        if let Some(slots) = clocks.slots.get_mut(&channel) {
            let free = slots.pop_front().expect("a slot is free (checked before)");
            time = self.domain.later(&time, &free);
        }
        time = self.charge(time, [steps.send]);
        clocks.set_role(channel.0, time.clone());
        self.charge(time, [steps.latency, steps.wake])
    }

    /// The receiver waits for the message, takes it (which frees its slot) and computes.
    fn receive(&mut self, channel: Pair, steps: Steps, arrival: D::Time, clocks: &mut Clocks<D::Time>) {
        let ready = self.domain.later(clocks.role(channel.1), &arrival);
        let taken = self.charge(ready, [steps.receive]);
        if let Some(slots) = clocks.slots.get_mut(&channel) {
            slots.push_back(taken.clone());
        }
        let done = self.charge(taken, [steps.compute]);
        clocks.set_role(channel.1, done);
    }

    fn charge<const N: usize>(&mut self, time: D::Time, charges: [Option<u32>; N]) -> D::Time {
        charges.into_iter().flatten().fold(time, |time, charge| self.domain.after(time, charge))
    }
}
