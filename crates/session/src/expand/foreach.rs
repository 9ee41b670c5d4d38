//! Repetition over indices. How much there will be is counted before any of it is built: a mistyped
//! bound must not exhaust the memory.

use diag::Span;

use super::inline::Expander;
use crate::global::NodeId;
use crate::syntax::ast::{Block, Foreach, StatementKind};

impl<'a> Expander<'a> {
    pub(super) fn foreach(&mut self, foreach: &'a Foreach, span: Span, next: NodeId) -> NodeId {
        let (Some(first), Some(last)) = (self.value(&foreach.first), self.value(&foreach.last)) else {
            return self.arena.fault();
        };
        let outermost = !self.counted;
        if outermost && !self.fits(foreach, span) {
            return next;
        }
        self.counted = true;
        let result = if foreach.down {
            self.repeat(foreach, last..=first, next)
        } else {
            self.repeat(foreach, (first..=last).rev(), next)
        };
        self.counted = !outermost;
        result
    }

    /// The body for each value of the index, the last value first.
    fn repeat(
        &mut self,
        foreach: &'a Foreach,
        values: impl Iterator<Item = i64>,
        mut next: NodeId,
    ) -> NodeId {
        let shadowed = self.enter_index(&foreach.variable.text);
        for value in values {
            if !self.works(1, foreach.variable.at.0) {
                break;
            }
            self.set_index(value);
            match foreach.guard.as_ref().map_or(Some(1), |guard| self.value(guard)) {
                Some(0) => {}
                Some(_) => next = self.block(&foreach.body, next),
                None => {
                    next = self.arena.fault();
                    break;
                }
            }
        }
        self.leave_index(shadowed);
        next
    }

    /// Brings an index into view; gives the value that it hides, for [`Expander::leave_index`].
    fn enter_index(&mut self, name: &'a str) -> Option<f64> {
        let frame = self.frame_mut();
        frame.indices.push((name, 0));
        frame.environment.values.insert(name.to_owned(), 0.0)
    }

    /// Sets the innermost index.
    fn set_index(&mut self, value: i64) {
        let frame = self.frame_mut();
        if let Some((name, slot)) = frame.indices.last_mut() {
            *slot = value;
            if let Some(real) = frame.environment.values.get_mut(*name) {
                #[expect(clippy::cast_precision_loss, reason = "indices of real arrays are far below 2^53")]
                let exact = value as f64;
                *real = exact;
            }
        }
    }

    /// Drops the innermost index.
    fn leave_index(&mut self, shadowed: Option<f64>) {
        let frame = self.frame_mut();
        if let Some((name, _)) = frame.indices.pop() {
            match shadowed {
                Some(value) => frame.environment.values.insert(name.to_owned(), value),
                None => frame.environment.values.remove(name),
            };
        }
    }

    /// Whether the repetitions of a `foreach` fit the limits; if not, S119 is reported.
    fn fits(&mut self, foreach: &'a Foreach, span: Span) -> bool {
        let mut budget = self.limits.interactions.saturating_sub(self.arena.len());
        let fits = self.spend_foreach(foreach, &mut budget).is_some();
        !self.aborted && (fits || self.has_room(usize::MAX, span))
    }

    /// Takes the nodes of a block off a budget; `None` when it is used up. Calls count as one: what
    /// they repeat is counted when they are expanded.
    fn spend(&mut self, block: &'a Block, budget: &mut usize) -> Option<()> {
        for statement in block {
            let nodes = match &statement.kind {
                StatementKind::Message(message) => message.to.len(),
                StatementKind::Foreach(_) => 0,
                _ => 1,
            };
            *budget = budget.checked_sub(nodes)?;
            match &statement.kind {
                StatementKind::Rec { body, .. } => self.spend(body, budget)?,
                StatementKind::Choice { branches, .. } => {
                    branches.iter().try_for_each(|branch| self.spend(branch, budget))?;
                }
                StatementKind::Foreach(foreach) => self.spend_foreach(foreach, budget)?,
                _ => {}
            }
        }
        Some(())
    }

    fn spend_foreach(&mut self, foreach: &'a Foreach, budget: &mut usize) -> Option<()> {
        let (Some(first), Some(last)) = (self.value(&foreach.first), self.value(&foreach.last)) else {
            return Some(());
        };
        let (low, high) = if foreach.down { (last, first) } else { (first, last) };
        let shadowed = self.enter_index(&foreach.variable.text);
        let mut result = Some(());
        for value in low..=high {
            if result.is_none() || !self.works(1, foreach.variable.at.0) {
                break;
            }
            self.set_index(value);
            match foreach.guard.as_ref().map_or(Some(1), |guard| self.value(guard)) {
                Some(0) => {}
                Some(_) => result = self.spend(&foreach.body, budget),
                None => break,
            }
        }
        self.leave_index(shadowed);
        result
    }
}
