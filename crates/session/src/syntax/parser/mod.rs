//! Words to a tree, with recovery: one fault costs one statement, not the file.

mod declaration;
mod expression;
mod message;
mod statement;

use diag::{Diagnostic, Source, Span};

use super::ast::{At, Name};
use super::token::{Keyword, Token, TokenKind};
use diag::spelling::nearest;

/// Deepest nesting of blocks, protocols and parentheses.
pub const MAX_DEPTH: usize = 256;
/// Faults after which the parser gives up.
pub const MAX_FAULTS: usize = 100;

/// A fault that has been reported; the caller recovers or passes it on.
struct Reported;

type Parsed<T> = Result<T, Reported>;

/// A cursor over the words of a source.
pub(super) struct Parser<'a> {
    source: &'a Source,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    /// Whether the file has been found to end inside a block.
    ended_early: bool,
}

impl<'a> Parser<'a> {
    /// A parser at the first word. `diagnostics` are those of the lexer.
    pub(super) fn new(source: &'a Source, tokens: Vec<Token>, diagnostics: Vec<Diagnostic>) -> Self {
        let errors = diagnostics.len();
        Self { source, tokens, at: 0, depth: 0, diagnostics, errors, ended_early: false }
    }

    fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    fn peek_after(&self, distance: usize) -> TokenKind {
        self.tokens[(self.at + distance).min(self.tokens.len() - 1)].kind
    }

    /// The text of a word. It lives as long as the source, not as the parser.
    fn text(&self, token: Token) -> &'a str {
        self.source.slice(token.span)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.at += 1;
        }
        token
    }

    fn is_keyword(&self, keyword: Keyword) -> bool {
        self.peek().kind == TokenKind::Keyword(keyword)
    }

    fn is_symbol(&self, symbol: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Symbol(found) if found == symbol)
    }

    /// Whether the next word is a name with this text: a word reserved in this position only.
    fn is_soft(&self, word: &str) -> bool {
        self.peek().kind == TokenKind::Identifier && self.text(self.peek()) == word
    }

    fn take_keyword(&mut self, keyword: Keyword) -> bool {
        self.take_if(self.is_keyword(keyword))
    }

    fn take_symbol(&mut self, symbol: &str) -> bool {
        self.take_if(self.is_symbol(symbol))
    }

    fn take_soft(&mut self, word: &str) -> bool {
        self.take_if(self.is_soft(word))
    }

    fn take_if(&mut self, condition: bool) -> bool {
        if condition {
            self.next();
        }
        condition
    }

    fn expect_keyword(&mut self, keyword: Keyword) -> Parsed<Span> {
        let token = self.peek();
        if self.take_keyword(keyword) {
            return Ok(token.span);
        }
        let mut diagnostic = self.unexpected(&format!("`{}`", keyword.text()), token.span);
        let is_near = nearest(self.text(token), [keyword.text()]).is_some();
        if token.kind == TokenKind::Identifier && is_near {
            diagnostic = diagnostic.help(format!("did you mean `{}`?", keyword.text()));
        }
        Err(self.error(diagnostic))
    }

    fn expect_symbol(&mut self, symbol: &str) -> Parsed<Span> {
        let token = self.peek();
        if self.take_symbol(symbol) {
            return Ok(token.span);
        }
        // Punctuation that is missing at the end of a line is missed there, not on the next line.
        let end = self.at.checked_sub(1).map_or(0, |before| self.tokens[before].span.end as usize);
        let is_behind = self.source.text()[end..token.span.start as usize].contains('\n');
        let place = if is_behind { Span::new(end, end) } else { token.span };
        let diagnostic = self.unexpected(&format!("`{symbol}`"), place);
        Err(self.error(diagnostic))
    }

    /// A name; digits alone are one, too.
    fn name(&mut self, what: &str) -> Parsed<Name> {
        let token = self.peek();
        match token.kind {
            TokenKind::Identifier | TokenKind::Integer => {
                self.next();
                Ok(Name { text: self.text(token).to_owned(), at: At(token.span) })
            }
            TokenKind::Keyword(_) => {
                let word = self.text(token);
                Err(self.error(
                    Diagnostic::error("S004", format!("expected {what}, found the reserved word `{word}`"))
                        .at(token.span, "not a name")
                        .help(format!("choose another name, such as `{word}_`")),
                ))
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Elements separated by commas; at least one.
    fn list<T>(&mut self, mut element: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut elements = vec![element(self)?];
        while self.take_symbol(",") {
            elements.push(element(self)?);
        }
        Ok(elements)
    }

    /// Elements separated by commas up to a closing symbol, which is taken, too; none is fine.
    fn list_until<T>(&mut self, close: &str, element: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let elements = if self.is_symbol(close) { Vec::new() } else { self.list(element)? };
        self.expect_symbol(close)?;
        Ok(elements)
    }

    /// Runs `inside` one level deeper, unless that is too deep.
    fn nested<T>(&mut self, inside: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return Err(self.error(
                Diagnostic::error("S007", "this is nested too deeply")
                    .at(self.peek().span, format!("level {}", MAX_DEPTH + 1))
                    .help(format!("at most {MAX_DEPTH} levels of blocks and parentheses can be read")),
            ));
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    /// Takes the closing brace of a block. Of blocks that are open at the end of the file only the
    /// innermost is reported.
    fn close(&mut self, open: Span) -> Parsed<Span> {
        let token = self.peek();
        if self.take_symbol("}") {
            return Ok(token.span);
        }
        if token.kind == TokenKind::End && std::mem::replace(&mut self.ended_early, true) {
            return Err(Reported);
        }
        let end = self.tokens[self.at - 1].span.end as usize;
        let place = if token.kind == TokenKind::End { Span::new(end, end) } else { token.span };
        let diagnostic = self.unexpected("`}`", place).at(open, "the block begins here");
        Err(self.error(diagnostic))
    }

    /// Reports that something else than the next word was expected.
    fn expected(&mut self, what: &str) -> Reported {
        let diagnostic = self.unexpected(what, self.peek().span);
        self.error(diagnostic)
    }

    fn unexpected(&self, what: &str, place: Span) -> Diagnostic {
        let token = self.peek();
        let found = token.kind.describe(self.text(token));
        let label =
            if what.len() > 30 { "not understood".to_owned() } else { format!("{what} expected here") };
        Diagnostic::error("S004", format!("expected {what}, found {found}")).at(place, label)
    }

    fn error(&mut self, diagnostic: Diagnostic) -> Reported {
        self.errors += 1;
        self.diagnostics.push(diagnostic);
        Reported
    }

    /// Whether so much is wrong that reading on serves nobody.
    fn hopeless(&self) -> bool {
        self.errors >= MAX_FAULTS
    }

    /// Skips the rest of a broken statement: up to and with a semicolon and its annotation or a
    /// block, or up to a closing brace.
    fn skip_statement(&mut self) {
        loop {
            match self.peek().kind {
                TokenKind::End | TokenKind::Symbol("}") => return,
                TokenKind::Symbol(";") => {
                    self.next();
                    if self.is_symbol("@") && self.peek_after(1) == TokenKind::Text {
                        self.next();
                        self.next();
                    }
                    return;
                }
                TokenKind::Symbol("{") => {
                    self.skip_braces();
                    return;
                }
                _ => self.next(),
            };
        }
    }

    /// Skips `{ .. }` with the braces inside it.
    fn skip_braces(&mut self) {
        let mut open = 0_usize;
        loop {
            match self.next().kind {
                TokenKind::Symbol("{") => open += 1,
                TokenKind::Symbol("}") => open -= 1,
                TokenKind::End => return,
                _ => {}
            }
            if open == 0 {
                return;
            }
        }
    }
}
