//! Performance of Lagcast.
//!
//! `lagcast-bench scale` prints Markdown tables: large protocols, and growth with the number of
//! interactions. Each case runs in a process of its own, so that its peak memory is its own.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints tables")]

mod cases;
mod measure;
mod protocols;
mod tables;

use std::process::ExitCode;

const USAGE: &str = "usage: lagcast-bench scale [--repeats N]   all tables
       lagcast-bench case NAME [--repeats N]   one case, as printed between processes
       lagcast-bench once N   read and price a straight line of N interactions once, 0 for nothing";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["scale"] => tables::scale(5),
        ["scale", "--repeats", count] => number(count).and_then(tables::scale),
        ["case", name] => tables::case(name, 5),
        ["case", name, "--repeats", count] => number(count).and_then(|count| tables::case(name, count)),
        ["once", size] => number(size).and_then(once),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("{reason}");
            ExitCode::from(2)
        }
    }
}

fn number(word: &str) -> Result<usize, String> {
    word.parse().map_err(|_| format!("`{word}` is not a whole number\n{USAGE}"))
}

/// The growth case once, for counting instructions. 0 interactions: the start of the program alone.
fn once(interactions: usize) -> Result<(), String> {
    let prices = cases::prices()?;
    if interactions == 0 {
        return Ok(());
    }
    let source = diag::Source::new("growth", protocols::growth(interactions));
    let global = cases::read(&source)?;
    let report = session::cost(&global, Some(&prices), &session::Setting::default());
    let report = report.map_err(|faults| diag::render(&source, &faults, diag::Colour::Plain))?;
    println!("{}", report.total.map_or(0.0, |total| total.mean));
    Ok(())
}
