//! A role as a process of its own, for the tests of runs with processes.
//!
//! With the arguments `doomed NAME`, the role of that name ends its process in the middle of the run.

use std::io::{BufRead, BufReader, Read};
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let mut input = BufReader::new(std::io::stdin());
    let mut job = String::new();
    if input.read_line(&mut job).is_err() {
        return ExitCode::from(2);
    }
    if is_doomed(&job).unwrap_or(false) {
        std::thread::spawn(|| {
            std::thread::sleep(Duration::from_millis(300));
            std::process::abort();
        });
    }
    match rig::serve_role(job.as_bytes().chain(input), std::io::stdout()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn is_doomed(job: &str) -> Option<bool> {
    let mut arguments = std::env::args().skip(1);
    if arguments.next()? != "doomed" {
        return None;
    }
    let doomed = arguments.next()?;
    let job: serde_json::Value = serde_json::from_str(job).ok()?;
    let role = usize::try_from(job["role"].as_u64()?).ok()?;
    Some(job["plan"]["roles"][role]["name"] == doomed)
}
