//! `cargo xtask bench`: the programs of bench/, in release.

use std::process::Command;

use crate::{Failure, root, setup, shell};

/// Help text.
pub const DETAILS: &str = "cargo xtask bench [OPTIONS OF lagcast-bench]

Builds bench/ in release and prints its tables (Markdown). With --instructions, runs the growth case
under valgrind as well and prints the number of instructions: the same on a quiet and on a busy machine.";

/// Runs the task; arguments other than `--instructions` go to `lagcast-bench scale`.
///
/// # Errors
/// When the build or a case fails.
pub fn run(arguments: &[String]) -> Result<(), Failure> {
    let (count, rest): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|argument| *argument == "--instructions");
    let mut command = shell::cargo(&["run", "--release", "--package", "lagcast-bench", "--", "scale"]);
    shell::execute(command.args(rest))?;
    if count.is_empty() {
        return Ok(());
    }
    match setup::absent("valgrind") {
        Some(why) => println!("skipped: instruction counts ({why})"),
        None => count_instructions()?,
    }
    Ok(())
}

/// One run of the growth case per size under cachegrind, without cache simulation.
fn count_instructions() -> Result<(), Failure> {
    let metadata = shell::output(&mut shell::cargo(&["metadata", "--format-version", "1", "--no-deps"]))?;
    let metadata: serde_json::Value =
        serde_json::from_str(&metadata).map_err(|error| Failure(format!("cargo metadata: {error}")))?;
    let target = metadata["target_directory"].as_str().unwrap_or("target");
    let program = std::path::Path::new(target).join("release/lagcast-bench");
    println!("\n| interactions | instructions | per interaction |\n|---:|---:|---:|");
    for size in [1_000_u64, 10_000, 100_000] {
        let instructions = instructions(&program, size)? - instructions(&program, 0)?;
        println!("| {size} | {instructions} | {} |", instructions / size);
    }
    Ok(())
}

fn instructions(program: &std::path::Path, size: u64) -> Result<u64, Failure> {
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(program)
        .args(["once", &size.to_string()])
        .current_dir(root())
        .output()
        .map_err(|error| Failure(format!("valgrind could not be started: {error}")))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find(|line| line.contains("I refs") || line.contains("I   refs"));
    let digits: String =
        line.unwrap_or_default().rsplit(':').next().unwrap_or_default().replace([',', ' '], "");
    digits.parse().map_err(|_| Failure(format!("valgrind gave no instruction count:\n{said}")))
}
