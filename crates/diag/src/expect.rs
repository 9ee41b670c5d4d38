//! Expectations inside corpus files: which diagnostics a text must get, and on which lines.
//!
//! A comment that holds `~ CODE` expects a diagnostic with that code on its own line; each `^` right
//! after the tilde moves one line up, each `v` one line down. Several codes are separated by commas:
//! `//~ S101, S102` or `#~^ C003`. Nothing but codes and `^`/`v` may follow the tilde up to the line's end.

use crate::{Diagnostic, Source};

/// A line (from 1; 0 for "no place") and a code.
pub type Finding = (usize, String);

/// The findings that the comments of a text expect, sorted.
#[must_use]
pub fn expected(text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let Some((_, marks)) = line.split_once("//~").or_else(|| line.split_once("#~")) else { continue };
        let codes = marks.trim_start_matches(['^', 'v']);
        let (ups, downs) = marks[..marks.len() - codes.len()]
            .chars()
            .fold((0, 0), |(u, d), c| if c == '^' { (u + 1, d) } else { (u, d + 1) });
        let target = index + 1 + downs - ups;
        findings.extend(codes.split(',').map(|code| (target, code.trim().to_owned())));
    }
    findings.sort();
    findings
}

/// The findings that a list of diagnostics makes (notes left out), sorted.
#[must_use]
pub fn found(source: &Source, diagnostics: &[Diagnostic]) -> Vec<Finding> {
    let mut findings: Vec<Finding> = diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity != crate::Severity::Note)
        .map(|diagnostic| {
            let line = diagnostic.span().map_or(0, |span| source.position(span.start).line);
            (line, diagnostic.code.to_owned())
        })
        .collect();
    findings.sort();
    findings
}
