//! `lagcast session run`: runs a protocol for real and sets the times beside the prediction.

use std::path::PathBuf;

use clap::Args;
use report::{Cell, Column, Form, Table, percent, quantity};
use rig::{Measurement, RunOptions, Summary, Transport};
use serde_json::{Value, json};

use super::experiment::{Compared, Forecast, forecast, measure};
use super::prediction::iterations_of_run;
use crate::input::{CostArguments, Priced, ProtocolArguments, share, write};
use crate::output::{Answer, Failure, Format, Outcome, document};
use crate::progress::Progress;
use crate::rigging::{RigArguments, transport};

/// Run a protocol for real and compare the times with the prediction
///
/// Every role becomes a thread (or, with --processes, a process) that sends real messages of the stated sizes
/// and spends local costs in a calibrated busy loop. The times come from clocks; a cost model (--costs) only
/// adds the prediction, made beforehand. Plain numbers in the protocol's costs are in the unit of the cost
/// model, or seconds without one. With --tolerance the exit status is 1 if the predicted completion time is
/// farther off.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lagcast session run ring.nuscr --transport thread --iterations 1000
  lagcast session run ring.nuscr --transport tcp -n 1000 --costs tcp.toml --pin --awake --tolerance 15% --timeline ring.svg

JSON: {\"measured\": {\"min\", \"mean\", \"p50\", \"p99\"}, \"predicted\", \"error\", \"iteration\": {the same per iteration}, ..}; \
completion times in seconds; the error is (predicted - mean measured) / mean measured.")]
pub(crate) struct RunCommand {
    #[command(flatten)]
    protocol: ProtocolArguments,
    #[command(flatten)]
    costs: CostArguments,
    /// How messages travel
    #[arg(long, short, default_value = "tcp", value_parser = transport, value_name = "thread|tcp|unix")]
    transport: Transport,
    /// How often the outermost loops run; wins over the header
    #[arg(long, short = 'n', value_name = "N")]
    iterations: Option<u64>,
    /// One process per role instead of one thread
    #[arg(long)]
    processes: bool,
    /// Measured repetitions, at least 5
    #[arg(long, default_value_t = RunOptions::FEWEST_REPETITIONS, value_name = "N")]
    repetitions: u32,
    /// Repetitions before the measured ones
    #[arg(long, default_value_t = 1, value_name = "N")]
    warmup: u32,
    #[command(flatten)]
    rig: RigArguments,
    /// Seed of the decisions where the protocol leaves a choice
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    seed: u64,
    /// Draw how the run begins, predicted above measured, as SVG
    #[arg(long, value_name = "OUT.svg")]
    timeline: Option<PathBuf>,
    /// Largest error of the prediction, either way, for exit status 0
    #[arg(long, value_name = "SHARE", value_parser = share)]
    tolerance: Option<f64>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    format: Format,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &RunCommand) -> Answer {
    let priced = arguments.costs.read()?;
    if arguments.tolerance.is_some() && priced.is_none() {
        return Err(Failure::with_help("--tolerance needs a prediction", "add --costs MODEL.toml"));
    }
    let unit = priced.as_ref().map_or(cost::Unit::Seconds, |priced| cost::PriceList::unit(&priced.prices));
    let mut protocol = arguments.protocol.read(Some(unit))?;
    protocol.setting.iterations = arguments.iterations;
    let options = arguments.options()?;
    let forecast = forecast(&protocol, priced.as_ref(), &options, arguments.seed)?;
    let progress = Progress::begin(&format!("running {}", protocol.subject()));
    let measurement = measure(&forecast, &options)?;
    drop(progress);
    if let Some(path) = &arguments.timeline {
        write(path, &forecast.picture(&measurement))?;
    }
    let result = Findings::new(arguments, &forecast, measurement)?;
    let text = match arguments.format {
        Format::Json => document(&result.to_json()),
        Format::Text => result.text(),
        Format::Csv => result.table(true).render(Form::Csv),
        Format::Latex => result.table(true).render(Form::Latex),
    };
    Ok(Outcome { text, status: u8::from(result.within() == Some(false)) })
}

impl RunCommand {
    fn options(&self) -> Result<RunOptions, Failure> {
        let role_command = self.processes.then(role_command).transpose()?;
        let mut options = RunOptions::new(self.transport);
        options.role_command = role_command;
        options.repetitions = self.repetitions;
        options.warmup = self.warmup;
        options.timeline = self.timeline.is_some();
        self.rig.apply(&mut options);
        Ok(options)
    }
}

/// Said where a prediction is compared with a run that the scheduler was free to arrange.
const MOVING_CONDITIONS: &str = "\
roles that may change cores and cores that may sleep make a message cost one thing now and ten times that a
moment later: for predictions that hold, calibrate and run with --pin --awake
";

/// How a process for one role is started: this very program with its hidden subcommand.
fn role_command() -> Result<Vec<std::ffi::OsString>, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        Failure::new(format!("cannot find this program to start processes of it: {error}"))
    })?;
    Ok(vec![program.into_os_string(), "play-role".into()])
}

/// Everything that is reported.
struct Findings<'a> {
    arguments: &'a RunCommand,
    forecast: &'a Forecast<'a>,
    measurement: Measurement,
    completion: Compared,
    iteration: Option<Compared>,
}

impl<'a> Findings<'a> {
    fn new(
        arguments: &'a RunCommand,
        forecast: &'a Forecast<'a>,
        measurement: Measurement,
    ) -> Result<Self, Failure> {
        let tolerance = arguments.tolerance.unwrap_or(f64::INFINITY);
        let completion = forecast.completion(&measurement, tolerance)?;
        let iteration = forecast.iteration(&measurement, tolerance)?;
        Ok(Self { arguments, forecast, measurement, completion, iteration })
    }

    /// Whether the completion time was predicted well enough; `None` if nobody asked.
    fn within(&self) -> Option<bool> {
        self.arguments.tolerance?;
        self.completion.comparison.as_ref().map(|comparison| comparison.within)
    }

    fn compared(&self) -> impl Iterator<Item = &Compared> {
        std::iter::once(&self.completion).chain(&self.iteration)
    }

    fn table(&self, bounds: bool) -> Table {
        let seconds = |name: &str| Column::quantity(name, cost::Unit::Seconds);
        let mut columns = vec![
            Column::words("quantity"),
            seconds("predicted"),
            seconds("measured"),
            Column::fraction("error"),
        ];
        columns.extend(["min", "p50", "p99"].map(seconds));
        if bounds {
            columns.extend(["predicted min", "predicted max"].map(seconds));
        }
        let mut table = Table::new(columns);
        for one in self.compared() {
            let value = one.prediction.as_ref().map(|prediction| prediction.value);
            let mut row: Vec<Cell> = vec![
                one.observation.quantity.as_str().into(),
                value.map(|value| value.mean).into(),
                one.measured.mean.into(),
                one.comparison.as_ref().map(|comparison| comparison.error).into(),
            ];
            row.extend([one.measured.min, one.measured.p50, one.measured.p99].map(Cell::from));
            if bounds {
                row.extend([value.map(|value| value.min), value.map(|value| value.max)].map(Cell::from));
            }
            table.push(row);
        }
        table
    }

    fn text(&self) -> String {
        let arguments = self.arguments;
        let how = if arguments.processes { "one process per role" } else { "one thread per role" };
        let mut out = format!(
            "{} over {}, {how}, {} repetitions after {} to warm up\n",
            self.completion.observation.subject, arguments.transport, arguments.repetitions, arguments.warmup
        );
        for line in self.forecast.priced.as_ref().map(Priced::lines).unwrap_or_default() {
            out.push_str(&format!("costs from {line}\n"));
        }
        out.push_str(&format!("measured on {}\n\n", self.measurement.environment));
        out.push_str(&self.table(false).render(Form::Text));
        out.push_str("\nmeasured: mean; error: (predicted - measured) / measured\n");
        if let Some(prediction) = &self.completion.prediction {
            let [low, _, high] = prediction.value.lanes().map(|lane| quantity(lane, prediction.unit));
            out.push_str(&format!("predicted range of the completion time: {low} to {high}\n"));
        }
        if self.completion.prediction.is_some() && !(arguments.rig.pin && arguments.rig.awake) {
            out.push_str(MOVING_CONDITIONS);
        }
        if let (Some(within), Some(tolerance)) = (self.within(), arguments.tolerance) {
            let word = if within { "within" } else { "outside" };
            out.push_str(&format!("the completion time is {word} the tolerance of {}\n", percent(tolerance)));
        }
        out
    }

    fn to_json(&self) -> Value {
        let arguments = self.arguments;
        let plan = &self.forecast.plan;
        let iteration =
            self.iteration.as_ref().zip(self.measurement.iteration.as_ref()).map(|(one, times)| {
                let mut value = side(one);
                value["role"] = json!(plan.roles.get(times.role).map(|role| role.name.as_str()));
                value["loop"] = json!(
                    self.forecast.protocol.global.loops.get(times.id.index()).map(|one| one.name.as_str())
                );
                value["samples"] = json!(times.samples.len());
                value
            });
        let mut value = json!({
            "protocol": plan.protocol,
            "transport": arguments.transport.name(),
            "unit": cost::Unit::Seconds.symbol(),
            "iterations": iterations_of_run(self.forecast.protocol, &self.forecast.iterations),
            "repetitions": arguments.repetitions,
            "processes": arguments.processes,
            "seed": arguments.seed,
        });
        let object = value.as_object_mut().expect("just made");
        if let Value::Object(completion) = side(&self.completion) {
            object.extend(completion);
        }
        object.insert("iteration".to_owned(), json!(iteration));
        object.insert("tolerance".to_owned(), json!(arguments.tolerance));
        object.insert("within".to_owned(), json!(self.within()));
        object.insert("environment".to_owned(), json!(self.measurement.environment));
        object.insert("costs".to_owned(), self.forecast.priced.as_ref().map_or(json!([]), Priced::to_json));
        let predictions: Vec<_> = self.compared().filter_map(|one| one.prediction.as_ref()).collect();
        object.insert("predictions".to_owned(), json!(predictions));
        object.insert(
            "observations".to_owned(),
            json!(self.compared().map(|one| &one.observation).collect::<Vec<_>>()),
        );
        value
    }
}

/// `{"measured": {"min", "mean", "p50", "p99"}, "predicted", "error"}`.
fn side(one: &Compared) -> Value {
    let Summary { min, mean, p50, p99 } = one.measured;
    json!({
        "measured": {"min": min, "mean": mean, "p50": p50, "p99": p99},
        "predicted": one.prediction.as_ref().map(|prediction| prediction.value.mean),
        "error": one.comparison.as_ref().map(|comparison| comparison.error),
    })
}
