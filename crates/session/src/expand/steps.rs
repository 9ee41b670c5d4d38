//! Protocols given by programs and by JSON: a tree of steps whose roles are known, lowered into the arena.

use cost::Formula;
use diag::{Diagnostic, Span};

use super::Limits;
use super::arena::Arena;
use crate::global::{Branch, Interaction, LoopId, NodeId, RoleId};

/// A step of a protocol.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// A message; its `next` is filled in by lowering.
    Message(Box<Interaction>),
    Choice {
        at: RoleId,
        branches: Vec<(Option<Formula>, Vec<Step>)>,
    },
    Rec {
        name: String,
        iterations: Option<Formula>,
        body: Vec<Step>,
    },
    Continue(String),
}

/// Lowers steps; gives the node where the protocol starts.
///
/// Reports loops that are not around (S106), steps that cannot be reached (S110) and too deep nesting (S120).
pub(crate) fn lower(steps: Vec<Step>, arena: &mut Arena, diagnostics: &mut Vec<Diagnostic>) -> NodeId {
    Lowering { arena, diagnostics, loops: Vec::new(), depth: 0 }.block(steps, Arena::end()).0
}

struct Lowering<'a> {
    arena: &'a mut Arena,
    diagnostics: &'a mut Vec<Diagnostic>,
    /// Loops around, the innermost last, and whether they have been continued.
    loops: Vec<(String, LoopId, bool)>,
    depth: usize,
}

/// Where statements begin, and whether some way through them comes to their end.
type Lowered = (NodeId, bool);

impl Lowering<'_> {
    fn block(&mut self, steps: Vec<Step>, mut next: NodeId) -> Lowered {
        let limit = Limits::default().depth;
        if self.depth == limit {
            self.diagnostics
                .push(Diagnostic::error("S120", format!("blocks go more than {limit} levels deep")));
            return (self.arena.fault(), true);
        }
        self.depth += 1;
        let last = steps.len().saturating_sub(1);
        let mut comes_to_end = true;
        for (index, step) in steps.into_iter().enumerate().rev() {
            let (first, ends) = self.step(step, next);
            if !ends && index < last {
                self.diagnostics.push(
                    Diagnostic::error("S110", "some steps can never happen")
                        .help("every way through the step before them goes back to the head of a loop"),
                );
            }
            next = first;
            comes_to_end &= ends;
        }
        self.depth -= 1;
        (next, comes_to_end)
    }

    fn step(&mut self, step: Step, next: NodeId) -> Lowered {
        match step {
            Step::Message(interaction) => (self.arena.message(Interaction { next, ..*interaction }), true),
            Step::Choice { at, branches } => {
                let mut comes_to_end = false;
                let mut lowered = Vec::new();
                for (probability, steps) in branches.into_iter().rev() {
                    let (first, ends) = self.block(steps, next);
                    comes_to_end |= ends;
                    lowered.push(Branch { probability, first });
                }
                lowered.reverse();
                (self.arena.choice(at, lowered, Span::default()), comes_to_end)
            }
            Step::Rec { name, iterations, body } => {
                let id = self.arena.open_loop(&name, Span::default(), iterations);
                self.loops.push((name, id, false));
                let (body, ends) = self.block(body, next);
                let continued = self.loops.pop().is_some_and(|(.., continued)| continued);
                (self.arena.close_loop(id, body, next), ends || continued)
            }
            Step::Continue(name) => match self.loops.iter_mut().rev().find(|(around, ..)| *around == name) {
                Some((_, id, continued)) => {
                    *continued = true;
                    (self.arena.continue_loop(*id, Span::default()), false)
                }
                None => {
                    let message = format!("there is no loop `{name}` around this `continue`");
                    self.diagnostics.push(Diagnostic::error("S106", message));
                    (self.arena.fault(), false)
                }
            },
        }
    }
}
