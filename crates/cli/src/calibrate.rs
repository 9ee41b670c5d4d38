//! `lagcast calibrate ..`: measures what things cost on this machine and writes cost models.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use cost::{Estimate, Unit};
use report::{Cell, Column, Form, Table};
use rig::{CalibrateOptions, Point, Transport, TransportCalibration, measure_transport};
use serde_json::{Value, json};

use crate::date::today;
use crate::input::write;
use crate::output::{Answer, Failure, Format, Outcome, document};
use crate::progress::Progress;
use crate::rigging::{RigArguments, transport};

/// Measure what things cost on this machine and write cost models
///
/// A cost model is a text that prices operations: with it, protocols that have never run can be predicted.
/// A calibration measures the operations by themselves, never the protocol that is to be predicted.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  lagcast calibrate transport --transport tcp --pin --awake -o tcp.toml
  lagcast calibrate transport --transport unix --pin --awake --quick -o unix.toml")]
pub(crate) enum CalibrateCommand {
    Transport(TransportArguments),
}

/// Measure what sending, waiting and receiving cost, by message size
///
/// Two roles exchange messages of several sizes. Four numbers come out, each with its smallest value, its mean
/// and its 99th percentile: what the sender spends (send), what the message is under way beyond that
/// (latency), what a receiver that sleeps needs beyond that (wake), and what the receiver spends on a message
/// that is there (recv). They are valid between the smallest and the largest size measured. Runs that are to
/// be predicted should use the same --pin and --awake.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lagcast calibrate transport --transport tcp --pin --awake -o tcp.toml
  lagcast calibrate transport --transport thread --sizes 1,64,4096 --pin --awake > thread.toml

Without -o the model itself is printed; with it, a table of what was measured.")]
pub(crate) struct TransportArguments {
    /// How messages travel
    #[arg(long, short, default_value = "tcp", value_parser = transport, value_name = "thread|tcp|unix")]
    transport: Transport,
    /// Message sizes in bytes, ascending
    #[arg(long, value_delimiter = ',', value_name = "BYTES,..")]
    sizes: Vec<usize>,
    /// A third of the messages: faster, less exact
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    rig: RigArguments,
    /// Write the model into this file
    #[arg(long, short, value_name = "MODEL.toml")]
    output: Option<PathBuf>,
    /// Form of the table
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    format: Format,
}

/// Runs the subcommand.
pub(crate) fn run(command: &CalibrateCommand) -> Answer {
    match command {
        CalibrateCommand::Transport(arguments) => run_transport(arguments),
    }
}

fn run_transport(arguments: &TransportArguments) -> Answer {
    let options = arguments.options();
    if let Some(path) = &arguments.output {
        // Better to learn now than after the measurement that the file cannot be written.
        std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(path)
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
    }
    let calibration = measured(&options)?;
    let model = calibration.model().to_toml();
    if let Some(path) = &arguments.output {
        write(path, &model)?;
    }
    Ok(Outcome::yes(match arguments.format {
        Format::Json => document(&to_json(&calibration, &model)),
        Format::Text if arguments.output.is_none() => model,
        Format::Text => text(arguments, &calibration),
        Format::Csv => table(&calibration).render(Form::Csv),
        Format::Latex => table(&calibration).render(Form::Latex),
    }))
}

/// Measures a transport under a progress bar.
pub(crate) fn measured(options: &CalibrateOptions) -> Result<TransportCalibration, Failure> {
    let progress = Progress::begin(&format!("calibrating {}", options.transport));
    let result = measure_transport(options, &mut |done, steps| progress.at(done, steps));
    drop(progress);
    result.map_err(|error| Failure::new(error.to_string()))
}

impl TransportArguments {
    fn options(&self) -> CalibrateOptions {
        let mut options = CalibrateOptions::new(self.transport);
        if self.quick {
            options = options.quick();
        }
        if !self.sizes.is_empty() {
            options.sizes.clone_from(&self.sizes);
        }
        options.placement = self.rig.placement();
        options.keep_awake = self.rig.awake;
        options.date = Some(today());
        options
    }
}

/// A number of the model: its name, and where it is in a point.
type Part = (&'static str, fn(&Point) -> Estimate);

/// The numbers of the model, and their sum.
const PARTS: [Part; 5] = [
    ("send", |point| point.send),
    ("latency", |point| point.latency),
    ("wake", |point| point.wake),
    ("recv", |point| point.recv),
    ("crossing", Point::crossing),
];

fn table(calibration: &TransportCalibration) -> Table {
    let mut columns = vec![Column::words("roles"), Column::number("bytes")];
    columns.extend(PARTS.map(|(name, _)| Column::quantity(name, Unit::Seconds)));
    columns.push(Column::quantity("crossing p99", Unit::Seconds));
    let mut table = Table::new(columns);
    for (roles, points) in [("apart", &calibration.apart), ("on one core", &calibration.together)] {
        for point in points {
            let mut row: Vec<Cell> = vec![roles.into(), Cell::Number(point.size as f64)];
            row.extend(PARTS.map(|(_, part)| Cell::Number(part(point).mean)));
            row.push(Cell::Number(point.crossing().max));
            table.push(row);
        }
    }
    table
}

fn text(arguments: &TransportArguments, calibration: &TransportCalibration) -> String {
    let mut out = format!("{}, measured on {}\n\n", calibration.model().name, calibration.environment);
    out.push_str(&table(calibration).render(Form::Text));
    out.push_str(
        "\nMeans. send: the sender's time; latency: under way beyond that; wake: beyond that if the receiver sleeps;\n\
         recv: the receiver's time; crossing: their sum, from the begin of sending until a waiting receiver has it.\n",
    );
    if let Some(path) = &arguments.output {
        out.push_str(&format!("The model is in {}.\n", path.display()));
    }
    out
}

fn to_json(calibration: &TransportCalibration, model: &str) -> Value {
    let mut value = json!(calibration);
    value["unit"] = json!(Unit::Seconds.symbol());
    value["model"] = json!(model);
    value
}
