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
/// Reports loops that are not around (S106), steps after a `continue` (S110) and too deep nesting (S120).
pub(crate) fn lower(steps: Vec<Step>, arena: &mut Arena, diagnostics: &mut Vec<Diagnostic>) -> NodeId {
    Lowering { arena, diagnostics, loops: Vec::new(), depth: 0 }.block(steps, Arena::end())
}

struct Lowering<'a> {
    arena: &'a mut Arena,
    diagnostics: &'a mut Vec<Diagnostic>,
    loops: Vec<(String, LoopId)>,
    depth: usize,
}

impl Lowering<'_> {
    fn block(&mut self, steps: Vec<Step>, mut next: NodeId) -> NodeId {
        let limit = Limits::default().depth;
        if self.depth == limit {
            self.diagnostics
                .push(Diagnostic::error("S120", format!("blocks go more than {limit} levels deep")));
            return self.arena.fault();
        }
        self.depth += 1;
        let last = steps.len().saturating_sub(1);
        for (index, step) in steps.into_iter().enumerate().rev() {
            if let (Step::Continue(name), true) = (&step, index < last) {
                let message = format!("nothing can happen after `continue {name}`");
                self.diagnostics.push(Diagnostic::error("S110", message));
            }
            next = self.step(step, next);
        }
        self.depth -= 1;
        next
    }

    fn step(&mut self, step: Step, next: NodeId) -> NodeId {
        match step {
            Step::Message(interaction) => self.arena.message(Interaction { next, ..*interaction }),
            Step::Choice { at, branches } => {
                let mut lowered: Vec<Branch> = branches
                    .into_iter()
                    .rev()
                    .map(|(probability, steps)| Branch { probability, first: self.block(steps, next) })
                    .collect();
                lowered.reverse();
                self.arena.choice(at, lowered, Span::default())
            }
            Step::Rec { name, iterations, body } => {
                let id = self.arena.open_loop(&name, Span::default(), iterations);
                self.loops.push((name, id));
                let body = self.block(body, next);
                self.loops.pop();
                self.arena.close_loop(id, body, next)
            }
            Step::Continue(name) => match self.loops.iter().rev().find(|(around, _)| *around == name) {
                Some((_, id)) => self.arena.continue_loop(*id, Span::default()),
                None => {
                    let message = format!("there is no loop `{name}` around this `continue`");
                    self.diagnostics.push(Diagnostic::error("S106", message));
                    self.arena.fault()
                }
            },
        }
    }
}
