//! Plans built by hand, without the text of a protocol.
#![allow(dead_code, reason = "each test file uses its own part of this")]

use std::collections::BTreeMap;
use std::time::Duration;

use rig::{RunOptions, Transport};
use session::global::{LoopId, NodeId};
use session::plan::{Channel, Input, Output, Plan, PlanState, RolePlan};

/// What a role does: a tree from which its machine is made. Labels go on the wire as their first letter.
#[derive(Debug, Clone)]
pub(crate) enum Do {
    /// Computes for some seconds, then sends a message of some bytes to a role.
    Send(usize, &'static str, usize, f64),
    /// Receives a message of some bytes from a role, then computes for some seconds.
    Receive(usize, &'static str, usize, f64),
    /// Does something several times.
    Repeat(u64, Vec<Do>),
    /// Sends one of several messages to a role, as the decisions say, and goes on accordingly.
    Choose(usize, Vec<(&'static str, usize, Vec<Do>)>),
    /// Receives one of several messages from a role and goes on accordingly.
    Offer(usize, Vec<(&'static str, usize, Vec<Do>)>),
}

/// A machine in the making. States are made from the last to the first, as each names its successor.
struct Machine {
    states: Vec<PlanState>,
    loops: u32,
    nodes: u32,
}

impl Machine {
    fn push(&mut self, state: PlanState) -> usize {
        self.states.push(state);
        self.states.len() - 1
    }

    fn node(&mut self) -> NodeId {
        self.nodes += 1;
        NodeId(self.nodes)
    }

    fn output(&mut self, to: usize, label: &str, bytes: usize, compute: f64, next: usize) -> Output {
        let (tag, origin) = (label.as_bytes()[0], self.node());
        Output { to, tag, label: label.to_owned(), bytes, compute, origin, next }
    }

    fn input(&mut self, label: &str, bytes: usize, compute: f64, next: usize) -> Input {
        let (tag, origin) = (label.as_bytes()[0], self.node());
        Input { tag, label: label.to_owned(), bytes, compute, origin, next }
    }

    fn sequence(&mut self, actions: &[Do], depth: u32, next: usize) -> usize {
        actions.iter().rev().fold(next, |next, action| self.action(action, depth, next))
    }

    fn action(&mut self, action: &Do, depth: u32, next: usize) -> usize {
        match action {
            Do::Send(to, label, bytes, compute) => {
                let output = self.output(*to, label, *bytes, *compute, next);
                self.push(PlanState::Send(vec![output]))
            }
            Do::Receive(from, label, bytes, compute) => {
                let inputs = vec![self.input(label, *bytes, *compute, next)];
                self.push(PlanState::Receive { from: *from, inputs })
            }
            Do::Repeat(iterations, body) => {
                let id = LoopId(self.loops);
                self.loops += 1;
                let again = self.push(PlanState::Continue(id));
                let body = self.sequence(body, depth + 1, again);
                let (iterations, outermost) = (*iterations, depth == 0);
                self.push(PlanState::Loop { id, iterations, body, exit: next, outermost })
            }
            Do::Choose(to, branches) => {
                let mut outputs = Vec::new();
                for (label, bytes, rest) in branches {
                    let next = self.sequence(rest, depth, next);
                    outputs.push(self.output(*to, label, *bytes, 0.0, next));
                }
                self.push(PlanState::Send(outputs))
            }
            Do::Offer(from, branches) => {
                let mut inputs = Vec::new();
                for (label, bytes, rest) in branches {
                    let next = self.sequence(rest, depth, next);
                    inputs.push(self.input(label, *bytes, 0.0, next));
                }
                self.push(PlanState::Receive { from: *from, inputs })
            }
        }
    }
}

/// The machine of a role.
pub(crate) fn role(name: &str, decisions: &[u32], actions: &[Do]) -> RolePlan {
    let mut machine = Machine { states: vec![PlanState::End], loops: 0, nodes: 0 };
    let start = machine.sequence(actions, 0, 0);
    RolePlan { name: name.to_owned(), states: machine.states, start, decisions: decisions.to_vec() }
}

/// A plan of some roles; every channel that a message needs, with a capacity where `bounded` names one.
pub(crate) fn plan(roles: Vec<RolePlan>, bounded: &[((usize, usize), u32)]) -> Plan {
    let mut largest: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (from, role) in roles.iter().enumerate() {
        let outputs = role.states.iter().filter_map(|state| match state {
            PlanState::Send(outputs) => Some(outputs),
            _ => None,
        });
        for output in outputs.flatten() {
            let most = largest.entry((from, output.to)).or_default();
            *most = output.bytes.max(*most);
        }
    }
    let channels = largest.into_iter().map(|((from, to), largest)| {
        let capacity = bounded.iter().find(|(pair, _)| *pair == (from, to)).map(|(_, slots)| *slots);
        Channel { from, to, capacity, largest }
    });
    Plan { protocol: "Test".to_owned(), channels: channels.collect(), roles }
}

/// `A` and `B` send a message of `bytes` to and fro, `iterations` times, and compute after each.
pub(crate) fn ping_pong(iterations: u64, bytes: usize, compute: f64) -> Plan {
    let there = [Do::Send(1, "Ping", bytes, 0.0), Do::Receive(1, "Qong", bytes, compute)];
    let back = [Do::Receive(0, "Ping", bytes, compute), Do::Send(0, "Qong", bytes, 0.0)];
    let a = role("A", &[], &[Do::Repeat(iterations, there.to_vec())]);
    let b = role("B", &[], &[Do::Repeat(iterations, back.to_vec())]);
    plan(vec![a, b], &[])
}

/// A ring: a token goes round `rounds` times; the first role starts it.
pub(crate) fn ring(roles: usize, rounds: u64, bytes: usize) -> Plan {
    let members = (0..roles).map(|index| {
        let (before, after) = ((index + roles - 1) % roles, (index + 1) % roles);
        let (send, receive) =
            (Do::Send(after, "Token", bytes, 0.0), Do::Receive(before, "Token", bytes, 0.0));
        let body = if index == 0 { vec![send, receive] } else { vec![receive, send] };
        role(&format!("R{index}"), &[], &[Do::Repeat(rounds, body)])
    });
    plan(members.collect(), &[])
}

/// Options for tests: short patience.
pub(crate) fn options(transport: Transport) -> RunOptions {
    RunOptions { watchdog: Duration::from_secs(10), ..RunOptions::new(transport) }
}
