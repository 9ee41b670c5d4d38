//! Protocol text: nuScr's surface syntax with costs in its annotation strings, and our additions.
//!
//! [`parse_module`] reads a file into a [`ast::Module`] and says everything that is wrong with its
//! form. A module prints itself (`Display`) so that reading the print gives it back.

pub mod annotation;
pub mod ast;
pub mod expression;
mod lexer;
mod parser;
mod print;
mod token;

use diag::{Diagnostic, Source, Span};

pub use ast::Module;
pub use parser::{MAX_DEPTH, MAX_FAULTS};

/// Longest text that is read, in bytes.
pub const MAX_SOURCE: usize = 16 << 20;

/// Reads a protocol file.
///
/// The module holds what could be understood; it is meant to be used only if no diagnostic is an
/// error. Codes S001 to S018, and C1xx for formulas in annotations.
#[must_use]
pub fn parse_module(source: &Source) -> (Module, Vec<Diagnostic>) {
    if let Some(diagnostic) = too_large(source) {
        return (Module::default(), vec![diagnostic]);
    }
    let mut diagnostics = Vec::new();
    let tokens = lexer::tokens(source.text(), &mut diagnostics);
    let (module, mut diagnostics) = parser::Parser::new(source, tokens, diagnostics).module();
    diag::sort(&mut diagnostics);
    (module, diagnostics)
}

/// S022 for a word that cannot be the name of a role, protocol, loop or label in a text.
pub(crate) fn not_a_name(word: &str) -> Option<Diagnostic> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_name = word.bytes().next().is_some_and(is_letter)
        && word.bytes().all(|byte| is_letter(byte) || byte == b'\'')
        && token::Keyword::of(word).is_none();
    (!is_name).then(|| {
        Diagnostic::error("S022", format!("`{}` is no name", word.escape_debug()))
            .help("names are made of letters, digits, `_` and primes, do not begin with a prime and are not reserved")
    })
}

/// The refusal of a text that is too large to be read.
pub(crate) fn too_large(source: &Source) -> Option<Diagnostic> {
    (source.text().len() > MAX_SOURCE).then(|| {
        Diagnostic::error("S007", format!("this text is larger than {} MiB", MAX_SOURCE >> 20))
            .at(Span::new(0, 0), "not read")
            .help("repetition is written shorter with `foreach` and `do`")
    })
}
