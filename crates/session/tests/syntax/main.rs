//! Reading protocols: text, JSON and Rust to global types.
#![allow(
    clippy::disallowed_methods,
    reason = "tests read corpora from disk, and where they are from the environment"
)]
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

mod builder;
mod faulty;
mod good;
mod json;
mod laws;
mod modules;
mod mutations;
mod nuscr;
mod random;
mod scale;

use std::path::{Path, PathBuf};

use diag::{Colour, Diagnostic, Source};

/// A folder of the project's own corpus.
fn own_corpus(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/session").join(folder)
}

/// All files below a folder with an extension, sorted.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> Source {
    let name = path.file_name().unwrap().to_str().unwrap();
    Source::new(name, std::fs::read_to_string(path).unwrap())
}

fn rendered(source: &Source, diagnostics: &[Diagnostic]) -> String {
    diag::render(source, diagnostics, Colour::Plain)
}

fn codes(diagnostics: &[Diagnostic]) -> Vec<&'static str> {
    diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

/// The global type of a text that must have one.
fn global(text: &str) -> session::GlobalType {
    let source = Source::new("test", text);
    let (global, diagnostics) = session::parse(&source, &session::Options::default());
    global.unwrap_or_else(|| panic!("{}\n{text}", rendered(&source, &diagnostics)))
}
