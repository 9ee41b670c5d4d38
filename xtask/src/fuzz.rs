//! `cargo xtask fuzz`: the fuzz targets, for a bounded time.

use std::path::Path;

use crate::{Failure, root, setup, shell};

/// Help text.
pub const DETAILS: &str = "cargo xtask fuzz [--seconds N] [TARGET]..

Runs each target of fuzz/ (or those named) for N seconds, 30 unless told, with the project's own corpora
as seeds. What a target finds is kept in fuzz/artifacts. Needs cargo-fuzz and a C++ compiler; without
cargo-fuzz the task says `skipped`. The stable compiler is used, told to accept cargo-fuzz's flags.";

/// A fuzz target and the folders of texts that seed it.
const TARGETS: [(&str, &[&str]); 4] = [
    ("protocol", &["tests/corpus/session/good", "tests/corpus/session/faulty"]),
    ("json_protocol", &["tests/corpus/session/camp/protocols"]),
    ("cost_model", &["tests/corpus/cost/good", "tests/corpus/cost/faulty"]),
    ("formula", &["fuzz/seeds/formula"]),
];

/// Runs the task.
///
/// # Errors
/// On unknown arguments, or when a target fails or crashes.
pub fn run(arguments: &[String]) -> Result<(), Failure> {
    let (seconds, wanted) = parse(arguments)?;
    if let Some(why) = setup::absent("cargo-fuzz") {
        println!("skipped: {why}");
        return Ok(());
    }
    for (target, seeds) in TARGETS.iter().filter(|(name, _)| wanted.is_empty() || wanted.contains(name)) {
        fuzz(target, seeds, seconds)?;
    }
    Ok(())
}

fn parse(arguments: &[String]) -> Result<(u32, Vec<&str>), Failure> {
    let mut seconds = 30;
    let mut wanted = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--seconds" {
            let value = rest.next().and_then(|value| value.parse().ok());
            seconds = value.ok_or_else(|| Failure::because("--seconds needs a whole number"))?;
        } else if TARGETS.iter().any(|(name, _)| name == argument) {
            wanted.push(argument.as_str());
        } else {
            let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
            return Err(Failure(format!("no target `{argument}`; there are {}", names.join(", "))));
        }
    }
    Ok((seconds, wanted))
}

fn fuzz(target: &str, seeds: &[&str], seconds: u32) -> Result<(), Failure> {
    let own = format!("fuzz/corpus/{target}");
    let folder = root().join(&own);
    std::fs::create_dir_all(&folder).map_err(|error| Failure(format!("{own}: {error}")))?;
    let limit = format!("-max_total_time={seconds}");
    let mut command = shell::cargo(&["fuzz", "run", target, &own]);
    command.args(seeds.iter().filter(|seed| Path::new(&root()).join(seed).is_dir()));
    command.args([
        "--",
        &limit,
        "-timeout=10",
        "-rss_limit_mb=2048",
        "-max_len=4096",
        "-verbosity=0",
        "-print_final_stats=1",
    ]);
    // cargo-fuzz needs sanitizer flags, which the stable compiler accepts only when told so.
    shell::execute(command.env("RUSTC_BOOTSTRAP", "1"))
}
