//! `lagcast demo`: the tour. Calibrates, predicts three protocols, runs them, and shows both sides.

use std::path::{Path, PathBuf};

use clap::Args;
use cost::Unit;
use diag::Source;
use report::svg::{Figure, Point, Spread, figure};
use report::{Cell, Column, Form, Table};
use rig::{CalibrateOptions, Measurement, Placement, RunOptions, Transport};
use serde_json::{Value, json};
use session::LatencyReport;

use crate::calibrate::measured;
use crate::date::today;
use crate::input::{Given, Priced, Protocol, given, write};
use crate::output::{Answer, Failure, Format, Outcome, document, remark};
use crate::progress::Progress;
use crate::session::bottleneck_text;
use crate::session::experiment::{Compared, Forecast, forecast, measure};

/// Take the tour: calibrate, predict three protocols, run them for real, compare
///
/// First TCP on the loopback interface is calibrated, by itself. Then a pipeline, a ring and a scatter/gather
/// protocol (examples/demo) are predicted for messages of several sizes, and only then they run: threads that
/// send each other real messages. The table sets prediction, measurement and error side by side; below it the
/// bottleneck of each protocol is shown in its text. Pictures go to a folder. It takes less than two minutes
/// and needs no privilege.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lagcast demo
  lagcast demo --quick --out pictures")]
pub(crate) struct DemoArguments {
    /// One message size, fewer messages: some seconds
    #[arg(long)]
    quick: bool,
    /// Folder for the pictures and the cost model, made if need be
    #[arg(long, short, default_value = "lagcast-demo", value_name = "DIR")]
    out: PathBuf,
    /// Form of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    format: Format,
}

/// The protocols: name of the file in examples/demo, and its text.
const PROTOCOLS: [(&str, &str); 3] = [
    ("pipeline", include_str!("../../../examples/demo/pipeline.nuscr")),
    ("ring", include_str!("../../../examples/demo/ring.nuscr")),
    ("scatter_gather", include_str!("../../../examples/demo/scatter_gather.nuscr")),
];

/// Bytes per message; the one in the middle is shown in pictures.
const SIZES: [usize; 3] = [64, 4096, 65_536];
const SHOWN: usize = 4096;
/// Seed of decisions; none of the protocols makes any.
const SEED: u64 = 1;

/// A protocol with one message size, predicted and measured.
struct Case<'a> {
    file: &'static str,
    bytes: usize,
    forecast: &'a Forecast<'a>,
    latency: LatencyReport,
    measurement: Measurement,
    compared: Compared,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &DemoArguments) -> Answer {
    std::fs::create_dir_all(&arguments.out).map_err(|error| {
        Failure::new(format!("cannot make the folder {}: {error}", arguments.out.display()))
    })?;
    remark("1. calibrating TCP on the loopback interface");
    let model = calibrate(arguments.quick)?;
    let model_file = arguments.out.join("tcp.toml");
    write(&model_file, &model.to_toml())?;
    let priced = Priced::layered(vec![model])?;
    remark("2. predicting three protocols");
    let protocols = protocols(arguments.quick)?;
    let forecasts = protocols
        .iter()
        .map(|(_, _, protocol)| forecast(protocol, Some(&priced), &run_options(arguments.quick), SEED))
        .collect::<Result<Vec<_>, Failure>>()?;
    remark("3. running them for real");
    let cases = cases(arguments.quick, &protocols, &forecasts)?;
    let pictures = draw(&arguments.out, &cases, &priced)?;
    Ok(Outcome::yes(match arguments.format {
        Format::Json => document(&to_json(&cases, &priced, &pictures)),
        Format::Text => text(&cases, &priced, &model_file, &pictures),
        Format::Csv => table(&cases).render(Form::Csv),
        Format::Latex => table(&cases).render(Form::Latex),
    }))
}

/// Runs and calibration under the same conditions: roles stay on their cores, and cores stay awake.
fn placement() -> Placement {
    Placement::RoundRobin
}

fn calibrate(quick: bool) -> Result<cost::Model, Failure> {
    let mut options = CalibrateOptions::new(Transport::Tcp);
    if quick {
        options = options.quick();
    }
    options.placement = placement();
    options.keep_awake = true;
    options.date = Some(today());
    Ok(measured(&options)?.model())
}

fn run_options(quick: bool) -> RunOptions {
    let mut options = RunOptions::new(Transport::Tcp);
    options.placement = placement();
    options.keep_awake = true;
    options.repetitions = if quick { RunOptions::FEWEST_REPETITIONS } else { 9 };
    options
}

/// Each protocol for each size, with what it was made of.
fn protocols(quick: bool) -> Result<Vec<(&'static str, usize, Protocol)>, Failure> {
    let sizes: &[usize] = if quick { &[SHOWN] } else { &SIZES };
    let mut protocols = Vec::new();
    for (file, text) in PROTOCOLS {
        for bytes in sizes {
            let source = Source::new(format!("examples/demo/{file}.nuscr"), text);
            let set: Vec<Given> = vec![given(&format!("n={bytes}")).map_err(Failure::new)?];
            let mut protocol = Protocol::new(source, &set, None, Some(Unit::Seconds))?;
            protocol.setting.iterations = quick.then_some(100);
            protocols.push((file, *bytes, protocol));
        }
    }
    Ok(protocols)
}

fn cases<'a>(
    quick: bool,
    protocols: &[(&'static str, usize, Protocol)],
    forecasts: &'a [Forecast<'a>],
) -> Result<Vec<Case<'a>>, Failure> {
    let progress = Progress::begin("running");
    let mut cases = Vec::new();
    for (done, ((file, bytes, protocol), forecast)) in protocols.iter().zip(forecasts).enumerate() {
        progress.at(done, forecasts.len());
        let mut options = run_options(quick);
        options.timeline = *bytes == SHOWN;
        let measurement = measure(forecast, &options)?;
        let compared = forecast.iteration(&measurement, f64::INFINITY)?;
        let compared = compared.ok_or_else(|| Failure::new(format!("{file} has no iterations")))?;
        let prices = &forecast.priced.as_ref().ok_or_else(|| Failure::new("the demo has costs"))?.prices;
        let latency = session::latency(&protocol.global, prices, &protocol.setting, None)
            .map_err(|diagnostics| protocol.failure(diagnostics))?;
        cases.push(Case { file, bytes: *bytes, forecast, latency, measurement, compared });
    }
    Ok(cases)
}

impl Case<'_> {
    fn name(&self) -> &str {
        &self.forecast.protocol.global.name
    }

    fn predicted(&self) -> Spread {
        let value = self.compared.prediction.as_ref().map(|prediction| prediction.value).unwrap_or_default();
        Spread { low: value.min, middle: value.mean, high: value.max }
    }

    fn error(&self) -> f64 {
        self.compared.comparison.as_ref().map_or(f64::NAN, |comparison| comparison.error)
    }
}

/// Writes the pictures; their names.
fn draw(folder: &Path, cases: &[Case], priced: &Priced) -> Result<Vec<PathBuf>, Failure> {
    let mut pictures = vec![folder.join("demo.svg")];
    write(&pictures[0], &figure(&overview(cases, priced)))?;
    for case in cases.iter().filter(|case| !case.measurement.timeline.is_empty()) {
        let path = folder.join(format!("{}.svg", case.file));
        write(&path, &case.forecast.picture(&case.measurement))?;
        pictures.push(path);
    }
    Ok(pictures)
}

fn overview(cases: &[Case], priced: &Priced) -> Figure {
    let points = cases.iter().map(|case| Point {
        label: case.name().to_owned(),
        detail: size(case.bytes),
        predicted: case.predicted(),
        measured: Spread {
            low: case.compared.measured.min,
            middle: case.compared.measured.mean,
            high: case.compared.measured.p99,
        },
        error: case.error(),
    });
    Figure {
        title: "Predicted, then measured: time per iteration over TCP on the loopback interface".to_owned(),
        subtitle: priced.lines().into_iter().map(|line| format!("costs from {line}")).collect(),
        axis: "time per iteration".to_owned(),
        unit: Unit::Seconds,
        legend: ("predicted: mean, min to max".to_owned(), "measured: mean, min to p99".to_owned()),
        points: points.collect(),
    }
}

/// Bytes with the prefixes of powers of two, where they fit exactly.
fn size(bytes: usize) -> String {
    if bytes >= 1024 && bytes.is_multiple_of(1024) {
        format!("{} KiB", bytes / 1024)
    } else {
        format!("{bytes} B")
    }
}

fn table(cases: &[Case]) -> Table {
    let seconds = |name: &str| Column::quantity(name, Unit::Seconds);
    let mut table = Table::new(vec![
        Column::words("protocol"),
        Column::number("bytes"),
        seconds("predicted"),
        seconds("measured"),
        Column::fraction("error"),
        seconds("min"),
        seconds("p50"),
        seconds("p99"),
    ]);
    for case in cases {
        let measured = case.compared.measured;
        let mut row: Vec<Cell> = vec![case.name().into(), Cell::Number(case.bytes as f64)];
        row.extend([case.predicted().middle, measured.mean, case.error()].map(Cell::from));
        row.extend([measured.min, measured.p50, measured.p99].map(Cell::from));
        table.push(row);
    }
    table
}

const COLUMNS: &str = "\
bytes      size of each message
predicted  time per iteration foretold from the protocol's text and the cost model, mean costs
measured   the same by the clock, mean; min, p50 and p99 are of the measurement, too
error      (predicted - measured) / measured
";

fn text(cases: &[Case], priced: &Priced, model: &Path, pictures: &[PathBuf]) -> String {
    let mut out = String::from("Time per iteration over TCP, predicted before it ran:\n\n");
    out.push_str(&table(cases).render(Form::Text));
    out.push_str(&format!("\n{COLUMNS}"));
    for line in priced.lines() {
        out.push_str(&format!("\ncosts from {line}\n"));
    }
    for case in cases.iter().filter(|case| case.bytes == SHOWN) {
        let protocol = case.forecast.protocol;
        out.push_str(&format!("\n{} ({})\n", protocol.subject(), protocol.source.name()));
        out.push_str(&bottleneck_text(protocol, &case.latency));
    }
    out.push_str(&format!("\nThe cost model is in {}; pictures are in", model.display()));
    let names: Vec<String> = pictures.iter().map(|path| path.display().to_string()).collect();
    out.push_str(&format!(" {}.\n", names.join(", ")));
    out
}

fn to_json(cases: &[Case], priced: &Priced, pictures: &[PathBuf]) -> Value {
    let results: Vec<Value> = cases.iter().map(one_to_json).collect();
    json!({
        "transport": Transport::Tcp.name(),
        "unit": Unit::Seconds.symbol(),
        "quantity": "time per iteration",
        "costs": priced.to_json(),
        "results": results,
        "pictures": pictures.iter().map(|path| path.display().to_string()).collect::<Vec<_>>(),
    })
}

fn one_to_json(case: &Case) -> Value {
    let measured = case.compared.measured;
    let steps = &case.latency.bottleneck;
    let protocol = case.forecast.protocol;
    let bottleneck: Vec<Value> =
        steps.iter().map(|step| crate::session::step_to_json(protocol, step)).collect();
    json!({
        "protocol": case.name(),
        "bytes": case.bytes,
        "predicted": case.predicted().middle,
        "measured": {"min": measured.min, "mean": measured.mean, "p50": measured.p50, "p99": measured.p99},
        "error": case.error(),
        "latency": case.latency.latency.mean,
        "bottleneck": bottleneck,
        "environment": case.measurement.environment,
    })
}
