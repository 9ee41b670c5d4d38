//! `cargo xtask test` and `cargo xtask ci`: every check, each step run even when an earlier one failed.

use std::time::{Duration, Instant};

use crate::{Failure, docs, layers, no_arguments, setup, shell, tidy};

/// Help text.
pub const DETAILS: &str = "cargo xtask test [--locked]

Runs, in this order: setup, rustfmt, layers, tidy, clippy with warnings as errors, `cargo test` over
the whole workspace (unit, integration and documentation tests), rustdoc with warnings as errors, the
book, and clippy over the fuzz targets. A step that fails does not stop the later ones; the last lines
say what passed, what failed and what was skipped and why.

  --locked   refuse to change Cargo.lock";

/// How a step ended.
enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

struct Step {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

/// Runs the task.
///
/// # Errors
/// When any step failed; the message names the steps.
pub fn run(arguments: &[String]) -> Result<(), Failure> {
    let (locked, rest) = match arguments.split_first() {
        Some((first, rest)) if first == "--locked" => (true, rest),
        _ => (false, arguments),
    };
    no_arguments(rest)?;
    all_steps(locked)
}

/// Runs the task as continuous integration does: with `Cargo.lock` held fixed.
///
/// # Errors
/// When any step failed; the message names the steps.
pub fn run_ci(arguments: &[String]) -> Result<(), Failure> {
    no_arguments(arguments)?;
    all_steps(true)
}

fn all_steps(locked: bool) -> Result<(), Failure> {
    let flag: &[&str] = if locked { &["--locked"] } else { &[] };
    let mut steps = Vec::new();
    let mut step = |name: &'static str, action: &dyn Fn() -> Outcome| {
        println!("\n== {name}");
        let start = Instant::now();
        let outcome = action();
        steps.push(Step { name, outcome, took: start.elapsed() });
    };
    step("setup", &|| setup::run(&[]).into());
    step("format", &|| format().into());
    step("layers", &|| layers::run(&[]).into());
    step("tidy", &|| tidy::run(&[]).into());
    step("clippy", &|| clippy(flag).into());
    step("tests", &|| shell::execute(shell::cargo(&["test", "--workspace"]).args(flag)).into());
    step("rustdoc", &|| rustdoc(flag).into());
    step("book", &book);
    step("fuzz targets", &|| fuzz_targets(flag).into());
    step("fuzzing", &|| Outcome::Skipped("only on request: cargo xtask fuzz".to_owned()));
    summarise(&steps)
}

impl From<Result<(), Failure>> for Outcome {
    fn from(result: Result<(), Failure>) -> Self {
        match result {
            Ok(()) => Self::Passed,
            Err(failure) => {
                eprintln!("{failure}");
                Self::Failed(failure.0)
            }
        }
    }
}

fn format() -> Result<(), Failure> {
    shell::execute(&mut shell::cargo(&["fmt", "--all", "--check"]))?;
    // The fuzz targets are a workspace of their own, which --all does not reach.
    shell::execute(&mut shell::cargo(&["fmt", "--manifest-path", "fuzz/Cargo.toml", "--check"]))
}

fn clippy(flag: &[&str]) -> Result<(), Failure> {
    let mut command = shell::cargo(&["clippy", "--workspace", "--all-targets"]);
    shell::execute(command.args(flag).args(["--", "-D", "warnings"]))
}

fn rustdoc(flag: &[&str]) -> Result<(), Failure> {
    let mut command = shell::cargo(&["doc", "--workspace", "--no-deps", "--quiet"]);
    shell::execute(command.args(flag).env("RUSTDOCFLAGS", "-D warnings"))
}

/// The fuzz targets still fit the parsers. Checked without the fuzzer itself, which needs a C++ compiler.
fn fuzz_targets(flag: &[&str]) -> Result<(), Failure> {
    let manifest = ["clippy", "--manifest-path", "fuzz/Cargo.toml", "--no-default-features"];
    let mut command = shell::cargo(&manifest);
    if std::env::var_os("CARGO_TARGET_DIR").is_none() {
        command.env("CARGO_TARGET_DIR", "target");
    }
    shell::execute(command.args(flag).args(["--", "-D", "warnings"]))
}

/// The commands shown in the documentation have run with the tests; what is left is the book.
fn book() -> Outcome {
    match setup::absent("mdbook") {
        Some(why) => Outcome::Skipped(why),
        None => docs::build_book().into(),
    }
}

fn summarise(steps: &[Step]) -> Result<(), Failure> {
    println!("\n== summary");
    let mut failed = Vec::new();
    for Step { name, outcome, took } in steps {
        match outcome {
            Outcome::Passed => println!("passed   {name} ({:.0} s)", took.as_secs_f64()),
            Outcome::Skipped(why) => println!("skipped  {name}: {why}"),
            Outcome::Failed(why) => {
                println!("FAILED   {name}: {}", why.lines().next().unwrap_or_default());
                failed.push(*name);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure(format!("failed: {}", failed.join(", ")))) }
}
