//! Words of the protocol text.

use diag::Span;

/// What a word is. Its text is the source under its span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A name. Digits may come first, primes not.
    Identifier,
    /// Digits only.
    Integer,
    /// `"..."` on one line.
    Text,
    /// A reserved word.
    Keyword(Keyword),
    /// Punctuation or an operator, by its text.
    Symbol(&'static str),
    /// `(*#`
    PragmaOpen,
    /// `#*)`
    PragmaClose,
    /// The end of the file.
    End,
}

/// A word with its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

macro_rules! keywords {
    ($($variant:ident = $text:literal),* $(,)?) => {
        /// The reserved words: exactly those of nuScr, so that its files read unchanged.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Keyword { $($variant),* }

        impl Keyword {
            /// All of them.
            #[cfg(test)]
            pub(crate) const ALL: &[Keyword] = &[$(Keyword::$variant),*];

            pub(crate) fn text(self) -> &'static str {
                match self { $(Keyword::$variant => $text),* }
            }

            pub(crate) fn of(text: &str) -> Option<Self> {
                match text { $($text => Some(Keyword::$variant),)* _ => None }
            }
        }
    };
}

keywords! {
    Protocol = "protocol", Global = "global", Nested = "nested", Aux = "aux", Role = "role",
    From = "from", To = "to", Choice = "choice", At = "at", Or = "or", Rec = "rec",
    Continue = "continue", Do = "do", Calls = "calls", New = "new",
    Len = "len", Not = "not", True = "true", False = "false",
}

/// Punctuation and operators; a longer one comes before its own beginning.
pub(crate) const SYMBOLS: &[&str] = &[
    "..", "~>", "&&", "||", "<>", "<=", ">=", "==", "!=", ",", ";", ":", ".", "=", "+", "-", "*", "/", "%",
    "<", ">", "(", ")", "{", "}", "[", "]", "@",
];

impl TokenKind {
    /// How a message names the word.
    pub(crate) fn describe(self, text: &str) -> String {
        match self {
            TokenKind::Identifier => format!("the name `{text}`"),
            TokenKind::Integer => format!("the number `{text}`"),
            TokenKind::Text => "a string".to_owned(),
            TokenKind::Keyword(_) => format!("the reserved word `{text}`"),
            TokenKind::Symbol(_) | TokenKind::PragmaOpen | TokenKind::PragmaClose => format!("`{text}`"),
            TokenKind::End => "the end of the file".to_owned(),
        }
    }
}
