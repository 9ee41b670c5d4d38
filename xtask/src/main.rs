//! `cargo xtask TASK`: see the library of this crate.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "tasks talk to the person who started them")]

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = arguments.split_first() else {
        print!("{}", xtask::overview());
        return ExitCode::from(2);
    };
    if name == "--help" || name == "-h" {
        print!("{}", xtask::overview());
        return ExitCode::SUCCESS;
    }
    let Some(task) = xtask::TASKS.iter().find(|task| task.name == name) else {
        eprintln!("xtask: no task `{name}`\n\n{}", xtask::overview());
        return ExitCode::from(2);
    };
    if rest.first().is_some_and(|first| first == "--help" || first == "-h") {
        println!("{}\n\n{}", task.summary, task.details);
        return ExitCode::SUCCESS;
    }
    match (task.run)(rest) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask {name}: {failure}");
            ExitCode::FAILURE
        }
    }
}
