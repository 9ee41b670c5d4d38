//! Text to words.

use diag::{Diagnostic, Span};

use super::token::{Keyword, SYMBOLS, Token, TokenKind};

/// Faults after which the lexer still reads on but reports no more.
const MAX_FAULTS: usize = 100;

/// Splits a text into words; the last one is [`TokenKind::End`].
///
/// Comments vanish: `// ..`, `(*) ..` to the end of the line, `/* .. */`, and `(* .. *)`, which nest
/// and in which `(*)` has no meaning. What is no word is reported (S001 to S003) and left out.
pub(crate) fn tokens(text: &str, diagnostics: &mut Vec<Diagnostic>) -> Vec<Token> {
    let mut lexer = Lexer { text, at: 0, tokens: Vec::new(), faults: Vec::new() };
    while lexer.at < text.len() {
        lexer.word();
    }
    lexer.push(TokenKind::End, 0);
    lexer.faults.truncate(MAX_FAULTS);
    diagnostics.append(&mut lexer.faults);
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    tokens: Vec<Token>,
    faults: Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        self.tokens.push(Token { kind, span: Span::new(self.at, self.at + length) });
        self.at += length;
    }

    /// Reads one word, comment or stretch of white space.
    fn word(&mut self) {
        let rest = self.rest();
        match rest.as_bytes()[0] {
            b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
            b'"' => self.string(),
            _ if rest.starts_with("(*#") => self.push(TokenKind::PragmaOpen, 3),
            _ if rest.starts_with("#*)") => self.push(TokenKind::PragmaClose, 3),
            _ if rest.starts_with("//") || rest.starts_with("(*)") => {
                self.at += rest.find('\n').unwrap_or(rest.len());
            }
            _ if rest.starts_with("(*") => self.nested_comment(),
            _ if rest.starts_with("/*") => match rest[2..].find("*/") {
                Some(length) => self.at += length + 4,
                None => self.open_comment("*/"),
            },
            first if first.is_ascii_alphanumeric() || first == b'_' => self.name(),
            _ => match SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
                Some(symbol) => self.push(TokenKind::Symbol(symbol), symbol.len()),
                None => self.unknown(),
            },
        }
    }

    fn name(&mut self) {
        let rest = self.rest();
        let ends = |byte: u8| !(byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'\'');
        let length = rest.bytes().position(ends).unwrap_or(rest.len());
        let word = &rest[..length];
        let kind = match Keyword::of(word) {
            Some(keyword) => TokenKind::Keyword(keyword),
            None if word.bytes().all(|byte| byte.is_ascii_digit()) => TokenKind::Integer,
            None => TokenKind::Identifier,
        };
        self.push(kind, length);
    }

    fn string(&mut self) {
        let rest = self.rest();
        match rest[1..].find(['"', '\n']) {
            Some(length) if rest.as_bytes()[length + 1] == b'"' => self.push(TokenKind::Text, length + 2),
            end => {
                let length = end.map_or(rest.len(), |length| length + 1);
                self.fault(
                    Diagnostic::error("S002", "this string is not closed")
                        .at(Span::new(self.at, self.at + length), "the closing `\"` is missing")
                        .help("a string ends on the line on which it begins"),
                );
                self.push(TokenKind::Text, length);
            }
        }
    }

    /// Skips `(* .. *)` with the comments inside it.
    fn nested_comment(&mut self) {
        let bytes = self.text.as_bytes();
        let mut depth = 1_usize;
        let mut at = self.at + 2;
        while depth > 0 {
            match bytes.get(at..at + 2) {
                Some(b"(*") if bytes.get(at + 2) == Some(&b')') => at += 3,
                Some(b"(*") => (depth, at) = (depth + 1, at + 2),
                Some(b"*)") => (depth, at) = (depth - 1, at + 2),
                Some(_) => at += 1,
                None => return self.open_comment("*)"),
            }
        }
        self.at = at;
    }

    /// A comment that reaches the end of the file.
    fn open_comment(&mut self, close: &str) {
        let span = Span::new(self.at, self.at + 2);
        self.fault(
            Diagnostic::error("S003", "this comment is not closed")
                .at(span, format!("`{close}` is missing"))
                .help("comments of the form (* .. *) nest, those of the form /* .. */ do not"),
        );
        self.at = self.text.len();
    }

    /// Reports a run of characters that no word begins with.
    fn unknown(&mut self) {
        let start = self.at;
        while let Some(c) = self.rest().chars().next() {
            let known = c.is_ascii_alphanumeric()
                || matches!(c, '_' | '"' | ' ' | '\t' | '\n' | '\r')
                || SYMBOLS.iter().any(|symbol| self.rest().starts_with(*symbol));
            if known {
                break;
            }
            self.at += c.len_utf8();
        }
        let found = &self.text[start..self.at];
        let help = match found.chars().next() {
            Some('\'') => "a name begins with a letter, a digit or `_`; primes may only follow",
            Some('“' | '”' | '„') => "strings are set in straight quotation marks",
            Some('→') => "a message reads `Label(type) from P to Q;`",
            _ => "such characters may only stand in comments and strings",
        };
        self.fault(
            Diagnostic::error("S001", format!("`{}` has no meaning here", found.escape_debug()))
                .at(Span::new(start, self.at), "not understood")
                .help(help),
        );
    }

    fn fault(&mut self, diagnostic: Diagnostic) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(diagnostic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> (Vec<&str>, Vec<&'static str>) {
        let mut diagnostics = Vec::new();
        let list = tokens(text, &mut diagnostics);
        let words = list.iter().map(|token| &text[token.span.range()]).collect();
        (words, diagnostics.iter().map(|d| d.code).collect())
    }

    #[test]
    fn comments_of_all_kinds_vanish() {
        let text = "a // x\nb (* (*) (* y *) z *) c /* (* */ d (*) e\n f";
        assert_eq!(words(text), (vec!["a", "b", "c", "d", "f", ""], vec![]));
    }

    #[test]
    fn names_may_begin_with_digits_and_ranges_are_no_decimals() {
        assert_eq!(
            words("4a x' 1..n a.b~>c"),
            (vec!["4a", "x'", "1", "..", "n", "a", ".", "b", "~>", "c", ""], vec![])
        );
    }

    #[test]
    fn faults_are_reported_together() {
        assert_eq!(words("a § b \"c\n$ (* d").1, ["S001", "S002", "S001", "S003"]);
    }

    #[test]
    fn every_keyword_is_found_by_its_text() {
        assert!(Keyword::ALL.iter().all(|keyword| Keyword::of(keyword.text()) == Some(*keyword)));
    }
}
