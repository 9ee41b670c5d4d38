//! The predicted course of one run: the plan executed on clocks (Definition 4.1).
//!
//! A second method beside the global semantics: it follows the local machines and the decisions of a
//! plan, as the rig does, and so predicts the very run that is measured. The order in which the
//! machines are advanced does not matter, since every receive waits for one channel only (Kahn 1974).

use std::collections::{BTreeMap, VecDeque};

use cost::Estimate;

use super::{Plan, PlanState};
use crate::analysis::charges::Charges;
use crate::global::{LoopId, NodeId};

/// What a role does during a span of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Activity {
    /// Computing.
    Compute,
    /// Handing a message to the transport.
    Send,
    /// Waiting for a message or for a free slot.
    Wait,
    /// Taking a message from the transport.
    Receive,
}

/// A span of time in the life of a role, in the unit of the prices.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The role, as an index into the plan.
    pub role: usize,
    /// What it does.
    pub activity: Activity,
    /// From when, for mean costs.
    pub start: f64,
    /// Until when, for mean costs.
    pub end: f64,
    /// The interaction.
    pub origin: NodeId,
}

/// The predicted course of one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// When each role is done.
    pub roles: Vec<Estimate>,
    /// When the last role is done.
    pub completion: Estimate,
    /// For each role when it passed the head of its outermost loop, for mean costs, in order.
    pub passes: Vec<Vec<f64>>,
    /// The first events of the run, by role and time; as many as were asked for.
    pub events: Vec<Event>,
}

/// Why a plan came to a stop: each role that is not done with the peer it waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlock {
    /// Pairs of a waiting role and the role that it waits for.
    pub waiting: Vec<(usize, usize)>,
}

/// Executes a plan on clocks. `prices` belong to `charges`; at most `events` events are kept per role.
///
/// # Errors
/// The roles that wait for each other, if the machines do not fit together (never for the plan of a
/// well-formed protocol).
pub fn trace(plan: &Plan, charges: &Charges, prices: &[Estimate], events: usize) -> Result<Trace, Deadlock> {
    let mut run = Run::new(plan, charges, prices, events);
    let mut runnable: VecDeque<usize> = (0..plan.roles.len()).collect();
    while let Some(role) = runnable.pop_front() {
        run.advance(role, &mut runnable);
    }
    run.finish()
}

struct Role {
    state: usize,
    clock: Estimate,
    /// Pass of each loop that is running, from 1.
    passes: BTreeMap<LoopId, u64>,
    /// State at which each loop that is running was entered.
    heads: BTreeMap<LoopId, usize>,
    decisions: usize,
    /// The peer that it waits for.
    waits: Option<usize>,
    done: bool,
}

struct Run<'a> {
    plan: &'a Plan,
    charges: &'a Charges,
    prices: &'a [Estimate],
    limit: usize,
    roles: Vec<Role>,
    queues: BTreeMap<(usize, usize), VecDeque<(u8, Estimate)>>,
    slots: BTreeMap<(usize, usize), VecDeque<Estimate>>,
    passes: Vec<Vec<f64>>,
    events: Vec<Vec<Event>>,
}

impl<'a> Run<'a> {
    fn new(plan: &'a Plan, charges: &'a Charges, prices: &'a [Estimate], limit: usize) -> Self {
        let roles = plan.roles.iter().map(|role| Role {
            state: role.start,
            clock: Estimate::default(),
            passes: BTreeMap::new(),
            heads: BTreeMap::new(),
            decisions: 0,
            waits: None,
            done: false,
        });
        let bounded = plan.channels.iter().filter_map(|channel| {
            let free = vec![Estimate::default(); channel.capacity? as usize];
            Some(((channel.from, channel.to), VecDeque::from(free)))
        });
        Self {
            plan,
            charges,
            prices,
            limit,
            roles: roles.collect(),
            queues: BTreeMap::new(),
            slots: bounded.collect(),
            passes: vec![Vec::new(); plan.roles.len()],
            events: vec![Vec::new(); plan.roles.len()],
        }
    }

    /// Lets a role go on until it waits or is done; roles that can go on because of it are queued.
    fn advance(&mut self, role: usize, runnable: &mut VecDeque<usize>) {
        let plan = self.plan;
        self.roles[role].waits = None;
        loop {
            let next = match &plan.roles[role].states[self.roles[role].state] {
                PlanState::End => {
                    self.roles[role].done = true;
                    return;
                }
                PlanState::Loop { id, iterations, body, exit, outermost } => {
                    if *outermost {
                        self.pass(role);
                    }
                    let head = self.roles[role].state;
                    self.roles[role].passes.insert(*id, 1);
                    self.roles[role].heads.insert(*id, head);
                    if *iterations > 0 { *body } else { *exit }
                }
                PlanState::Continue(id) => self.next_pass(role, *id),
                PlanState::Send(_) => match self.send(role, runnable) {
                    Some(next) => next,
                    None => return,
                },
                PlanState::Receive { .. } => match self.receive(role, runnable) {
                    Some(next) => next,
                    None => return,
                },
            };
            self.roles[role].state = next;
        }
    }

    fn pass(&mut self, role: usize) {
        self.passes[role].push(self.roles[role].clock.mean);
    }

    fn next_pass(&mut self, role: usize, id: LoopId) -> usize {
        let head = &self.plan.roles[role].states[self.roles[role].heads[&id]];
        let PlanState::Loop { iterations, body, exit, outermost, .. } = head else {
            panic!("only loop heads are remembered")
        };
        if *outermost {
            self.pass(role);
        }
        let pass = self.roles[role].passes.entry(id).or_insert(1);
        if *pass < *iterations {
            *pass += 1;
            *body
        } else {
            *exit
        }
    }

    fn spend(&mut self, role: usize, activity: Activity, charge: Option<u32>, origin: NodeId) {
        let Some(charge) = charge else { return };
        let start = self.roles[role].clock;
        self.roles[role].clock = start + self.prices[charge as usize];
        self.record(role, activity, start.mean, origin);
    }

    fn wait_until(&mut self, role: usize, time: Estimate, origin: NodeId) {
        let start = self.roles[role].clock;
        self.roles[role].clock = start.zip(time, f64::max);
        self.record(role, Activity::Wait, start.mean, origin);
    }

    /// Records what the role did from `start` until now.
    fn record(&mut self, role: usize, activity: Activity, start: f64, origin: NodeId) {
        let end = self.roles[role].clock.mean;
        if end > start && self.events[role].len() < self.limit {
            self.events[role].push(Event { role, activity, start, end, origin });
        }
    }

    fn send(&mut self, role: usize, runnable: &mut VecDeque<usize>) -> Option<usize> {
        let plan = self.plan;
        let PlanState::Send(outputs) = &plan.roles[role].states[self.roles[role].state] else {
            panic!("called at a send state")
        };
        let choice = match outputs.as_slice() {
            [_] => 0,
            _ => {
                plan.roles[role].decisions.get(self.roles[role].decisions).map_or(0, |index| *index as usize)
            }
        };
        let output = &outputs[choice];
        let channel = (role, output.to);
        if self.slots.get(&channel).is_some_and(VecDeque::is_empty) {
            self.roles[role].waits = Some(output.to);
            return None;
        }
        if outputs.len() > 1 {
            self.roles[role].decisions += 1;
        }
        let steps = self.charges.steps(output.origin);
        self.spend(role, Activity::Compute, steps.pre, output.origin);
        if let Some(free) = self.slots.get_mut(&channel).and_then(VecDeque::pop_front) {
            self.wait_until(role, free, output.origin);
        }
        self.spend(role, Activity::Send, steps.send, output.origin);
        let edge = [steps.latency, steps.wake].into_iter().flatten();
        let arrival = edge.fold(self.roles[role].clock, |time, charge| time + self.prices[charge as usize]);
        self.queues.entry(channel).or_default().push_back((output.tag, arrival));
        if self.roles[output.to].waits == Some(role) {
            runnable.push_back(output.to);
        }
        Some(output.next)
    }

    fn receive(&mut self, role: usize, runnable: &mut VecDeque<usize>) -> Option<usize> {
        let plan = self.plan;
        let PlanState::Receive { from, inputs } = &plan.roles[role].states[self.roles[role].state] else {
            panic!("called at a receive state")
        };
        let channel = (*from, role);
        let Some((tag, arrival)) = self.queues.get_mut(&channel).and_then(VecDeque::pop_front) else {
            self.roles[role].waits = Some(*from);
            return None;
        };
        let input = inputs.iter().find(|input| input.tag == tag)?;
        let steps = self.charges.steps(input.origin);
        self.wait_until(role, arrival, input.origin);
        self.spend(role, Activity::Receive, steps.receive, input.origin);
        if let Some(slots) = self.slots.get_mut(&channel) {
            slots.push_back(self.roles[role].clock);
            if self.roles[*from].waits == Some(role) {
                runnable.push_back(*from);
            }
        }
        self.spend(role, Activity::Compute, steps.compute, input.origin);
        Some(input.next)
    }

    fn finish(self) -> Result<Trace, Deadlock> {
        let stuck: Vec<(usize, usize)> = (0..self.roles.len())
            .filter(|role| !self.roles[*role].done)
            .map(|role| (role, self.roles[role].waits.unwrap_or(role)))
            .collect();
        if !stuck.is_empty() {
            return Err(Deadlock { waiting: stuck });
        }
        let roles: Vec<Estimate> = self.roles.iter().map(|role| role.clock).collect();
        let completion = roles.iter().copied().reduce(|a, b| a.zip(b, f64::max)).unwrap_or_default();
        Ok(Trace { roles, completion, passes: self.passes, events: self.events.concat() })
    }
}
