use std::collections::BTreeSet;

use diag::Diagnostic;

use super::{Checker, Scope};
use crate::syntax::annotation::RolePattern;
use crate::syntax::ast::{Block, Protocol, StatementKind};
use diag::spelling::suggestion;

impl<'a> Checker<'a> {
    /// What a header names: loops of the protocol or of those that it calls (S121), and roles.
    pub(super) fn header(&mut self, protocol: &'a Protocol, scope: &Scope<'a>) {
        let Some(header) = protocol.header.as_ref().map(|header| &header.content) else { return };
        if !header.iterations.is_empty() {
            let loops = self.loops_of(protocol);
            for bound in header.iterations.iter().filter(|bound| !loops.contains(bound.name.text.as_str())) {
                let known: Vec<&str> = loops.iter().copied().collect();
                self.diagnostics.push(
                    Diagnostic::error("S121", format!("there is no loop `{}` here", bound.name.text))
                        .at(bound.name.at.0, "unknown loop")
                        .help(suggestion(&bound.name.text, &known, "loops")),
                );
            }
        }
        let placed = header.placements.iter().flat_map(|placement| &placement.roles);
        let bounded = header.capacities.iter().flat_map(|capacity| [&capacity.from, &capacity.to]);
        for pattern in placed.chain(bounded) {
            self.pattern(pattern, scope);
        }
    }

    fn pattern(&mut self, pattern: &RolePattern, scope: &Scope<'a>) {
        let Some(declared) = self.declared(&pattern.name, scope) else { return };
        if declared.range.is_none() && pattern.members.is_some() {
            self.diagnostics.push(
                Diagnostic::error("S116", format!("role `{}` has no index", pattern.name.text))
                    .at(pattern.name.at.0, "an index is given here")
                    .at(declared.name.at.0, "declared as a single role"),
            );
        }
    }

    /// Names of the loops of a protocol and of all that it calls. A protocol that calls itself is a
    /// loop under its own name.
    fn loops_of(&self, protocol: &'a Protocol) -> BTreeSet<&'a str> {
        let mut names = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut pending = vec![protocol];
        while let Some(protocol) = pending.pop() {
            if seen.insert(std::ptr::from_ref(protocol)) {
                names.insert(protocol.name.text.as_str());
                self.loops_and_calls(&protocol.body, &mut names, &mut pending);
            }
        }
        names
    }

    fn loops_and_calls(
        &self,
        block: &'a Block,
        names: &mut BTreeSet<&'a str>,
        calls: &mut Vec<&'a Protocol>,
    ) {
        for statement in block {
            match &statement.kind {
                StatementKind::Rec { name, body, .. } => {
                    names.insert(&name.text);
                    self.loops_and_calls(body, names, calls);
                }
                StatementKind::Choice { branches, .. } => {
                    branches.iter().for_each(|branch| self.loops_and_calls(branch, names, calls));
                }
                StatementKind::Foreach(foreach) => self.loops_and_calls(&foreach.body, names, calls),
                StatementKind::Call(call) => {
                    let name = call.protocol.text.as_str();
                    let nested = self.nested.iter().rev().find_map(|table| table.get(name));
                    calls.extend(if call.caller.is_some() { nested } else { self.globals.get(name) });
                }
                StatementKind::Message(_) | StatementKind::Continue { .. } => {}
            }
        }
    }
}
