//! Text to global type: scopes and arities checked, indices evaluated, calls replaced by what they call.

pub(crate) mod arena;
mod binding;
mod call;
mod deployment;
mod foreach;
mod inline;
mod invariants;
mod message;
mod new_roles;
mod parameters;
mod scope;
pub(crate) mod steps;

use std::collections::BTreeMap;

use diag::{Diagnostic, Source, Span};

pub use invariants::check_invariants;

use crate::global::GlobalType;
use crate::syntax::ast::{Module, Protocol};
use crate::syntax::parse_module;
use diag::spelling::suggestion;

/// What is given from outside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Options {
    /// Values of parameters; they win over the defaults of the header.
    pub parameters: BTreeMap<String, f64>,
    /// Which protocol of the file is meant. Else: the only one that is not `aux`, or the last of them.
    pub protocol: Option<String>,
}

/// How large a protocol may become by expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Interactions.
    pub interactions: usize,
    /// Roles.
    pub roles: usize,
    /// Blocks and calls within each other.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { interactions: 20_000_000, roles: 1_000_000, depth: 256 }
    }
}

/// Reads a protocol text and expands it: the whole way from text to global type.
///
/// The global type is there if and only if no diagnostic is an error. All diagnostics that can be
/// found are reported: first those of the text (S0xx), and if it has a form, those of scope and expansion (S1xx).
#[must_use]
pub fn parse(source: &Source, options: &Options) -> (Option<GlobalType>, Vec<Diagnostic>) {
    let (module, mut diagnostics) = parse_module(source);
    if diag::has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    let (global, more) = expand(&module, options, Limits::default());
    diagnostics.extend(more);
    diag::sort(&mut diagnostics);
    (global, diagnostics)
}

/// Expands one protocol of a module.
///
/// Codes S100 to S126. The global type is there if and only if no diagnostic is an error.
#[must_use]
pub fn expand(module: &Module, options: &Options, limits: Limits) -> (Option<GlobalType>, Vec<Diagnostic>) {
    let mut diagnostics = scope::check(module, options);
    let Some(protocol) = choose(module, options, &mut diagnostics) else {
        return (None, diagnostics);
    };
    if diag::has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    let (global, more) = inline::expand(module, protocol, options, limits);
    diagnostics.extend(more);
    diag::sort(&mut diagnostics);
    (global.filter(|_| !diag::has_errors(&diagnostics)), diagnostics)
}

/// The protocol that is meant.
fn choose<'a>(
    module: &'a Module,
    options: &Options,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<&'a Protocol> {
    if let Some(wanted) = &options.protocol {
        let found =
            module.protocols.iter().chain(&module.nested).find(|protocol| protocol.name.text == *wanted);
        if found.is_none() {
            let names: Vec<&str> =
                module.protocols.iter().map(|protocol| protocol.name.text.as_str()).collect();
            diagnostics.push(
                Diagnostic::error("S103", format!("there is no protocol `{wanted}` in this file"))
                    .help(suggestion(wanted, &names, "protocols")),
            );
        }
        return found;
    }
    let candidates: Vec<&Protocol> = module.protocols.iter().filter(|protocol| !protocol.aux).collect();
    let chosen = candidates.last().copied().or(module.protocols.last());
    match chosen {
        None => diagnostics.push(
            Diagnostic::error("S100", "this file has no protocol")
                .at(Span::default(), "none in the whole file")
                .help("a protocol reads `global protocol Name(role A, role B) { .. }`"),
        ),
        Some(protocol) if candidates.len() > 1 => diagnostics.push(
            Diagnostic::note(
                "S124",
                format!("of several protocols the last, `{}`, is taken", protocol.name.text),
            )
            .at(protocol.name.at.0, "taken")
            .help("mark protocols that are only called with `aux`, or name the one that is meant"),
        ),
        Some(_) => {}
    }
    chosen
}
