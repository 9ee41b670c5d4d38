use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde_json::{Value, json};

use crate::{Diagnostic, Severity, Source};

/// Whether rendered text carries terminal colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// ANSI colours.
    Ansi,
    /// Plain text.
    Plain,
}

/// Renders diagnostics with the source lines they point at, one block each, in the given order.
#[must_use]
pub fn render(source: &Source, diagnostics: &[Diagnostic], colour: Colour) -> String {
    let renderer = match colour {
        Colour::Ansi => Renderer::styled(),
        Colour::Plain => Renderer::plain(),
    };
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&renderer.render(&groups(source, diagnostic)));
        out.push_str("\n\n");
    }
    out
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

fn groups<'a>(source: &'a Source, diagnostic: &'a Diagnostic) -> Vec<Group<'a>> {
    let title = level(diagnostic.severity).primary_title(&diagnostic.message).id(diagnostic.code);
    let mut group = Group::with_title(title);
    if !diagnostic.labels.is_empty() {
        let annotations = diagnostic.labels.iter().enumerate().map(|(index, label)| {
            let kind = if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            kind.span(on_characters(source.text(), label.span.range())).label(&label.message)
        });
        group = group.element(Snippet::source(source.text()).path(source.name()).annotations(annotations));
    }
    for sentence in &diagnostic.help {
        group = group.element(Level::HELP.message(sentence));
    }
    vec![group]
}

/// Clips a range to the text and widens it to whole characters, so that rendering cannot fail.
fn on_characters(text: &str, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let mut start = range.start.min(text.len());
    let mut end = range.end.clamp(start, text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

/// The documented JSON of a list of diagnostics: `code, severity, message, file, line, column,
/// labels, help`, with lines and columns counted from 1 (null where there is no place).
#[must_use]
pub fn to_json(source: &Source, diagnostics: &[Diagnostic]) -> Value {
    diagnostics.iter().map(|diagnostic| one_to_json(source, diagnostic)).collect()
}

fn one_to_json(source: &Source, diagnostic: &Diagnostic) -> Value {
    let at = diagnostic.span().map(|span| source.position(span.start));
    let labels: Value = diagnostic.labels.iter().map(|label| label_to_json(source, label)).collect();
    json!({
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "file": source.name(),
        "line": at.map(|position| position.line),
        "column": at.map(|position| position.column),
        "labels": labels,
        "help": diagnostic.help,
    })
}

fn label_to_json(source: &Source, label: &crate::Label) -> Value {
    let (start, end) = (source.position(label.span.start), source.position(label.span.end));
    json!({
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
        "message": label.message,
    })
}
