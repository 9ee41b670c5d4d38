//! Explain pages: one for each diagnostic code, and the lists of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::File;
use crate::Failure;

/// Folder of the pages.
const FOLDER: &str = "docs/src/explain/";
/// The list of all pages for readers.
const INDEX: &str = "docs/src/explain/README.md";
/// The table of contents of the book.
const CONTENTS: &str = "docs/src/SUMMARY.md";
/// Letters of the systems: session, P4, Markov, cost, deployment.
const LETTERS: &str = "SPMCD";

/// Codes without a page, pages without a code, pages with a wrong title, lists out of date.
#[must_use]
pub fn faults(files: &[File]) -> Vec<String> {
    let (codes, pages) = (codes_in_sources(files), pages(files));
    let mut faults = Vec::new();
    for (code, path) in &codes {
        if !pages.contains_key(code) {
            faults.push(format!("{path}: code {code} has no page {FOLDER}{code}.md"));
        }
    }
    for (code, title) in &pages {
        if !codes.contains_key(code) {
            faults.push(format!("{FOLDER}{code}.md: no source uses the code {code}"));
        }
        if title.is_none() {
            faults.push(format!("{FOLDER}{code}.md: the first line must be `# {code}: title`"));
        }
    }
    for (path, wanted) in lists(files, &pages) {
        if text(files, path) != wanted {
            faults.push(format!("{path}: out of date; run `cargo xtask tidy --fix`"));
        }
    }
    faults
}

/// Writes the index and the table of contents.
///
/// # Errors
/// When a file cannot be written.
pub fn write_lists(root: &Path, files: &[File]) -> Result<(), Failure> {
    for (path, wanted) in lists(files, &pages(files)) {
        std::fs::write(root.join(path), wanted).map_err(|error| Failure(format!("{path}: {error}")))?;
    }
    Ok(())
}

fn text<'a>(files: &'a [File], path: &str) -> &'a str {
    files.iter().find(|file| file.path == path).map_or("", |file| file.text.as_str())
}

/// Each code that a source uses as a string, with the first file that does.
fn codes_in_sources(files: &[File]) -> BTreeMap<String, String> {
    let mut codes = BTreeMap::new();
    let sources = files.iter().filter(|file| file.path.starts_with("crates/") && file.path.contains("/src/"));
    for file in sources.filter(|file| file.path.ends_with(".rs")) {
        for word in file.text.split('"').filter(|word| is_code(word)) {
            codes.entry(word.to_owned()).or_insert_with(|| file.path.clone());
        }
    }
    codes
}

/// Whether a word is a diagnostic code: a letter of a system and three digits.
#[must_use]
pub fn is_code(word: &str) -> bool {
    let mut letters = word.chars();
    word.len() == 4
        && letters.next().is_some_and(|first| LETTERS.contains(first))
        && letters.all(|digit| digit.is_ascii_digit())
}

/// Each page's code and title; no title where the first line is not as it should be.
fn pages(files: &[File]) -> BTreeMap<String, Option<String>> {
    let mut pages = BTreeMap::new();
    for file in files {
        let name = file.path.strip_prefix(FOLDER).and_then(|name| name.strip_suffix(".md"));
        let Some(code) = name.filter(|name| is_code(name)) else { continue };
        let first = file.text.lines().next().unwrap_or_default();
        let title = first.strip_prefix(&format!("# {code}: ")).filter(|title| !title.trim().is_empty());
        pages.insert(code.to_owned(), title.map(str::to_owned));
    }
    pages
}

/// The files that list the pages, with what they should hold.
fn lists(files: &[File], pages: &BTreeMap<String, Option<String>>) -> [(&'static str, String); 2] {
    [(INDEX, index(pages)), (CONTENTS, contents(text(files, CONTENTS), pages))]
}

fn index(pages: &BTreeMap<String, Option<String>>) -> String {
    let mut out = String::from(
        "# Diagnostics\n\n\
         Every diagnostic has a code. `lagcast explain CODE` prints the page of a code; each page has an example\n\
         that gets the diagnostic and one that is mended, and the tests run both. This list is written by\n\
         `cargo xtask tidy --fix`.\n",
    );
    let groups: BTreeSet<char> = pages.keys().filter_map(|code| code.chars().next()).collect();
    for group in groups {
        out.push_str(&format!("\n## {}\n\n| Code | Meaning |\n|---|---|\n", group_name(group)));
        for (code, title) in pages.iter().filter(|(code, _)| code.starts_with(group)) {
            let title = title.as_deref().unwrap_or_default();
            out.push_str(&format!("| [{code}]({code}.md) | {title} |\n"));
        }
    }
    out
}

fn group_name(letter: char) -> &'static str {
    match letter {
        'S' => "S: session protocols",
        'P' => "P: P4 programs",
        'M' => "M: probabilistic models",
        'C' => "C: cost models",
        _ => "D: deployments",
    }
}

/// The table of contents with the lines of the pages replaced, below the line of the index.
fn contents(now: &str, pages: &BTreeMap<String, Option<String>>) -> String {
    let mut out = String::new();
    for line in now.lines().filter(|line| !lists_a_page(line)) {
        out.push_str(line);
        out.push('\n');
        if line.contains("(explain/README.md)") {
            let indent = &line[..line.len() - line.trim_start().len()];
            for (code, title) in pages {
                let title = title.as_deref().unwrap_or_default();
                out.push_str(&format!("{indent}  - [{code}: {title}](explain/{code}.md)\n"));
            }
        }
    }
    out
}

fn lists_a_page(line: &str) -> bool {
    let Some((_, link)) = line.split_once("](explain/") else { return false };
    link.strip_suffix(".md)").is_some_and(is_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    fn project() -> Vec<File> {
        let pages = BTreeMap::from([("S001".to_owned(), Some("a title".to_owned()))]);
        vec![
            file("crates/session/src/a.rs", "Diagnostic::error(\"S001\", \"no\")"),
            file("docs/src/explain/S001.md", "# S001: a title\n"),
            file(INDEX, &index(&pages)),
            file(CONTENTS, "- [D](explain/README.md)\n  - [S001: a title](explain/S001.md)\n- [E](e.md)\n"),
        ]
    }

    #[test]
    fn codes_pages_and_lists_agree() {
        assert_eq!(faults(&project()), Vec::<String>::new());
    }

    #[test]
    fn a_code_needs_a_page_and_a_page_a_code() {
        let mut files = project();
        files[0].text = files[0].text.replace("S001", "S002");
        let found = faults(&files);
        assert_eq!(found[0], "crates/session/src/a.rs: code S002 has no page docs/src/explain/S002.md");
        assert_eq!(found[1], "docs/src/explain/S001.md: no source uses the code S001");
    }

    #[test]
    fn a_changed_title_makes_the_lists_stale_until_rewritten() {
        let mut files = project();
        files[1].text = "# S001: another title\n".to_owned();
        assert_eq!(faults(&files).len(), 2);
        for (path, wanted) in lists(&files.clone(), &pages(&files)) {
            files.iter_mut().find(|file| file.path == path).unwrap().text = wanted;
        }
        assert_eq!(faults(&files), Vec::<String>::new());
    }

    #[test]
    fn a_page_without_a_title_is_a_fault() {
        let mut files = project();
        files[1].text = "# Something else\n".to_owned();
        assert!(faults(&files).iter().any(|fault| fault.contains("the first line must be")));
    }
}
