//! A local type in nuScr's notation.

use session::global::GlobalType;
use session::local::{Action, LocalState, LocalType, StateId};

use super::signature;

/// Deeper nesting is no text that anyone reads; the rest is left out with a remark.
const DEEPEST: usize = 200;

/// The local protocol of a role, as nuScr writes it.
pub(crate) fn local_text(global: &GlobalType, local: &LocalType) -> String {
    let others: Vec<String> = global
        .role_ids()
        .filter(|role| *role != local.role)
        .map(|role| format!("role {}", global.role_name(role)))
        .collect();
    let mut printer = Printer { global, local, joins: joins(local), out: String::new() };
    let role = global.role_name(local.role);
    printer.out = format!("local protocol {} at {role}({})\n{{\n", global.name, others.join(", "));
    printer.sequence(local.root, None, 1);
    printer.out.push_str("}\n");
    printer.out
}

struct Printer<'a> {
    global: &'a GlobalType,
    local: &'a LocalType,
    /// For each state the first state that every path from it passes.
    joins: Vec<Option<StateId>>,
    out: String,
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        self.out.push_str(&"  ".repeat(depth));
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// What happens from `state` until `stop`.
    fn sequence(&mut self, mut state: StateId, stop: Option<StateId>, depth: usize) {
        if depth > DEEPEST {
            return self.line(depth, "// nested too deeply to be printed; see --format dot");
        }
        while Some(state) != stop {
            let local = self.local;
            state = match local.state(state) {
                LocalState::End => return,
                LocalState::Continue(id) => {
                    let name = &self.global.loops[id.index()].name;
                    return self.line(depth, &format!("continue {name};"));
                }
                LocalState::Loop { id, body, exit } => {
                    let name = &self.global.loops[id.index()].name;
                    self.line(depth, &format!("rec {name} {{"));
                    self.sequence(*body, Some(*exit), depth + 1);
                    self.line(depth, "}");
                    *exit
                }
                LocalState::Send(actions) | LocalState::Receive(actions) => {
                    match self.actions(state, actions, stop, depth) {
                        Some(next) => next,
                        None => return,
                    }
                }
            };
        }
    }

    /// One action is a line; several are a choice that ends where its branches meet again. Branches that
    /// do not meet go on until `stop`.
    fn actions(
        &mut self,
        state: StateId,
        actions: &[Action],
        stop: Option<StateId>,
        depth: usize,
    ) -> Option<StateId> {
        let sends = matches!(self.local.state(state), LocalState::Send(_));
        if let [action] = actions {
            self.action(action, sends, depth);
            return Some(action.next);
        }
        let join = self.joins[state.index()];
        let chooser = if sends { self.local.role } else { actions.first()?.peer };
        self.line(depth, &format!("choice at {} {{", self.global.role_name(chooser)));
        for (index, action) in actions.iter().enumerate() {
            if index > 0 {
                self.line(depth, "} or {");
            }
            self.action(action, sends, depth + 1);
            self.sequence(action.next, join.or(stop), depth + 1);
        }
        self.line(depth, "}");
        join
    }

    fn action(&mut self, action: &Action, sends: bool, depth: usize) {
        let (word, cost) = if sends { ("to", "pre") } else { ("from", "cost") };
        let peer = self.global.role_name(action.peer);
        let size = action.size.as_ref().map(|size| format!("size={size}"));
        let compute = action.compute.as_ref().map(|time| format!("{cost}={time}"));
        let costs: Vec<String> = [size, compute].into_iter().flatten().collect();
        let annotation = if costs.is_empty() { String::new() } else { format!(" @\"{}\"", costs.join(", ")) };
        self.line(depth, &format!("{} {word} {peer};{annotation}", signature(action)));
    }
}

/// Where the paths from each state meet again: its immediate post-dominator in the graph without the
/// edges back to loop heads. `None` where they do not meet. Successors have smaller indices.
fn joins(local: &LocalType) -> Vec<Option<StateId>> {
    let mut joins: Vec<Option<StateId>> = Vec::with_capacity(local.states.len());
    for state in &local.states {
        let successors: Vec<StateId> = match state {
            LocalState::End | LocalState::Continue(_) => Vec::new(),
            LocalState::Send(actions) | LocalState::Receive(actions) => {
                actions.iter().map(|action| action.next).collect()
            }
            // A loop is followed by its exit, however its body ends.
            LocalState::Loop { exit, .. } => vec![*exit],
        };
        let meeting = successors.into_iter().map(Some).reduce(|a, b| meet(&joins, a, b));
        joins.push(meeting.flatten());
    }
    joins
}

/// The first state on both chains of joins.
fn meet(joins: &[Option<StateId>], mut a: Option<StateId>, mut b: Option<StateId>) -> Option<StateId> {
    while a != b {
        match (a, b) {
            (Some(x), Some(y)) if x > y => a = joins[x.index()],
            (Some(_), Some(y)) => b = joins[y.index()],
            _ => return None,
        }
    }
    a
}
