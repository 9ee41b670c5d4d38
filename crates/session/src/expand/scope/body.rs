use std::collections::{BTreeMap, BTreeSet};

use diag::Diagnostic;

use super::{Checker, Scope};
use crate::global::Phase;
use crate::syntax::ast::{
    Block, Call, Message, Name, Protocol, RecVariable, RoleReference, Statement, StatementKind,
};
use diag::spelling::suggestion;

/// Whether some way through statements comes to their end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Flow {
    /// In a run in which every loop stops after some number of iterations.
    bounded: bool,
    /// In any run: loops without bounds are left only by their own ways out.
    any: bool,
}

impl Flow {
    const ON: Flow = Flow { bounded: true, any: true };
    const OFF: Flow = Flow { bounded: false, any: false };

    fn either(self, other: Flow) -> Flow {
        Flow { bounded: self.bounded || other.bounded, any: self.any || other.any }
    }

    fn then(self, other: Flow) -> Flow {
        Flow { bounded: self.bounded && other.bounded, any: self.any && other.any }
    }
}

impl<'a> Checker<'a> {
    pub(super) fn block(&mut self, block: &'a Block, scope: &mut Scope<'a>) -> Flow {
        let mut flow = Flow::ON;
        for (index, statement) in block.iter().enumerate() {
            if self.is_full() {
                break;
            }
            let own = self.statement(statement, scope);
            if let Some(next) = block.get(index + 1) {
                self.follows(statement, own, next);
            }
            flow = flow.then(own);
        }
        flow
    }

    fn statement(&mut self, statement: &'a Statement, scope: &mut Scope<'a>) -> Flow {
        match &statement.kind {
            StatementKind::Message(message) => self.message(message, scope),
            StatementKind::Call(call) => self.call(call, scope),
            StatementKind::Continue { name, .. } => return self.continuation(name, scope),
            StatementKind::Rec { name, variables, body } => {
                self.variables(variables, scope);
                scope.loops.push((&name.text, false));
                let body = self.block(body, scope);
                let continued = scope.loops.pop().is_some_and(|(_, continued)| continued);
                let has_bound = self.loops_with_bounds.contains(name.text.as_str());
                return body.either(Flow { bounded: continued, any: continued && has_bound });
            }
            StatementKind::Choice { role, branches } => {
                self.role(role, scope);
                return branches
                    .iter()
                    .fold(Flow::OFF, |flow, branch| flow.either(self.block(branch, scope)));
            }
            StatementKind::Foreach(foreach) => {
                self.expression(&foreach.first, scope);
                self.expression(&foreach.last, scope);
                scope.indices.push(&foreach.variable.text);
                foreach.guard.iter().for_each(|guard| self.expression(guard, scope));
                let body = self.block(&foreach.body, scope);
                scope.indices.pop();
                if !body.bounded {
                    self.diagnostics.push(
                        Diagnostic::error("S110", "the body of this `foreach` cannot be repeated")
                            .at(statement.at.0, "no way through the body comes to its end"),
                    );
                }
            }
        }
        Flow::ON
    }

    /// What comes after a statement that never ends: unreachable (S110), or reached only if the run is
    /// bounded (S126).
    fn follows(&mut self, statement: &Statement, flow: Flow, next: &Statement) {
        if !flow.bounded {
            self.diagnostics.push(
                Diagnostic::error("S110", "nothing can happen here")
                    .at(next.at.0, "never reached")
                    .at(statement.at.0, "every way through this goes back to the head of a loop"),
            );
        } else if !flow.any {
            self.diagnostics.push(
                Diagnostic::warning("S126", "this comes after a loop that never ends")
                    .at(next.at.0, "reached only in runs with a bounded number of iterations")
                    .at(statement.at.0, "there is no way out of this")
                    .help("say how often the loop runs: @\"iter X=1000\" in the header"),
            );
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

    fn continuation(&mut self, name: &Name, scope: &mut Scope<'a>) -> Flow {
        match scope.loops.iter_mut().rev().find(|(around, _)| *around == name.text) {
            Some((_, continued)) => *continued = true,
            None => {
                let loops: Vec<&str> = scope.loops.iter().map(|(around, _)| *around).collect();
                self.diagnostics.push(
                    Diagnostic::error(
                        "S106",
                        format!("there is no loop `{}` around this `continue`", name.text),
                    )
                    .at(name.at.0, "unknown loop")
                    .help(suggestion(&name.text, &loops, "loops")),
                );
            }
        }
        Flow::OFF
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
