//! Checks that need no values: who and what is named, how many, from where.

mod body;
mod header;

pub(super) use body::to_oneself;

use std::collections::{BTreeMap, BTreeSet};

use diag::{Diagnostic, Span};

use super::Options;
use crate::syntax::MAX_FAULTS;
use crate::syntax::ast::{At, Module, Name, Protocol, RoleDeclaration, RoleReference};
use crate::syntax::expression::Expression;
use diag::spelling::suggestion;

/// Checks all protocols of a module, called or not.
pub(super) fn check(module: &Module, options: &Options) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let globals = table(&module.protocols, &mut diagnostics);
    let nested = table(&module.nested, &mut diagnostics);
    let mut parameters: BTreeSet<&str> = options.parameters.keys().map(String::as_str).collect();
    let mut loops_with_bounds = BTreeSet::new();
    each_protocol(module, &mut |protocol| {
        let header = protocol.header.iter().map(|header| &header.content);
        for header in header {
            parameters.extend(header.parameters.iter().map(|parameter| parameter.name.text.as_str()));
            loops_with_bounds.extend(header.iterations.iter().map(|bound| bound.name.text.as_str()));
        }
    });
    let mut checker = Checker { globals, nested: vec![nested], parameters, loops_with_bounds, diagnostics };
    module.nested.iter().chain(&module.protocols).for_each(|protocol| checker.protocol(protocol));
    checker.diagnostics
}

/// Calls `see` on every protocol, nested ones included, in the order of the text.
pub(super) fn each_protocol<'a>(module: &'a Module, see: &mut impl FnMut(&'a Protocol)) {
    fn visit<'a>(protocol: &'a Protocol, see: &mut impl FnMut(&'a Protocol)) {
        see(protocol);
        protocol.nested.iter().for_each(|inner| visit(inner, see));
    }
    module.nested.iter().chain(&module.protocols).for_each(|protocol| visit(protocol, see));
}

type Table<'a> = BTreeMap<&'a str, &'a Protocol>;

/// Protocols by name; a name declared twice is reported (S104).
fn table<'a>(protocols: &'a [Protocol], diagnostics: &mut Vec<Diagnostic>) -> Table<'a> {
    let mut table: Table<'a> = BTreeMap::new();
    for protocol in protocols {
        let name = &protocol.name;
        match table.get(name.text.as_str()) {
            Some(first) => diagnostics.push(twice("S104", "protocol", name, &first.name)),
            None => {
                table.insert(&name.text, protocol);
            }
        }
    }
    table
}

fn twice(code: &'static str, what: &str, again: &Name, first: &Name) -> Diagnostic {
    Diagnostic::error(code, format!("{what} `{}` is declared twice", again.text))
        .at(again.at.0, "declared again")
        .at(first.at.0, "first declared here")
        .help("rename one of them")
}

struct Checker<'a> {
    globals: Table<'a>,
    /// The nested protocols in view: of the file, of the protocol around, and so on inwards.
    nested: Vec<Table<'a>>,
    parameters: BTreeSet<&'a str>,
    loops_with_bounds: BTreeSet<&'a str>,
    diagnostics: Vec<Diagnostic>,
}

/// What can be named inside one protocol.
struct Scope<'a> {
    roles: BTreeMap<&'a str, &'a RoleDeclaration>,
    /// Loops around, the innermost last, and whether they have been continued.
    loops: Vec<(&'a str, bool)>,
    /// Indices of `foreach` around, the innermost last.
    indices: Vec<&'a str>,
}

impl<'a> Checker<'a> {
    fn protocol(&mut self, protocol: &'a Protocol) {
        let inner = table(&protocol.nested, &mut self.diagnostics);
        self.nested.push(inner);
        let mut scope = Scope { roles: self.roles(protocol), loops: Vec::new(), indices: Vec::new() };
        for role in protocol.roles.iter().chain(&protocol.new_roles) {
            if let Some((first, last)) = &role.range {
                self.expression(first, &scope);
                self.expression(last, &scope);
            }
        }
        self.header(protocol, &scope);
        self.block(&protocol.body, &mut scope);
        protocol.nested.iter().for_each(|nested| self.protocol(nested));
        self.nested.pop();
    }

    fn roles(&mut self, protocol: &'a Protocol) -> BTreeMap<&'a str, &'a RoleDeclaration> {
        let mut roles: BTreeMap<&str, &RoleDeclaration> = BTreeMap::new();
        for role in protocol.roles.iter().chain(&protocol.new_roles) {
            match roles.get(role.name.text.as_str()) {
                Some(first) => self.diagnostics.push(twice("S102", "role", &role.name, &first.name)),
                None => {
                    roles.insert(&role.name.text, role);
                }
            }
        }
        roles
    }

    /// Names in index arithmetic: indices of `foreach` around, or parameters (S118).
    fn expression(&mut self, expression: &Expression, scope: &Scope<'a>) {
        expression.names(&mut |name, At(span)| {
            if scope.indices.contains(&name) || self.parameters.contains(name) {
                return;
            }
            let known: Vec<&str> = scope.indices.iter().chain(&self.parameters).copied().collect();
            self.diagnostics.push(
                Diagnostic::error("S118", format!("`{name}` is neither an index nor a parameter"))
                    .at(span, "unknown name")
                    .help(suggestion(name, &known, "indices and parameters"))
                    .help(format!("parameters are declared in the header: @\"param {name}=4\"")),
            );
        });
    }

    /// A role that takes part: declared (S101), and with an index if and only if it is an array (S116).
    fn role(&mut self, role: &RoleReference, scope: &Scope<'a>) {
        let Some(declared) = self.declared(&role.name, scope) else { return };
        match (&declared.range, &role.index) {
            (None, Some(_)) => self.diagnostics.push(
                Diagnostic::error("S116", format!("role `{}` has no index", role.name.text))
                    .at(role.at.0, "an index is given here")
                    .at(declared.name.at.0, "declared as a single role"),
            ),
            (Some(_), None) => self.diagnostics.push(
                Diagnostic::error("S116", format!("role `{}` needs an index", role.name.text))
                    .at(role.at.0, "which one?")
                    .at(declared.name.at.0, "declared as an array of roles")
                    .help(format!(
                        "write `{}[..]`, with `foreach` around it if all are meant",
                        role.name.text
                    )),
            ),
            _ => {}
        }
        if let Some(index) = &role.index {
            self.expression(index, scope);
        }
    }

    /// Whether so much is wrong that more of it serves nobody.
    fn is_full(&self) -> bool {
        self.diagnostics.len() >= MAX_FAULTS
    }

    /// The declaration of a role; without one, S101.
    fn declared(&mut self, name: &Name, scope: &Scope<'a>) -> Option<&'a RoleDeclaration> {
        let found = scope.roles.get(name.text.as_str()).copied();
        if found.is_none() && !self.is_full() {
            let diagnostic = unknown_role(&name.text, name.at.0, scope.roles.keys().copied());
            self.diagnostics.push(diagnostic);
        }
        found
    }
}

/// S101 for a name that is no role.
pub(super) fn unknown_role<'a>(name: &str, span: Span, known: impl Iterator<Item = &'a str>) -> Diagnostic {
    let known: Vec<&str> = known.collect();
    Diagnostic::error("S101", format!("there is no role `{name}` here"))
        .at(span, "unknown role")
        .help(suggestion(name, &known, "roles"))
}
