//! Fenced blocks of Markdown files, for the tests that execute documentation.

use std::path::{Path, PathBuf};

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fence {
    /// What stands after the opening backquotes: `console`, `protocol fails`.
    pub(crate) info: String,
    /// Line of the file on which its text begins, from 1.
    pub(crate) line: usize,
    /// Its text, every line with its end.
    pub(crate) text: String,
}

/// The fenced blocks of a page that begin at the left margin, in order.
#[must_use]
pub(crate) fn fences(page: &str) -> Vec<Fence> {
    let mut fences = Vec::new();
    let mut open: Option<Fence> = None;
    for (index, line) in page.lines().enumerate() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                open = Some(Fence { info: info.trim().to_owned(), line: index + 2, text: String::new() });
            }
            (Some(_), Some(_)) => fences.extend(open.take()),
            (Some(fence), None) => {
                fence.text.push_str(line);
                fence.text.push('\n');
            }
            (None, None) => {}
        }
    }
    fences
}

/// The folder that holds the workspace.
#[must_use]
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the crate lies two folders deep").into()
}

/// The Markdown files under a folder, sorted.
#[must_use]
pub(crate) fn pages_under(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("the folder can be listed").path();
        if path.is_dir() {
            pages.extend(pages_under(&path));
        } else if path.extension().is_some_and(|kind| kind == "md") {
            pages.push(path);
        }
    }
    pages.sort();
    pages
}
