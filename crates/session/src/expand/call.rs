//! Calls: the body of what is called, in place; a loop where a protocol calls itself.

use std::collections::BTreeSet;

use diag::{Diagnostic, Span};

use super::binding::Binding;
use super::inline::{Expander, Instance};
use crate::global::{LoopId, NodeId};
use crate::syntax::ast::{Call, Protocol, RoleDeclaration};

/// What a call costs, in turns of a `foreach`.
const WORK_PER_CALL: usize = 50;

impl<'a> Expander<'a> {
    /// `do` or `calls`: the body of what is called, in place.
    pub(super) fn call(&mut self, call: &'a Call, span: Span, next: NodeId) -> NodeId {
        if let Some(caller) = &call.caller
            && self.resolve(caller).is_none()
        {
            return self.arena.fault();
        }
        let (callee, visible) = self.callee(call);
        let Some(arguments) = self.arguments(call, callee) else { return self.arena.fault() };
        let instance: Instance = (std::ptr::from_ref(callee), arguments);
        let has_new_roles = !callee.new_roles.is_empty();
        if has_new_roles && self.frames.iter().any(|frame| frame.instance.0 == instance.0) {
            self.report(
                Diagnostic::error(
                    "S112",
                    format!("`{}` calls itself and brings new roles each time", callee.name.text),
                )
                .at(span, "called again here")
                .at(callee.at.0, "the new roles are declared here")
                .help("the number of roles would have no bound; pass the roles as arguments"),
            );
            return self.arena.fault();
        }
        if let Some(active) = self.frames.iter().rev().find(|frame| frame.instance == instance) {
            let (recursion, exit) = (active.recursion, active.exit);
            return self.recursive_call(callee, (recursion, exit), span, next);
        }
        let key = (instance, next);
        if let Some(known) = self.memo.last().and_then(|memo| memo.get(&key)) {
            return *known;
        }
        let first = self.inline(callee, visible, key.0.1.clone(), span, next);
        if let Some(memo) = self.memo.last_mut().filter(|_| !has_new_roles) {
            memo.insert(key, first);
        }
        first
    }

    fn recursive_call(
        &mut self,
        callee: &'a Protocol,
        (recursion, exit): (LoopId, NodeId),
        span: Span,
        next: NodeId,
    ) -> NodeId {
        if next == exit {
            return self.arena.continue_loop(recursion, span);
        }
        self.report(
            Diagnostic::error(
                "S111",
                format!("`{}` calls itself, and something follows the call", callee.name.text),
            )
            .at(span, "this call would have to return")
            .at(callee.at.0, "called from here on")
            .help("only a call at the very end can become a loop"),
        );
        self.arena.fault()
    }

    /// What a call names, and the nested protocols in view there.
    fn callee(&self, call: &Call) -> (&'a Protocol, Vec<&'a [Protocol]>) {
        let name = call.protocol.text.as_str();
        if call.caller.is_none() {
            let callee = self.globals[name];
            return (callee, vec![&self.module.nested, &callee.nested]);
        }
        let visible = &self.frame().visible;
        let found = visible.iter().enumerate().rev().find_map(|(level, protocols)| {
            protocols.iter().find(|protocol| protocol.name.text == name).map(|protocol| (level, protocol))
        });
        let (level, callee) = found.expect("scopes have been checked");
        let mut inner = visible[..=level].to_vec();
        inner.push(&callee.nested);
        (callee, inner)
    }

    /// The roles that a call passes on.
    fn arguments(&mut self, call: &'a Call, callee: &'a Protocol) -> Option<Vec<Binding>> {
        let mut arguments = Vec::new();
        let mut given = BTreeSet::new();
        for (argument, formal) in call.arguments.iter().zip(&callee.roles) {
            let binding = match &formal.range {
                Some(_) => self.frame().roles[argument.name.text.as_str()].as_argument(),
                None => Binding::one(self.resolve(argument)?),
            };
            if let Some(twice) = binding.members.iter().find(|member| !given.insert(**member)) {
                let name = self.roles[twice.index()].name.clone();
                self.report(
                    Diagnostic::error("S109", format!("role `{name}` is given twice"))
                        .at(argument.at.0, "given again")
                        .help("each role of a called protocol must be played by another role"),
                );
                return None;
            }
            arguments.push(binding);
        }
        Some(arguments)
    }

    /// Expands a callee in a frame of its own.
    fn inline(
        &mut self,
        callee: &'a Protocol,
        visible: Vec<&'a [Protocol]>,
        arguments: Vec<Binding>,
        span: Span,
        next: NodeId,
    ) -> NodeId {
        if !self.works(WORK_PER_CALL, span) {
            return next;
        }
        let counted = std::mem::replace(&mut self.counted, false);
        self.push_frame(callee, visible, arguments.clone(), next);
        let first = match self.bind_roles(callee, arguments, span) {
            Some(()) => self.body(callee, span),
            None => self.arena.fault(),
        };
        self.frames.pop();
        self.counted = counted;
        first
    }

    /// Gives the roles of the callee their players: the arguments, and fresh roles for its new ones.
    fn bind_roles(&mut self, callee: &'a Protocol, arguments: Vec<Binding>, span: Span) -> Option<()> {
        for (formal, argument) in callee.roles.iter().zip(arguments) {
            let binding = self.rebase(formal, argument, span)?;
            self.frame_mut().roles.insert(&formal.name.text, binding);
        }
        for role in &callee.new_roles {
            let binding = self.declare(role)?;
            self.frame_mut().roles.insert(&role.name.text, binding);
        }
        Some(())
    }

    /// An array argument with the indices that the callee declares; its length must fit (S105).
    fn rebase(&mut self, formal: &'a RoleDeclaration, argument: Binding, span: Span) -> Option<Binding> {
        let Some((first, last)) = &formal.range else { return Some(argument) };
        let (first, last) = (self.value(first)?, self.value(last)?);
        let binding = Binding { first, members: argument.members };
        if binding.last() != last && !(binding.members.is_empty() && last < first) {
            let (given, name) = (binding.members.len(), &formal.name.text);
            self.report(
                Diagnostic::error(
                    "S105",
                    format!("`{name}[{first}..{last}]` does not fit an array of {given} roles"),
                )
                .at(span, "called here")
                .at(formal.name.at.0, "declared here"),
            );
            return None;
        }
        Some(binding)
    }
}
