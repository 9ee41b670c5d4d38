//! Where in which text, and how to say it.
//!
//! A parser or check never prints and never stops at the first fault: it returns a list of
//! [`Diagnostic`]s whose [`Span`]s point into one [`Source`]. The edge renders the list with
//! [`render`] (for people) or [`to_json`] (for scripts).

pub mod expect;
mod render;
mod source;
pub mod spelling;

pub use render::{Colour, render, to_json};
pub use source::{Position, Source, Span};

use serde::Serialize;

/// How grave a diagnostic is. Only errors make a text unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The text has no meaning, or its meaning is refused.
    Error,
    /// The text has a meaning that is probably not the one intended.
    Warning,
    /// Something the reader should know; nothing is wrong.
    Note,
}

/// A place in the source with what is to be said about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Label {
    /// The bytes meant.
    pub span: Span,
    /// What is said about them; may be empty.
    pub message: String,
}

/// One thing to be said about a text: code, place, cause and cure.
///
/// All labels of a diagnostic lie in the same [`Source`]; the first one is where the eye should go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// Stable code, such as `S001`; `lagcast explain S001` prints its page.
    pub code: &'static str,
    /// How grave it is.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Places, the main one first.
    pub labels: Vec<Label>,
    /// What to do about it, one sentence each.
    pub help: Vec<String>,
}

impl Diagnostic {
    fn new(code: &'static str, severity: Severity, message: impl Into<String>) -> Self {
        Self { code, severity, message: message.into(), labels: Vec::new(), help: Vec::new() }
    }

    /// An error: the text cannot be used.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// A warning: the text can be used, but probably does not say what was meant.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    /// A note: nothing is wrong.
    pub fn note(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Note, message)
    }

    /// Adds a place. The first place added is the main one.
    #[must_use]
    pub fn at(mut self, span: Span, message: impl Into<String>) -> Self {
        self.labels.push(Label { span, message: message.into() });
        self
    }

    /// Adds a sentence that says how to mend it.
    #[must_use]
    pub fn help(mut self, sentence: impl Into<String>) -> Self {
        self.help.push(sentence.into());
        self
    }

    /// The main place, if the diagnostic has one.
    #[must_use]
    pub fn span(&self) -> Option<Span> {
        self.labels.first().map(|label| label.span)
    }

    /// Whether this is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Whether any diagnostic of the list is an error.
#[must_use]
pub fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(Diagnostic::is_error)
}

/// Sorts by place, then gravity, then code, and removes exact repetitions.
///
/// Checks run in whatever order suits them; readers read from top to bottom.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        let key = |d: &Diagnostic| (d.span().map(|s| (s.start, s.end)), d.severity, d.code);
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
    diagnostics.dedup();
}
