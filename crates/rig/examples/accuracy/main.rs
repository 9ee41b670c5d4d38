//! How well a calibration predicts runs: calibrates, predicts, runs, compares.
//!
//! `cargo run --release -p lagcast-rig --example accuracy -- [tcp|unix|thread]* [free] [sleepy] [processes]`
//!
//! Without words: TCP, roles as threads, pinned round robin, cores kept awake. `free` leaves placement to the
//! scheduler, `sleepy` lets cores halt, `processes` runs each role as a process.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example speaks for itself")]

mod predict;
#[path = "../../tests/support/mod.rs"]
mod support;

use cost::Prices;
use rig::{
    CalibrateOptions, Placement, RigError, RunOptions, Transport, TransportCalibration, measure_transport,
    run, share_cores,
};
use session::plan::Plan;
use support::{Do, ping_pong, plan, role};

/// Bytes of the messages: two of the sizes lie between measured ones.
const SIZES: [usize; 4] = [64, 700, 10_000, 64 << 10];

/// Seconds of the computations.
const COMPUTE: [f64; 4] = [0.0, 20e-6, 60e-6, 200e-6];

fn main() -> Result<(), RigError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|one| one == word);
    if has("play-role") {
        return rig::serve_role(std::io::stdin().lock(), std::io::stdout());
    }
    let mut transports: Vec<Transport> = words.iter().filter_map(|word| Transport::from_name(word)).collect();
    if transports.is_empty() {
        transports.push(Transport::Tcp);
    }
    for transport in transports {
        let mut options = CalibrateOptions::new(transport);
        options.placement = if has("free") { Placement::Scheduler } else { Placement::RoundRobin };
        options.keep_awake = !has("sleepy");
        let calibration = measure_transport(&options, &mut |_, _| {})?;
        eprintln!("{}", calibration.environment);
        validate(&calibration, &options, has("processes"))?;
    }
    Ok(())
}

fn validate(
    calibration: &TransportCalibration,
    options: &CalibrateOptions,
    processes: bool,
) -> Result<(), RigError> {
    let mut errors: Vec<(&str, f64, f64)> = Vec::new();
    let this = std::env::current_exe().expect("the path of this program").into_os_string();
    let role_command = processes.then(|| vec![this, "play-role".into()]);
    println!("transport protocol      bytes compute predicted      mean       p50  error of mean   of p50");
    for bytes in SIZES {
        for compute in COMPUTE {
            for (name, plan) in protocols(bytes, compute) {
                let predicted = predict::iteration_time(&plan, &prices(calibration, &plan, options)?);
                let run_options = RunOptions {
                    placement: options.placement.clone(),
                    keep_awake: options.keep_awake,
                    role_command: role_command.clone(),
                    ..RunOptions::new(options.transport)
                };
                let measured = run(&plan, &run_options)?.iteration_summary().expect("a loop");
                let (mean, p50) = (predicted / measured.mean - 1.0, predicted / measured.p50 - 1.0);
                errors.push((name, compute, mean));
                let cells = [
                    format!("{:9}", options.transport.name()),
                    format!("{name:13}"),
                    format!("{bytes:6}"),
                    format!("{:7.0}", compute * 1e6),
                    format!("{:9.2}", predicted * 1e6),
                    format!("{:9.2}", measured.mean * 1e6),
                    format!("{:9.2}", measured.p50 * 1e6),
                    format!("{:+13.1}%", mean * 100.0),
                    format!("{:+7.1}%", p50 * 100.0),
                ];
                println!("{}", cells.join(" "));
            }
        }
    }
    summarise("all", &errors, |_| true);
    summarise("without computation", &errors, |(_, compute, _)| *compute == 0.0);
    summarise("with computation", &errors, |(_, compute, _)| *compute > 0.0);
    for name in ["ping-pong", "pipeline", "ring", "scatter-gather"] {
        summarise(name, &errors, |(one, _, _)| *one == name);
    }
    Ok(())
}

/// Median and largest size of the relative errors that are wanted.
fn summarise(what: &str, errors: &[(&str, f64, f64)], wanted: impl Fn(&(&str, f64, f64)) -> bool) {
    let mut sizes: Vec<f64> =
        errors.iter().filter(|one| wanted(one)).map(|(_, _, error)| error.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let within = sizes.iter().filter(|size| **size <= 0.15).count();
    println!(
        "{what}: median error {:.1} %, largest {:.1} %, {within} of {} within 15 %",
        sizes[sizes.len() / 2] * 100.0,
        sizes[sizes.len() - 1] * 100.0,
        sizes.len()
    );
}

fn prices(
    calibration: &TransportCalibration,
    plan: &Plan,
    options: &CalibrateOptions,
) -> Result<Prices, RigError> {
    let cores = options.placement.cores(plan.roles.len()).expect("the cores of this process");
    Ok(Prices::new(vec![share_cores(&calibration.model(), plan, &cores)]).expect("one model in seconds"))
}

/// Iterations that take some tenths of a second: a role that shares its core may start milliseconds after the
/// others, and its passes are counted from then.
fn iterations(compute: f64) -> u64 {
    (0.3 / (50e-6 + 2.0 * compute)) as u64
}

fn protocols(bytes: usize, compute: f64) -> [(&'static str, Plan); 4] {
    let count = iterations(compute);
    [
        ("ping-pong", ping_pong(count, bytes, compute)),
        ("pipeline", pipeline(count, bytes, compute)),
        ("ring", ring(count, bytes, compute / 2.0)),
        ("scatter-gather", scatter_gather(count, bytes, compute)),
    ]
}

/// Three stages; the middle one has most to do.
fn pipeline(count: u64, bytes: usize, compute: f64) -> Plan {
    let first = role("P", &[], &[Do::Repeat(count, vec![Do::Send(1, "Data", bytes, compute / 4.0)])]);
    let pass = vec![Do::Receive(0, "Data", bytes, compute), Do::Send(2, "Data", bytes, 0.0)];
    let last = role("R", &[], &[Do::Repeat(count, vec![Do::Receive(1, "Data", bytes, compute / 4.0)])]);
    plan(vec![first, role("Q", &[], &[Do::Repeat(count, pass)]), last], &[])
}

/// Four roles and one token.
fn ring(count: u64, bytes: usize, compute: f64) -> Plan {
    let members = (0..4).map(|index: usize| {
        let send = Do::Send((index + 1) % 4, "Token", bytes, 0.0);
        let receive = Do::Receive((index + 3) % 4, "Token", bytes, compute);
        let body = if index == 0 { vec![send, receive] } else { vec![receive, send] };
        role(["A", "B", "C", "D"][index], &[], &[Do::Repeat(count, body)])
    });
    plan(members.collect(), &[])
}

/// Two workers that compute at the same time.
fn scatter_gather(count: u64, bytes: usize, compute: f64) -> Plan {
    let worker = |name| {
        let body = vec![Do::Receive(0, "Work", bytes, compute), Do::Send(0, "Result", bytes, 0.0)];
        role(name, &[], &[Do::Repeat(count, body)])
    };
    let body = vec![
        Do::Send(1, "Work", bytes, 0.0),
        Do::Send(2, "Work", bytes, 0.0),
        Do::Receive(1, "Result", bytes, 0.0),
        Do::Receive(2, "Result", bytes, 0.0),
    ];
    plan(vec![role("M", &[], &[Do::Repeat(count, body)]), worker("W1"), worker("W2")], &[])
}
