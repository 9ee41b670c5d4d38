//! Messages: who, what, how large.

use cost::{Environment, Formula};
use diag::{Diagnostic, Span};

use super::inline::{Expander, Probability};
use super::scope::to_oneself;
use crate::global::{Interaction, NodeId, Payload, Phase, RoleId};
use crate::syntax::ast::Message;

/// Turns of `foreach`s that are allowed for each interaction that is allowed.
const WORK_PER_INTERACTION: usize = 5;

impl<'a> Expander<'a> {
    /// A message to each receiver in turn. Work before sending is done once.
    pub(super) fn message(&mut self, message: &'a Message, span: Span, mut next: NodeId) -> NodeId {
        let from = self.resolve(&message.from);
        for (index, receiver) in message.to.iter().enumerate().rev() {
            let to = self.resolve(receiver);
            next = match from.zip(to) {
                None => self.arena.fault(),
                Some((from, to)) if from == to => {
                    let verb = if message.phase == Phase::Receive { "receive from" } else { "send to" };
                    let name = self.roles[to.index()].name.clone();
                    self.report(to_oneself(&name, verb, receiver.at.0));
                    self.arena.fault()
                }
                Some(_) if !self.has_room(1, span) => next,
                Some(ends) => self.interaction(message, ends, index == 0, span, next),
            };
        }
        next
    }

    fn interaction(
        &mut self,
        message: &'a Message,
        (from, to): (RoleId, RoleId),
        is_first: bool,
        span: Span,
        next: NodeId,
    ) -> NodeId {
        let costs = message.annotation.as_ref().map(|annotation| &annotation.content);
        let of = |formula: Option<&Formula>| formula.map(|formula| self.with_indices(formula));
        let interaction = Interaction {
            phase: message.phase,
            from,
            to,
            label: message.label.text.clone(),
            payload: message.payload.clone(),
            size: of(costs.and_then(|costs| costs.size.as_ref()))
                .or_else(|| self.default_size(&message.payload)),
            cost: of(costs.and_then(|costs| costs.cost.as_ref())),
            pre: of(costs.and_then(|costs| costs.pre.as_ref()).filter(|_| is_first)),
            deadline: of(costs.and_then(|costs| costs.deadline.as_ref())),
            span,
            next,
        };
        let prob = of(costs.and_then(|costs| costs.prob.as_ref()).filter(|_| is_first));
        let node = self.arena.message(interaction);
        if let Some(value) = prob {
            let span = message.annotation.as_ref().map_or(span, |annotation| annotation.at.0);
            self.probabilities.insert(node, Probability { value, span, used: false });
        }
        node
    }

    /// A formula with the indices of `foreach` put in.
    fn with_indices(&self, formula: &Formula) -> Formula {
        let frame = self.frame();
        if frame.indices.is_empty() { formula.clone() } else { formula.substitute(&frame.environment) }
    }

    /// The size of a payload by `sizeof`, one byte for the label included; unknown if a type's is.
    fn default_size(&self, payload: &[Payload]) -> Option<Formula> {
        let mut sum: Option<Formula> = None;
        for element in payload {
            let headers = [self.frame().header(), self.frames[0].header()];
            let mut sizes = headers.into_iter().flatten().flat_map(|header| &header.sizes);
            let size = sizes.find(|size| size.name.text == element.base)?.value.clone()?;
            sum = Some(match sum {
                Some(sum) => sum + size,
                None => size,
            });
        }
        let label = Formula::number(1.0);
        Some(sum.map_or(label.clone(), |sum| (sum + label).substitute(&Environment::default())))
    }

    /// Whether more nodes may be added; if not, S119 is reported and expansion ends.
    pub(super) fn has_room(&mut self, more: usize, span: Span) -> bool {
        let limit = self.limits.interactions;
        if self.arena.len().saturating_add(more) > limit {
            let message = format!("this protocol expands to more than {limit} interactions");
            self.abort(message, span);
        }
        !self.aborted
    }

    /// Whether more work may be done, counted in turns of a `foreach`; if not, S119 is reported and
    /// expansion ends. What expands to nothing costs no room, but time.
    pub(super) fn works(&mut self, more: usize, span: Span) -> bool {
        self.work = self.work.saturating_add(more);
        if self.work > self.limits.interactions.saturating_mul(WORK_PER_INTERACTION) {
            self.abort("this protocol takes too long to expand".to_owned(), span);
        }
        !self.aborted
    }

    fn abort(&mut self, message: String, span: Span) {
        if std::mem::replace(&mut self.aborted, true) {
            return;
        }
        self.report(
            Diagnostic::error("S119", message)
                .at(span, "the limit is passed here")
                .help("choose smaller parameters; a loop `rec` with `iter` costs nothing to repeat"),
        );
    }
}
