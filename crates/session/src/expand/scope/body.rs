use std::collections::{BTreeMap, BTreeSet};

use diag::Diagnostic;

use super::{Checker, Scope};
use crate::global::Phase;
use crate::syntax::ast::{
    Block, Call, Message, Name, Protocol, RecVariable, RoleReference, Statement, StatementKind,
};
use crate::syntax::spelling::suggestion;

impl<'a> Checker<'a> {
    pub(super) fn block(&mut self, block: &'a Block, scope: &mut Scope<'a>) {
        for (index, statement) in block.iter().enumerate() {
            if self.is_full() {
                return;
            }
            self.statement(statement, scope);
            if let Some(next) = block.get(index + 1) {
                self.follows(statement, next);
            }
        }
    }

    fn statement(&mut self, statement: &'a Statement, scope: &mut Scope<'a>) {
        match &statement.kind {
            StatementKind::Message(message) => self.message(message, scope),
            StatementKind::Call(call) => self.call(call, scope),
            StatementKind::Continue { name, .. } => self.continuation(name, scope),
            StatementKind::Rec { name, variables, body } => {
                self.variables(variables, scope);
                scope.loops.push(&name.text);
                self.block(body, scope);
                scope.loops.pop();
            }
            StatementKind::Choice { role, branches } => {
                self.role(role, scope);
                branches.iter().for_each(|branch| self.block(branch, scope));
            }
            StatementKind::Foreach(foreach) => {
                self.expression(&foreach.first, scope);
                self.expression(&foreach.last, scope);
                scope.indices.push(&foreach.variable.text);
                foreach.guard.iter().for_each(|guard| self.expression(guard, scope));
                self.block(&foreach.body, scope);
                scope.indices.pop();
            }
        }
    }

    /// What comes after a statement: unreachable after `continue` (S110), probably unreachable after a
    /// loop that never ends (S126).
    fn follows(&mut self, statement: &Statement, next: &Statement) {
        match &statement.kind {
            StatementKind::Continue { name, .. } => self.diagnostics.push(
                Diagnostic::error("S110", format!("nothing can happen after `continue {}`", name.text))
                    .at(next.at.0, "never reached")
                    .at(statement.at.0, "the loop goes on here"),
            ),
            StatementKind::Rec { name, body, .. }
                if !self.loops_with_bounds.contains(name.text.as_str()) && !falls_through(body) =>
            {
                self.diagnostics.push(
                    Diagnostic::warning("S126", format!("the loop `{}` never ends", name.text))
                        .at(next.at.0, "reached only in runs with a bounded number of iterations")
                        .at(statement.at.0, "this loop has no way out")
                        .help(format!("say how often it runs: @\"iter {}=1000\" in the header", name.text)),
                );
            }
            _ => {}
        }
    }

    fn message(&mut self, message: &'a Message, scope: &Scope<'a>) {
        self.role(&message.from, scope);
        for to in &message.to {
            self.role(to, scope);
            let same = to.name.text == message.from.name.text && to.index == message.from.index;
            if same {
                let verb = if message.phase == Phase::Receive { "receive from" } else { "send to" };
                self.diagnostics.push(to_oneself(to.to_string().as_str(), verb, to.at.0));
            }
        }
    }

    fn call(&mut self, call: &'a Call, scope: &Scope<'a>) {
        call.caller.iter().for_each(|caller| self.role(caller, scope));
        let callee = self.callee(call);
        let mut given = BTreeSet::new();
        for (index, argument) in call.arguments.iter().enumerate() {
            let formal = callee.and_then(|callee| callee.roles.get(index));
            match formal {
                Some(formal) if formal.range.is_some() => self.array_argument(argument, scope),
                _ => self.role(argument, scope),
            }
            if !given.insert(argument.to_string()) {
                self.diagnostics.push(
                    Diagnostic::error("S109", format!("role `{argument}` is given twice"))
                        .at(argument.at.0, "given again")
                        .help("each role of a called protocol must be played by another role"),
                );
            }
        }
        let Some(callee) = callee else { return };
        if callee.roles.len() != call.arguments.len() {
            let (wanted, given) = (callee.roles.len(), call.arguments.len());
            self.diagnostics.push(
                Diagnostic::error("S105", format!("`{}` has {wanted} roles, not {given}", callee.name.text))
                    .at(call.protocol.at.0, format!("called with {given}"))
                    .at(callee.at.0, "declared here"),
            );
        }
    }

    /// An argument for an array of roles: the name of an array, without an index.
    fn array_argument(&mut self, argument: &'a RoleReference, scope: &Scope<'a>) {
        let Some(declared) = self.declared(&argument.name, scope) else { return };
        if declared.range.is_none() || argument.index.is_some() {
            self.diagnostics.push(
                Diagnostic::error("S116", "an array of roles is wanted here")
                    .at(argument.at.0, "this is a single role")
                    .help("give the name of an array, without an index"),
            );
        }
    }

    /// The protocol of a `do` (a global one) or `calls` (a nested one in view); without one, S103.
    fn callee(&mut self, call: &Call) -> Option<&'a Protocol> {
        let name = call.protocol.text.as_str();
        let nested = self.nested.iter().rev().find_map(|table| table.get(name).copied());
        let global = self.globals.get(name).copied();
        let (found, other) = if call.caller.is_some() { (nested, global) } else { (global, nested) };
        if found.is_none() {
            let in_view: BTreeMap<&str, &Protocol> =
                self.nested.iter().flatten().map(|(n, p)| (*n, *p)).collect();
            let table = if call.caller.is_some() { &in_view } else { &self.globals };
            let names: Vec<&str> = table.keys().copied().collect();
            let help = match (other.is_some(), call.caller.is_some()) {
                (true, true) => format!("`{name}` is a global protocol: `do {name}(..)` calls it"),
                (true, false) => format!("`{name}` is a nested protocol: `A calls {name}(..)` calls it"),
                (false, _) => suggestion(name, &names, "protocols"),
            };
            self.diagnostics.push(
                Diagnostic::error("S103", format!("there is no protocol `{name}` in view"))
                    .at(call.protocol.at.0, "unknown protocol")
                    .help(help),
            );
        }
        found
    }

    fn continuation(&mut self, name: &Name, scope: &Scope<'a>) {
        if !scope.loops.contains(&name.text.as_str()) {
            self.diagnostics.push(
                Diagnostic::error("S106", format!("there is no loop `{}` around this `continue`", name.text))
                    .at(name.at.0, "unknown loop")
                    .help(suggestion(&name.text, &scope.loops, "loops")),
            );
        }
    }

    fn variables(&mut self, variables: &'a [RecVariable], scope: &Scope<'a>) {
        for role in variables.iter().flat_map(|variable| &variable.roles) {
            self.declared(role, scope);
        }
    }
}

/// S108.
pub(in crate::expand) fn to_oneself(role: &str, verb: &str, span: diag::Span) -> Diagnostic {
    Diagnostic::error("S108", format!("role `{role}` cannot {verb} itself"))
        .at(span, "sender and receiver are the same")
        .help("work that a role does on its own is `cost` or `pre` of a message")
}

/// Whether a way through the block reaches its end.
fn falls_through(block: &Block) -> bool {
    block.iter().all(|statement| match &statement.kind {
        StatementKind::Continue { .. } => false,
        StatementKind::Choice { branches, .. } => branches.iter().any(falls_through),
        StatementKind::Rec { body, .. } => falls_through(body),
        _ => true,
    })
}
