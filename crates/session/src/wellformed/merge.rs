//! Full merging: what a role that does not see a choice must do in whichever branch was taken.
//!
//! `merge(L, L) = L`; receives from the same peer are united label by label; everything else must be
//! equal up to the merging of what follows. Undefined otherwise.

use std::collections::HashMap;

use cost::Formula;

use crate::global::LoopId;
use crate::local::{Action, LocalState, StateId};

/// Why two behaviours cannot be merged, at the states where they part.
#[derive(Debug, Clone)]
pub(super) struct Unmergeable {
    pub(super) left: StateId,
    pub(super) right: StateId,
    pub(super) reason: String,
}

/// The arena of a local type under construction, with what was merged already.
#[derive(Default)]
pub(super) struct Merger {
    pub(super) states: Vec<LocalState>,
    // Only looked up, never iterated.
    known: HashMap<(StateId, StateId), StateId>,
    /// Loops of the right-hand side that are being merged into loops of the left-hand side.
    loops: Vec<(LoopId, LoopId)>,
    depth: usize,
}

/// Nesting of choices and loops that merging follows; straight sequences do not count.
const DEPTH_LIMIT: usize = 400;

/// An action that both sides have, and the kind of state it belongs to.
type Shared = (fn(Vec<Action>) -> LocalState, Action, Action);

impl Merger {
    pub(super) fn add(&mut self, state: LocalState) -> StateId {
        let id = StateId(u32::try_from(self.states.len()).expect("state count fits u32"));
        self.states.push(state);
        id
    }

    pub(super) fn merge(&mut self, left: StateId, right: StateId) -> Result<StateId, Unmergeable> {
        let (prefix, left, right) = self.common_prefix(left, right);
        let mut merged = self.merge_once(left, right)?;
        for (wrap, left, right) in prefix.into_iter().rev() {
            let action = Action { next: merged, ..unite(&left, &right) };
            merged = self.add(wrap(vec![action]));
        }
        Ok(merged)
    }

    /// Walks over single sends and receives that are equal on both sides, so that long sequences need
    /// no recursion.
    fn common_prefix(&self, mut left: StateId, mut right: StateId) -> (Vec<Shared>, StateId, StateId) {
        let mut prefix: Vec<Shared> = Vec::new();
        while left != right {
            let (wrap, a, b): (fn(Vec<Action>) -> LocalState, _, _) =
                match (&self.states[left.index()], &self.states[right.index()]) {
                    (LocalState::Send(a), LocalState::Send(b)) => (LocalState::Send, a, b),
                    (LocalState::Receive(a), LocalState::Receive(b)) => (LocalState::Receive, a, b),
                    _ => break,
                };
            let ([a], [b]) = (a.as_slice(), b.as_slice()) else { break };
            if !same_message(a, b) {
                break;
            }
            prefix.push((wrap, a.clone(), b.clone()));
            (left, right) = (a.next, b.next);
        }
        (prefix, left, right)
    }

    fn merge_once(&mut self, left: StateId, right: StateId) -> Result<StateId, Unmergeable> {
        if left == right {
            return Ok(left);
        }
        if let Some(merged) = self.known.get(&(left, right)) {
            return Ok(*merged);
        }
        let fail = |reason: &str| Err(Unmergeable { left, right, reason: reason.to_owned() });
        if self.depth >= DEPTH_LIMIT {
            return fail("its branches are nested too deeply to be merged");
        }
        self.depth += 1;
        let merged = match (self.states[left.index()].clone(), self.states[right.index()].clone()) {
            (LocalState::End, LocalState::End) => Ok(left),
            (LocalState::Continue(a), LocalState::Continue(b)) if a == b || self.loops.contains(&(a, b)) => {
                Ok(left)
            }
            (LocalState::Receive(a), LocalState::Receive(b)) if a[0].peer == b[0].peer => {
                self.unite_receives(a, b, left, right)
            }
            (LocalState::Receive(_), LocalState::Receive(_)) => {
                fail("it hears from different roles in different branches")
            }
            (LocalState::Send(a), LocalState::Send(b)) => self.equal_sends(&a, &b, left, right),
            (LocalState::Loop { id, body, exit }, LocalState::Loop { id: id2, body: body2, exit: exit2 }) => {
                self.merge_loops((id, body, exit), (id2, body2, exit2))
            }
            _ => fail("its behaviour differs before it learns which branch was taken"),
        };
        self.depth -= 1;
        let merged = merged?;
        // Inside loops that are merged under different names a result holds only for that pairing.
        if self.loops.is_empty() {
            self.known.insert((left, right), merged);
        }
        Ok(merged)
    }

    fn unite_receives(
        &mut self,
        mut actions: Vec<Action>,
        others: Vec<Action>,
        left: StateId,
        right: StateId,
    ) -> Result<StateId, Unmergeable> {
        for other in others {
            let Some(known) = actions.iter_mut().find(|action| action.label == other.label) else {
                actions.push(other);
                continue;
            };
            if !same_message(known, &other) {
                let reason =
                    format!("the message `{}` carries different payloads in different branches", other.label);
                return Err(Unmergeable { left, right, reason });
            }
            let next = self.merge(known.next, other.next)?;
            *known = Action { next, ..unite(known, &other) };
        }
        Ok(self.add(LocalState::Receive(actions)))
    }

    fn equal_sends(
        &mut self,
        actions: &[Action],
        others: &[Action],
        left: StateId,
        right: StateId,
    ) -> Result<StateId, Unmergeable> {
        let equal =
            actions.len() == others.len() && actions.iter().zip(others).all(|(a, b)| same_message(a, b));
        if !equal {
            let reason = "it would have to send different messages without knowing which branch was taken";
            return Err(Unmergeable { left, right, reason: reason.to_owned() });
        }
        let mut merged = Vec::with_capacity(actions.len());
        for (a, b) in actions.iter().zip(others) {
            let next = self.merge(a.next, b.next)?;
            merged.push(Action { next, ..unite(a, b) });
        }
        Ok(self.add(LocalState::Send(merged)))
    }

    fn merge_loops(
        &mut self,
        left: (LoopId, StateId, StateId),
        right: (LoopId, StateId, StateId),
    ) -> Result<StateId, Unmergeable> {
        self.loops.push((left.0, right.0));
        let body = self.merge(left.1, right.1);
        self.loops.pop();
        let (body, exit) = (body?, self.merge(left.2, right.2)?);
        Ok(self.add(LocalState::Loop { id: left.0, body, exit }))
    }
}

fn same_message(a: &Action, b: &Action) -> bool {
    let bases = |action: &'_ Action| action.payload.iter().map(|p| p.base.clone()).collect::<Vec<_>>();
    a.peer == b.peer && a.label == b.label && bases(a) == bases(b)
}

/// The merged action: equal messages, and the costlier of two costs, since either may happen.
fn unite(a: &Action, b: &Action) -> Action {
    let costlier = |x: &Option<Formula>, y: &Option<Formula>| match (x, y) {
        (Some(x), Some(y)) if x != y => Some(Formula::max(x.clone(), y.clone())),
        (Some(x), _) | (None, Some(x)) => Some(x.clone()),
        (None, None) => None,
    };
    Action { size: costlier(&a.size, &b.size), compute: costlier(&a.compute, &b.compute), ..a.clone() }
}
