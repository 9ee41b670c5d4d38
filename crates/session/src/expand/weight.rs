//! How much a `foreach` will expand to, counted before any of it is built: a mistyped bound must not
//! exhaust the memory.

use diag::Span;

use super::inline::Expander;
use crate::syntax::ast::{Block, Foreach, StatementKind};

impl<'a> Expander<'a> {
    /// Whether the repetitions of a `foreach` fit the limits; if not, S119 is reported.
    pub(super) fn fits(&mut self, foreach: &'a Foreach, span: Span) -> bool {
        let mut budget = self.limits.interactions.saturating_sub(self.arena.len());
        let fits = self.spend_foreach(foreach, &mut budget).is_some();
        fits || self.has_room(usize::MAX, span)
    }

    /// Takes the statements of a block off a budget; `None` when it is used up. Calls count as one:
    /// what they repeat is counted when they are expanded.
    fn spend(&mut self, block: &'a Block, budget: &mut usize) -> Option<()> {
        for statement in block {
            match &statement.kind {
                StatementKind::Message(message) => *budget = budget.checked_sub(message.to.len())?,
                StatementKind::Call(_) | StatementKind::Continue { .. } => *budget = budget.checked_sub(1)?,
                StatementKind::Rec { body, .. } => self.spend(body, budget)?,
                StatementKind::Choice { branches, .. } => {
                    for branch in branches {
                        self.spend(branch, budget)?;
                    }
                }
                StatementKind::Foreach(foreach) => self.spend_foreach(foreach, budget)?,
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
        // The numbers looked at are bounded, too: a guard may leave nearly all of them out.
        for value in low..=high {
            self.set_index(value);
            let wanted = foreach.guard.as_ref().map_or(Some(1), |guard| self.value(guard));
            let spent = match wanted {
                Some(0) => budget.checked_sub(1).map(|rest| *budget = rest),
                Some(_) => self.spend(&foreach.body, budget),
                None => break,
            };
            if spent.is_none() {
                result = None;
                break;
            }
        }
        self.leave_index(shadowed);
        result
    }
}
