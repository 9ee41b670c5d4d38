//! `cargo xtask tidy`: what the compiler and clippy do not check.

pub mod explain;
pub mod links;
pub mod manifest;
pub mod words;

use std::path::{Path, PathBuf};

use crate::{Failure, no_arguments, root};

/// Help text.
pub const DETAILS: &str = "cargo xtask tidy [--fix]

Checks that
  no .rs file has more than 800 lines,
  every diagnostic code in the sources has a page in docs/src/explain and every page a code,
  the index of the explain pages and their list in docs/src/SUMMARY.md are up to date,
  every dependency of the workspace says why it is there,
  links in Markdown files lead to files that exist,
  no file names a path of somebody's machine, no test is ignored, nothing is left to be done,
  public names say what a thing is.

  --fix   write the index of the explain pages and their list in SUMMARY.md";

/// More lines than this hide the structure of a file.
const LONGEST_FILE: usize = 800;

/// A text file of the project.
#[derive(Debug, Clone)]
pub struct File {
    /// Its path from the workspace's root, with `/`.
    pub path: String,
    /// What it holds.
    pub text: String,
}

/// Runs the task.
///
/// # Errors
/// Lists the faults, one a line.
pub fn run(arguments: &[String]) -> Result<(), Failure> {
    let (fix, rest) = match arguments.split_first() {
        Some((first, rest)) if first == "--fix" => (true, rest),
        _ => (false, arguments),
    };
    no_arguments(rest)?;
    if fix {
        explain::write_lists(&root(), &files(&root())?)?;
    }
    let files = files(&root())?;
    Failure::unless_empty(&faults(&root(), &files))?;
    println!("tidy: {} files, no faults", files.len());
    Ok(())
}

/// All faults of the project's files.
#[must_use]
pub fn faults(root: &Path, files: &[File]) -> Vec<String> {
    let mut faults = long_files(files);
    faults.extend(explain::faults(files));
    faults.extend(manifest::faults(files));
    faults.extend(links::faults(root, files));
    faults.extend(words::faults(files));
    faults
}

fn long_files(files: &[File]) -> Vec<String> {
    let rust = files.iter().filter(|file| file.path.ends_with(".rs"));
    let long = rust.map(|file| (file, file.text.lines().count())).filter(|(_, lines)| *lines > LONGEST_FILE);
    long.map(|(file, lines)| format!("{}: {lines} lines, more than {LONGEST_FILE}", file.path)).collect()
}

/// Kinds of files that are read; others (pictures, licences) hold nothing to check.
const KINDS: [&str; 8] = ["rs", "md", "toml", "nuscr", "json", "yml", "svg", "run"];

/// The text files of the project, sorted by path. Folders that builds write are left out.
///
/// # Errors
/// When a folder or file cannot be read.
pub fn files(root: &Path) -> Result<Vec<File>, Failure> {
    let mut found = Vec::new();
    collect(root, root, &mut found)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<File>) -> Result<(), Failure> {
    let unreadable = |path: &Path, error: std::io::Error| Failure(format!("{}: {error}", path.display()));
    for entry in std::fs::read_dir(folder).map_err(|error| unreadable(folder, error))? {
        let path: PathBuf = entry.map_err(|error| unreadable(folder, error))?.path();
        let name = relative(root, &path);
        if path.is_dir() {
            if !is_written_by_builds(&name) {
                collect(root, &path, found)?;
            }
        } else if KINDS.iter().any(|kind| Path::new(&name).extension().is_some_and(|end| end == *kind))
            || name == ".ci/run"
        {
            let bytes = std::fs::read(&path).map_err(|error| unreadable(&path, error))?;
            found.push(File { path: name, text: String::from_utf8_lossy(&bytes).into_owned() });
        }
    }
    Ok(())
}

fn is_written_by_builds(folder: &str) -> bool {
    let built =
        ["target", "fuzz/target", "fuzz/corpus", "fuzz/artifacts", "docs/book", "lagcast-demo", ".git"];
    built.contains(&folder)
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().replace('\\', "/")
}
