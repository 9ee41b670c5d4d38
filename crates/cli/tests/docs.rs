//! Executes the documentation: every `$ lagcast ..` line of a console block in README.md, docs/src and
//! examples/*/README.md, and compares what the program says with what the page says.
//!
//! In the page, `[..]` stands for any text within a line and a line `...` for any lines. What the program
//! writes to standard error follows what it writes to standard output; a status other than 0 is a last
//! line `[exit status N]`. Lines that begin with `$` and another program are for the reader only.
//! `UPDATE_EXPECT=1 cargo test -p lagcast --test docs` writes the outputs that differ into the pages.

mod markdown;

use std::path::{Path, PathBuf};
use std::process::Command;

use markdown::{fences, pages_under, root};

/// A command of a page with what it should print.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    /// Index of its first line in the page.
    at: usize,
    /// Index of the line after its last one (end of the expected output).
    end: usize,
    /// Index of the first line of the expected output.
    output: usize,
    /// The command as words.
    words: Vec<String>,
}

#[test]
fn commands_in_the_documentation_do_what_it_says() {
    let sandbox = sandbox();
    let mut faults = Vec::new();
    let mut count = 0;
    for path in documentation() {
        let page = std::fs::read_to_string(&path).expect("the page is readable");
        let commands = commands(&page);
        count += commands.len();
        faults.extend(check(&path, &page, &commands, sandbox.path()));
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n\n"));
    assert!(count > 0, "no page shows a command");
}

fn documentation() -> Vec<PathBuf> {
    let root = root();
    let mut pages = vec![root.join("README.md")];
    pages.extend(pages_under(&root.join("docs/src")));
    pages.extend(pages_under(&root.join("examples")));
    pages
}

/// A folder that looks like the workspace's root, so that commands may write files beside what they read.
fn sandbox() -> tempfile::TempDir {
    let sandbox = tempfile::tempdir().expect("a folder can be made");
    for name in ["examples", "docs", "tests"] {
        std::os::unix::fs::symlink(root().join(name), sandbox.path().join(name)).expect("a link can be made");
    }
    sandbox
}

fn check(path: &Path, page: &str, commands: &[Shown], folder: &Path) -> Vec<String> {
    let lines: Vec<&str> = page.lines().collect();
    let mut faults = Vec::new();
    let mut mended = Vec::new();
    let mut copied = 0;
    for shown in commands {
        let actual = execute(&shown.words, folder);
        let expected = &lines[shown.output..shown.end];
        mended.extend(lines[copied..shown.output].iter().map(|line| (*line).to_owned()));
        copied = shown.end;
        if same(expected, &actual) {
            mended.extend(expected.iter().map(|line| (*line).to_owned()));
        } else {
            faults.push(difference(path, shown, expected, &actual));
            mended.extend(actual);
        }
    }
    if std::env::var_os("UPDATE_EXPECT").is_none() || faults.is_empty() {
        return faults;
    }
    mended.extend(lines[copied..].iter().map(|line| (*line).to_owned()));
    std::fs::write(path, mended.join("\n") + "\n").expect("the page is writable");
    Vec::new()
}

fn difference(path: &Path, shown: &Shown, expected: &[&str], actual: &[String]) -> String {
    let place = path.strip_prefix(root()).unwrap_or(path).display();
    format!(
        "{place}:{}: `{}`\n--- the page says\n{}\n--- the program says\n{}",
        shown.at + 1,
        shown.words.join(" "),
        expected.join("\n"),
        actual.join("\n")
    )
}

/// Runs the program and gives the lines it prints, and a line for its status when that is not 0.
fn execute(words: &[String], folder: &Path) -> Vec<String> {
    let output = Command::new(env!("CARGO_BIN_EXE_lagcast"))
        .args(&words[1..])
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("the program starts");
    let mut lines: Vec<String> = Vec::new();
    for stream in [&output.stdout, &output.stderr] {
        lines.extend(String::from_utf8_lossy(stream).lines().map(|line| line.trim_end().to_owned()));
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    match output.status.code() {
        Some(0) => {}
        Some(code) => lines.push(format!("[exit status {code}]")),
        None => lines.push("[ended by a signal]".to_owned()),
    }
    lines
}

/// The commands of a page's console blocks that run `lagcast`.
fn commands(page: &str) -> Vec<Shown> {
    let mut commands = Vec::new();
    for fence in fences(page).iter().filter(|fence| fence.info == "console") {
        let lines: Vec<&str> = fence.text.lines().collect();
        let starts: Vec<usize> = (0..lines.len()).filter(|index| lines[*index].starts_with("$ ")).collect();
        for (nth, start) in starts.iter().enumerate() {
            let mut end = starts.get(nth + 1).copied().unwrap_or(lines.len());
            while lines[end - 1].trim().is_empty() {
                end -= 1;
            }
            let (text, length) = joined(&lines[*start..end]);
            let words = words(&text);
            if words.first().is_some_and(|program| program == "lagcast") {
                let base = fence.line - 1;
                commands.push(Shown {
                    at: base + start,
                    end: base + end,
                    output: base + start + length,
                    words,
                });
            }
        }
    }
    commands
}

/// A command without its prompt, with the lines that continue it after a backslash; and how many lines.
fn joined(lines: &[&str]) -> (String, usize) {
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate() {
        let line = if index == 0 { &line[2..] } else { line };
        match line.strip_suffix('\\') {
            Some(continued) => text.push_str(continued),
            None => return (text + line, index + 1),
        }
    }
    (text, lines.len())
}

/// The words of a command; quotes keep spaces. The shell's other means are refused: there is no shell.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut inside: Option<char> = None;
    let mut started = false;
    for letter in text.chars() {
        match inside {
            Some(quote) if letter == quote => inside = None,
            Some(_) => words.last_mut().expect("a quote starts a word").push(letter),
            None if letter.is_whitespace() => started = false,
            None => {
                assert!(
                    !"|><;&$`".contains(letter),
                    "`{text}`: `{letter}` needs a shell; show one plain command"
                );
                if !started {
                    words.push(String::new());
                    started = true;
                }
                if letter == '\'' || letter == '"' {
                    inside = Some(letter);
                } else {
                    words.last_mut().expect("just pushed").push(letter);
                }
            }
        }
    }
    words
}

/// Whether the lines printed are those expected.
fn same(expected: &[&str], actual: &[String]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((&"...", rest)) => (0..=actual.len()).any(|skipped| same(rest, &actual[skipped..])),
        Some((line, rest)) => {
            actual.first().is_some_and(|first| same_line(line.trim_end(), first)) && same(rest, &actual[1..])
        }
    }
}

/// Whether a line printed is the one expected, `[..]` standing for any text.
fn same_line(expected: &str, actual: &str) -> bool {
    let Some((head, tail)) = expected.split_once("[..]") else { return expected == actual };
    let Some(rest) = actual.strip_prefix(head) else { return false };
    let mut cuts = rest.char_indices().map(|(at, _)| at).chain([rest.len()]);
    cuts.any(|at| same_line(tail, &rest[at..]))
}

#[test]
fn elisions_match_what_they_should() {
    let lines = |text: &[&str]| text.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    assert!(same(&["a", "...", "d"], &lines(&["a", "b", "c", "d"])));
    assert!(same(&["...", "d"], &lines(&["d"])));
    assert!(!same(&["a", "...", "d"], &lines(&["a", "b", "c"])));
    assert!(!same(&["a"], &lines(&["a", "b"])));
    assert!(same_line("took [..] s, error [..] %", "took 1.25 s, error -3 %"));
    assert!(!same_line("took [..] s", "took 1.25 ms"));
}

#[test]
fn commands_are_found_with_their_output() {
    let page =
        "text\n```console\n$ lagcast a 'b c' \\\n  d\nout\n$ cargo xtask demo\nother\n```\n$ lagcast no\n";
    let words = ["lagcast", "a", "b c", "d"].map(str::to_owned).to_vec();
    assert_eq!(commands(page), [Shown { at: 2, end: 5, output: 4, words }]);
}

#[test]
fn examples_in_the_book_are_understood() {
    let mut count = 0;
    for path in pages_under(&root().join("docs/src")) {
        let page = std::fs::read_to_string(&path).expect("the page is readable");
        for fence in fences(&page) {
            let source = diag::Source::new(format!("{}:{}", path.display(), fence.line), fence.text);
            let diagnostics = match fence.info.as_str() {
                "protocol" => session::parse(&source, &session::Options::default()).1,
                "cost-model" => cost::Model::parse(&source).1,
                _ => continue,
            };
            count += 1;
            assert!(diagnostics.is_empty(), "{}", diag::render(&source, &diagnostics, diag::Colour::Plain));
        }
    }
    assert!(count > 0, "no page shows an example");
}

#[test]
fn cost_models_that_come_along_are_without_fault() {
    let mut count = 0;
    for folder in ["models", "examples"] {
        for entry in std::fs::read_dir(root().join(folder)).expect("the folder can be listed") {
            let path = entry.expect("the folder can be listed").path();
            if path.extension().is_some_and(|kind| kind == "toml") {
                let text = std::fs::read_to_string(&path).expect("the model is readable");
                let source = diag::Source::new(path.display().to_string(), text);
                let (model, diagnostics) = cost::Model::parse(&source);
                assert!(
                    diagnostics.is_empty(),
                    "{}",
                    diag::render(&source, &diagnostics, diag::Colour::Plain)
                );
                let model = model.expect("a model without faults");
                assert!(
                    ["send", "recv"].iter().all(|name| model.operations.iter().any(|one| one.name == *name))
                );
                count += 1;
            }
        }
    }
    assert!(count >= 2, "{count} models were found");
}
