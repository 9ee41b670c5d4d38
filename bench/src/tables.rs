//! The tables, and the line that a case's process writes for them.

use std::process::Command;

use crate::cases::{self, Figures};
use crate::measure::{exponent, machine};
use crate::protocols::{MESH_PREDICTED, MESH_PROTOTYPE};

/// Largest time and memory that a large protocol may take.
const TIME_LIMIT: f64 = 1.0;
const MEMORY_LIMIT: u64 = 1 << 30;

/// Prints all tables; an error when a case fails or an answer is not the one expected.
pub(crate) fn scale(repeats: usize) -> Result<(), String> {
    println!("Machine: {}. Medians of {repeats} runs, one warm-up.\n", machine());
    large(repeats)?;
    mesh(repeats)?;
    growth(repeats)
}

/// Runs one case and prints its figures on one line for the process that started this one.
pub(crate) fn case(name: &str, repeats: usize) -> Result<(), String> {
    let text = cases::text(name).ok_or_else(|| format!("there is no case `{name}`"))?;
    let Figures { interactions, read, cost, latency, answer, memory } = cases::run(&text, repeats)?;
    let (latency, memory) = (latency.unwrap_or(f64::NAN), memory.unwrap_or(0));
    println!("{interactions} {read:e} {cost:e} {latency:e} {answer:e} {memory}");
    Ok(())
}

/// Runs a case in a process of its own.
fn figures(name: &str, repeats: usize) -> Result<Figures, String> {
    let program = std::env::current_exe().map_err(|error| format!("this program's file: {error}"))?;
    let output = Command::new(program)
        .args(["case", name, "--repeats", &repeats.to_string()])
        .output()
        .map_err(|error| format!("case {name} could not be started: {error}"))?;
    if !output.status.success() {
        return Err(format!("case {name}:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    let line = String::from_utf8_lossy(&output.stdout).into_owned();
    parse(&line).ok_or_else(|| format!("case {name} printed `{line}`"))
}

fn parse(line: &str) -> Option<Figures> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let [interactions, read, cost, latency, answer, memory] = words.as_slice() else { return None };
    let latency: f64 = latency.parse().ok()?;
    let memory: u64 = memory.parse().ok()?;
    Some(Figures {
        interactions: interactions.parse().ok()?,
        read: read.parse().ok()?,
        cost: cost.parse().ok()?,
        latency: (!latency.is_nan()).then_some(latency),
        answer: answer.parse().ok()?,
        memory: (memory > 0).then_some(memory),
    })
}

fn large(repeats: usize) -> Result<(), String> {
    println!(
        "| protocol | interactions | read | equations and cost | latency | peak memory | within 1 s, 1 GiB |"
    );
    println!("|---|---:|---:|---:|---:|---:|---|");
    for (title, name) in
        [("pipeline of 10,000 roles", "pipeline-10000"), ("butterfly of 256 roles", "butterfly-8")]
    {
        let Figures { interactions, read, cost, latency, memory, .. } = figures(name, repeats)?;
        let latency = latency.unwrap_or(0.0);
        let fits = cost + latency < TIME_LIMIT && memory.is_none_or(|bytes| bytes < MEMORY_LIMIT);
        println!(
            "| {title} | {interactions} | {} | {} | {} | {} | {} |",
            time(read),
            time(cost),
            time(latency),
            megabytes(memory),
            if fits { "yes" } else { "no" }
        );
    }
    println!();
    Ok(())
}

fn mesh(repeats: usize) -> Result<(), String> {
    let Figures { interactions, read, cost, answer, .. } = figures("mesh-8", repeats)?;
    let error = ((answer - MESH_PREDICTED) / MESH_PREDICTED).abs();
    if error > 1e-12 {
        return Err(format!("mesh of 64 roles: {answer} instead of {MESH_PREDICTED}"));
    }
    println!(
        "| wraparound mesh of 64 roles | halves | read | equations and cost | prototype | times faster |"
    );
    println!("|---|---:|---:|---:|---:|---:|");
    println!(
        "| predicted {answer:.13} s, as the prototype | {interactions} | {} | {} | {} | {:.0} |\n",
        time(read),
        time(cost),
        time(MESH_PROTOTYPE),
        MESH_PROTOTYPE / (read + cost)
    );
    Ok(())
}

fn growth(repeats: usize) -> Result<(), String> {
    println!("| interactions | read | cost | cost per interaction | peak memory |");
    println!("|---:|---:|---:|---:|---:|");
    let mut points = Vec::new();
    for size in [1_000, 10_000, 100_000, 1_000_000] {
        let Figures { interactions, read, cost, memory, .. } = figures(&format!("growth-{size}"), repeats)?;
        points.push((interactions as f64, cost));
        let each = cost / interactions as f64;
        println!(
            "| {interactions} | {} | {} | {} | {} |",
            time(read),
            time(cost),
            time(each),
            megabytes(memory)
        );
    }
    println!(
        "\nCost grows with the number of interactions to the power {:.2} (least squares).",
        exponent(&points)
    );
    Ok(())
}

/// A time with three digits and a unit that suits it.
fn time(seconds: f64) -> String {
    let (factor, unit) = match seconds {
        s if s >= 1.0 => (1.0, "s"),
        s if s >= 1e-3 => (1e3, "ms"),
        s if s >= 1e-6 => (1e6, "us"),
        _ => (1e9, "ns"),
    };
    let value = seconds * factor;
    let digits = if value >= 100.0 {
        0
    } else if value >= 10.0 {
        1
    } else {
        2
    };
    format!("{value:.digits$} {unit}")
}

fn megabytes(bytes: Option<u64>) -> String {
    bytes.map_or("unknown".to_owned(), |bytes| format!("{} MB", bytes.div_ceil(1_000_000)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_survive_the_line_between_processes() {
        let line = "10 1e-3 2.5e0 NaN 8.7e-1 0";
        let figures = parse(line).unwrap();
        assert_eq!((figures.interactions, figures.latency, figures.memory), (10, None, None));
        assert_eq!(parse("10 1e-3"), None);
    }

    #[test]
    fn times_have_a_unit_that_suits_them() {
        assert_eq!(
            [time(8.0), time(0.0125), time(2.5e-5), time(3e-8)],
            ["8.00 s", "12.5 ms", "25.0 us", "30.0 ns"]
        );
    }

    #[test]
    fn small_cases_give_their_answers() {
        let mesh = cases::run(&cases::text("mesh-8").unwrap(), 1).unwrap();
        assert!((mesh.answer - MESH_PREDICTED).abs() < 1e-12);
        assert_eq!(mesh.interactions, 256);
        // The first role sends once per iteration; the second receives, computes and sends.
        let pipeline = cases::run(&cases::text("pipeline-5").unwrap(), 1).unwrap();
        assert!((pipeline.answer - (2.17e-6 + 0.77e-6 + 1e-6)).abs() < 1e-15);
        let butterfly = cases::run(&cases::text("butterfly-3").unwrap(), 1).unwrap();
        assert!((butterfly.answer - 3.0 * (2.17e-6 + 0.77e-6 + 3e-6)).abs() < 1e-15);
    }
}
