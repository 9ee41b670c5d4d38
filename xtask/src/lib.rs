//! The tasks of the workspace. `cargo xtask` lists them.
//!
//! Each task is one module with a `run` function; the checks among them ([`layers`], [`tidy`]) are
//! also plain functions that return the faults they find, so that `cargo test` runs them too.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tasks talk to the person who started them")]

pub mod bench;
pub mod demo;
pub mod docs;
pub mod fuzz;
pub mod layers;
pub mod setup;
pub mod shell;
pub mod test;
pub mod tidy;

use std::path::{Path, PathBuf};

/// Why a task did not succeed, in words for the person who started it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure(pub String);

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl Failure {
    /// A failure with its reason.
    pub fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    /// `Ok` for an empty list of faults, otherwise the faults, one a line.
    ///
    /// # Errors
    /// When there is at least one fault.
    pub fn unless_empty(faults: &[String]) -> Result<(), Self> {
        match faults {
            [] => Ok(()),
            [one] => Err(Self(one.clone())),
            many => Err(Self(format!("{} faults\n{}", many.len(), many.join("\n")))),
        }
    }
}

/// One subcommand of `cargo xtask`.
pub struct Task {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Its options and details, printed by `--help`.
    pub details: &'static str,
    /// Runs it with the arguments after its name.
    pub run: fn(&[String]) -> Result<(), Failure>,
}

/// All tasks, in the order in which a newcomer meets them.
pub const TASKS: [Task; 10] = [
    Task {
        name: "demo",
        summary: "set up, build, and run `lagcast demo`: prediction beside measurement",
        details: "cargo xtask demo [OPTIONS OF lagcast demo]\n\nEverything after `demo` is handed to `lagcast demo`.",
        run: demo::run,
    },
    Task {
        name: "test",
        summary: "set up, then every check: format, lints, layers, tidy, tests, documentation",
        details: test::DETAILS,
        run: test::run,
    },
    Task {
        name: "setup",
        summary: "install the system packages that are missing and say which optional tools are absent",
        details: setup::DETAILS,
        run: setup::run,
    },
    Task {
        name: "ci",
        summary: "what continuous integration runs: `test` with Cargo.lock held fixed",
        details: "cargo xtask ci\n\nRuns `cargo xtask test --locked`.",
        run: test::run_ci,
    },
    Task {
        name: "layers",
        summary: "check that crates depend on each other only along the allowed edges",
        details: "cargo xtask layers\n\nThe edges are listed in xtask/src/layers.rs and explained in ARCHITECTURE.md.",
        run: layers::run,
    },
    Task {
        name: "tidy",
        summary: "check file sizes, explain pages, dependency reasons, links and forbidden words",
        details: tidy::DETAILS,
        run: tidy::run,
    },
    Task {
        name: "docs",
        summary: "run every command shown in the documentation and build the book",
        details: docs::DETAILS,
        run: docs::run,
    },
    Task {
        name: "bench",
        summary: "time the scale cases and print a table",
        details: bench::DETAILS,
        run: bench::run,
    },
    Task {
        name: "fuzz",
        summary: "fuzz the parsers for a bounded time",
        details: fuzz::DETAILS,
        run: fuzz::run,
    },
    Task {
        name: "help",
        summary: "this list",
        details: "cargo xtask help",
        run: |_| {
            print!("{}", overview());
            Ok(())
        },
    },
];

/// The list of tasks as printed by `cargo xtask help`.
#[must_use]
pub fn overview() -> String {
    let mut out =
        String::from("usage: cargo xtask TASK [OPTIONS]   (cargo xtask TASK --help for details)\n\n");
    for task in &TASKS {
        out.push_str(&format!("  {:<8}{}\n", task.name, task.summary));
    }
    out
}

/// The folder that holds the workspace.
#[must_use]
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask lies in the workspace").to_path_buf()
}

/// Refuses arguments that a task does not know.
///
/// # Errors
/// Names the first argument.
pub fn no_arguments(arguments: &[String]) -> Result<(), Failure> {
    match arguments.first() {
        None => Ok(()),
        Some(unknown) => Err(Failure(format!("unknown argument `{unknown}`"))),
    }
}
