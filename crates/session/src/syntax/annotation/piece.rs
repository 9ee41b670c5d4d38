use diag::{Diagnostic, Span};

use cost::Formula;

/// A part of an annotation string, without white space around it, and its offset in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    pub(super) offset: usize,
}

impl<'a> Piece<'a> {
    pub(super) fn new(text: &'a str, offset: usize) -> Self {
        let start = text.len() - text.trim_start().len();
        Self { text: text.trim(), offset: offset + start }
    }

    pub(super) fn span(self) -> Span {
        Span::new(self.offset, self.offset + self.text.len())
    }

    /// The parts before and after a byte offset, the byte itself left out.
    pub(super) fn cut(self, at: usize) -> (Self, Self) {
        (Self::new(&self.text[..at], self.offset), Self::new(&self.text[at + 1..], self.offset + at + 1))
    }

    /// The parts between separators that stand in no parentheses.
    pub(super) fn split(self, separator: u8) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut open = 0_i32;
        let mut start = 0;
        for (at, byte) in self.text.bytes().enumerate() {
            match byte {
                b'(' | b'[' => open += 1,
                b')' | b']' => open -= 1,
                _ if byte == separator && open <= 0 => {
                    parts.push(Self::new(&self.text[start..at], self.offset + start));
                    start = at + 1;
                }
                _ => {}
            }
        }
        parts.push(Self::new(&self.text[start..], self.offset + start));
        parts
    }

    /// Key and value of `key = value`; `None` if it does not have this form.
    pub(super) fn assignment(self) -> Option<(Self, Self)> {
        let (key, value) = self.cut(self.text.find('=')?);
        (is_word(key.text) && !value.text.starts_with('=')).then_some((key, value))
    }

    /// The first word and the rest.
    pub(super) fn first_word(self) -> (Self, Self) {
        let end = self.text.find(|c: char| !is_word_character(c)).unwrap_or(self.text.len());
        (Self::new(&self.text[..end], self.offset), Self::new(&self.text[end..], self.offset + end))
    }

    /// The formula that it is; `None` if it has faults, which are reported.
    pub(super) fn formula(self, diagnostics: &mut Vec<Diagnostic>) -> Option<Formula> {
        Formula::parse(self.text, self.offset).map_err(|faults| diagnostics.extend(faults)).ok()
    }
}

/// Whether a text is one name.
pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word_character)
}

fn is_word_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '\'' | '\\' | '.')
}
