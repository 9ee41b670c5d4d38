use diag::{Diagnostic, Span};

use super::Formula;
use crate::Unit;
use diag::spelling::suggestion;

/// A word of a formula.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Quantity(f64, Unit),
    Name(String),
    Plus,
    Minus,
    Times,
    Over,
    Power,
    Open,
    Close,
    Comma,
    End,
}

impl Token {
    /// Whether a value can begin with it (a sign aside).
    pub(super) fn begins_value(&self) -> bool {
        matches!(self, Token::Number(_) | Token::Quantity(..) | Token::Name(_) | Token::Open)
    }
}

/// Splits a formula into words with their spans in the formula; the last one is [`Token::End`].
///
/// What is no word is reported (C101, C104) and left out; a misspelt number stands as 1.
pub(super) fn tokens(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<(Token, Span)> {
    let mut list = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (token, length) = match first {
            '+' => (Some(Token::Plus), 1),
            '-' => (Some(Token::Minus), 1),
            '*' => (Some(Token::Times), 1),
            '/' => (Some(Token::Over), 1),
            '^' => (Some(Token::Power), 1),
            '(' => (Some(Token::Open), 1),
            ')' => (Some(Token::Close), 1),
            ',' => (Some(Token::Comma), 1),
            _ if first.is_whitespace() => (None, first.len_utf8()),
            _ if begins_name(first) => {
                let length = rest.find(|c| !continues_name(c)).unwrap_or(rest.len());
                (Some(Token::Name(rest[..length].to_owned())), length)
            }
            _ if first.is_ascii_digit() || (first == '.' && digits(&rest[1..]) > 0) => {
                let (token, length) = number(rest, at, diagnostics);
                (Some(token), length)
            }
            _ => {
                diagnostics.push(unexpected(first, at));
                (meant(first), first.len_utf8())
            }
        };
        list.extend(token.map(|token| (token, Span::new(at, at + length))));
        at += length;
    }
    list.push((Token::End, Span::new(text.len(), text.len())));
    list
}

fn begins_name(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_' || c == '\\'
}

fn continues_name(c: char) -> bool {
    begins_name(c) || c.is_ascii_digit() || c == '\''
}

/// How many digits a text begins with.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// The operator that a typographic sign stands for: reading goes on with it.
fn meant(found: char) -> Option<Token> {
    match found {
        '×' | '·' | '⋅' => Some(Token::Times),
        '÷' => Some(Token::Over),
        '−' | '–' => Some(Token::Minus),
        _ => None,
    }
}

fn unexpected(found: char, at: usize) -> Diagnostic {
    let span = Span::new(at, at + found.len_utf8());
    let help = match (meant(found), found) {
        (Some(Token::Times), _) => "multiplication is written `*`",
        (Some(Token::Over), _) => "division is written `/`",
        (Some(_), _) => "minus is written `-`",
        (None, '[' | ']' | '{' | '}') => "only round parentheses group",
        (None, '%') => "remainders are written `mod(a, b)`",
        (None, _) => "a formula is made of numbers, names, + - * / ^, parentheses and function calls",
    };
    Diagnostic::error("C101", format!("`{}` has no meaning in a formula", found.escape_debug()))
        .at(span, "not understood")
        .help(help)
}

/// The number or quantity that a text begins with, and its length.
fn number(text: &str, at: usize, diagnostics: &mut Vec<Diagnostic>) -> (Token, usize) {
    let mut length = digits(text);
    if text[length..].starts_with('.') && digits(&text[length + 1..]) > 0 {
        length += 1 + digits(&text[length + 1..]);
    }
    if text[length..].starts_with(['e', 'E']) {
        let sign = usize::from(text[length + 1..].starts_with(['+', '-']));
        let exponent = digits(&text[length + 1 + sign..]);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    let rest = &text[length..];
    // A dot is taken along so that `1.2.3` and `5.` are one misspelt number.
    let suffix = &rest[..rest.find(|c| !continues_name(c) && c != '.').unwrap_or(rest.len())];
    let value: f64 = text[..length].parse().unwrap_or(f64::INFINITY);
    let span = Span::new(at, at + length + suffix.len());
    if !value.is_finite() {
        diagnostics.push(
            Diagnostic::error("C104", "this number is too large")
                .at(span, "beyond 1.8e308")
                .help("numbers are 64-bit floating point"),
        );
        return (Token::Number(1.0), length + suffix.len());
    }
    let token = match (suffix, Unit::from_symbol(suffix)) {
        ("", _) => Token::Number(value),
        (_, Some(unit)) => Token::Quantity(value, unit),
        (_, None) => {
            diagnostics.push(bad_suffix(&text[..length], suffix, span));
            Token::Number(1.0)
        }
    };
    (token, length + suffix.len())
}

fn bad_suffix(number: &str, suffix: &str, span: Span) -> Diagnostic {
    let whole = format!("{number}{suffix}");
    let symbols = Unit::ALL.map(Unit::symbol);
    let diagnostic = Diagnostic::error("C104", format!("`{whole}` is neither a number nor a time"))
        .at(span, format!("`{suffix}` is no unit"));
    if suffix.contains('.') || suffix.starts_with(['e', 'E', '_']) {
        diagnostic.help("numbers look like 12, 1.5 or 1e-6")
    } else {
        diagnostic
            .help(suggestion(suffix, &symbols, "units"))
            .help(format!("a product needs its sign: `{number}*{suffix}`"))
    }
}

/// The variables and quantities of a formula's text with their places, in order.
pub(crate) fn leaves(text: &str) -> Vec<(Formula, Span)> {
    let tokens = tokens(text, &mut Vec::new());
    let called = |index: usize| tokens.get(index + 1).is_some_and(|(next, _)| *next == Token::Open);
    tokens
        .iter()
        .enumerate()
        .filter_map(|(index, (token, span))| match token {
            Token::Name(name) if !called(index) => Some((Formula::name(name), *span)),
            Token::Quantity(value, unit) => Some((Formula::quantity(*value, *unit), *span)),
            _ => None,
        })
        .collect()
}

/// Whether a text can stand for a variable in formulas.
pub(crate) fn is_name(text: &str) -> bool {
    text.starts_with(begins_name) && text.chars().all(continues_name)
}
