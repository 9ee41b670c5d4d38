//! Prints the raw calibration of a transport: `cargo run --release --example calibrate -- tcp pinned awake`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example speaks for itself")]

use rig::{CalibrateOptions, Placement, Transport, measure_transport};

fn main() -> Result<(), rig::RigError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| words.iter().any(|one| one == word);
    let transport = words.iter().find_map(|word| Transport::from_name(word)).unwrap_or(Transport::Tcp);
    let mut options = CalibrateOptions::new(transport);
    options.placement = if has("pinned") { Placement::RoundRobin } else { Placement::Scheduler };
    options.keep_awake = has("awake");
    if has("quick") {
        options = options.quick();
    }
    let begun = std::time::Instant::now();
    let calibration = measure_transport(&options, &mut |_, _| {})?;
    eprintln!("{} in {:?}", calibration.environment, begun.elapsed());
    if has("model") {
        println!("{}", calibration.model().to_toml());
        return Ok(());
    }
    println!("compute {:?}", calibration.compute.lanes());
    for (name, points) in [("apart", &calibration.apart), ("together", &calibration.together)] {
        for point in points {
            let lanes = |one: cost::Estimate| one.lanes().map(|lane| format!("{:.2}", lane * 1e6)).join("/");
            println!(
                "{name:8} {:7} B: send {} latency {} wake {} recv {} | crossing {} ready send {} stream {:.2}",
                point.size,
                lanes(point.send),
                lanes(point.latency),
                lanes(point.wake),
                lanes(point.recv),
                lanes(point.crossing()),
                lanes(point.ready_send),
                point.stream * 1e6
            );
        }
    }
    Ok(())
}
