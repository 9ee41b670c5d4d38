//! A local type as a state machine: loops become edges back to their heads.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::{Value, json};
use session::global::{GlobalType, LoopId};
use session::local::{Action, LocalState, LocalType, StateId};

use super::signature;

/// States are numbered from 0, the initial one, in order of discovery.
pub(crate) struct Machine<'a> {
    states: usize,
    transitions: Vec<Transition<'a>>,
}

struct Transition<'a> {
    from: usize,
    to: usize,
    sends: bool,
    action: &'a Action,
}

/// What `continue` means at a state: the body of each loop that can still be continued.
type Bodies = Vec<(LoopId, StateId)>;

/// The machine of a local type. Loops run for ever: how often they run is no matter of the type.
pub(crate) fn machine(local: &LocalType) -> Machine<'_> {
    let continued = continued(local);
    let mut numbers: BTreeMap<(StateId, Bodies), usize> = BTreeMap::new();
    let start = resolve(local, &continued, local.root, Vec::new());
    let mut todo = vec![start.clone()];
    numbers.insert(start, 0);
    let mut transitions = Vec::new();
    let mut next = 0;
    while next < todo.len() {
        let (state, bodies) = todo[next].clone();
        let (sends, actions): (bool, &[Action]) = match local.state(state) {
            LocalState::Send(actions) => (true, actions),
            LocalState::Receive(actions) => (false, actions),
            _ => (false, &[]),
        };
        for action in actions {
            let target = resolve(local, &continued, action.next, bodies.clone());
            let fresh = numbers.len();
            let to = *numbers.entry(target.clone()).or_insert_with(|| {
                todo.push(target);
                fresh
            });
            transitions.push(Transition { from: next, to, sends, action });
        }
        next += 1;
    }
    Machine { states: todo.len(), transitions }
}

/// Follows loop heads and `continue` to the next state that acts. Loops that cannot be continued from
/// there are forgotten, so that what follows a loop is one state however it is reached.
fn resolve(
    local: &LocalType,
    continued: &[BTreeSet<LoopId>],
    mut state: StateId,
    mut bodies: Bodies,
) -> (StateId, Bodies) {
    // A loop that does nothing but continue would be followed for ever.
    let mut followed = BTreeSet::new();
    loop {
        let onward = match local.state(state) {
            LocalState::Loop { id, body, .. } => {
                bodies.retain(|(other, _)| other != id);
                bodies.push((*id, *body));
                Some(*body)
            }
            LocalState::Continue(id) => bodies.iter().find(|(other, _)| other == id).map(|(_, body)| *body),
            _ => None,
        };
        match onward.filter(|next| followed.insert(*next)) {
            Some(next) => state = next,
            None => break,
        }
    }
    bodies.retain(|(id, _)| continued[state.index()].contains(id));
    bodies.sort();
    (state, bodies)
}

/// For each state the loops that a path from it continues. Successors have smaller indices.
fn continued(local: &LocalType) -> Vec<BTreeSet<LoopId>> {
    let mut sets: Vec<BTreeSet<LoopId>> = Vec::with_capacity(local.states.len());
    for state in &local.states {
        let set = match state {
            LocalState::End => BTreeSet::new(),
            LocalState::Continue(id) => BTreeSet::from([*id]),
            LocalState::Send(actions) | LocalState::Receive(actions) => {
                actions.iter().flat_map(|action| sets[action.next.index()].iter().copied()).collect()
            }
            LocalState::Loop { id, body, exit } => {
                let mut set = sets[body.index()].clone();
                set.remove(id);
                set.extend(sets[exit.index()].iter().copied());
                set
            }
        };
        sets.push(set);
    }
    sets
}

impl Machine<'_> {
    /// As a graph: `0 -> 1 [label="Q!Data(int)"];`, `!` for sending and `?` for receiving.
    pub(crate) fn to_dot(&self, global: &GlobalType, role: &str) -> String {
        let mut out = format!("digraph \"{}\" {{\n", quoted(role));
        for state in 0..self.states {
            let _ = writeln!(out, "  {state};");
        }
        for one in &self.transitions {
            let sign = if one.sends { '!' } else { '?' };
            let label = format!("{}{sign}{}", global.role_name(one.action.peer), signature(one.action));
            let _ = writeln!(out, "  {} -> {} [label=\"{}\"];", one.from, one.to, quoted(&label));
        }
        out.push_str("}\n");
        out
    }

    /// `{"initial": 0, "states": n, "transitions": [..]}`.
    pub(crate) fn to_json(&self, global: &GlobalType) -> Value {
        let transitions: Vec<Value> = self
            .transitions
            .iter()
            .map(|one| {
                json!({
                    "from": one.from,
                    "to": one.to,
                    "direction": if one.sends { "send" } else { "receive" },
                    "peer": global.role_name(one.action.peer),
                    "label": one.action.label,
                    "payload": one.action.payload.iter().map(super::element).collect::<Vec<_>>(),
                    "size": one.action.size.as_ref().map(ToString::to_string),
                    "compute": one.action.compute.as_ref().map(ToString::to_string),
                })
            })
            .collect();
        json!({"initial": 0, "states": self.states, "transitions": transitions})
    }
}

/// Text inside a quoted identifier of DOT.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}
