//! `lagcast compare`: a prediction beside an observation, each from a JSON file.

use std::path::{Path, PathBuf};

use clap::Args;
use cost::{Comparison, Observation, Prediction};
use report::{Cell, Column, Form, Table, percent};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::input::{read, share};
use crate::output::{Answer, Failure, Format, Outcome, document};

/// Compare a prediction with an observation of the same thing
///
/// Both are JSON files: the prediction from `session cost` or `session latency` with --format json, the
/// observation from `session run` with --format json. What is about the same protocol, parameters and
/// quantity is set side by side. The exit status is 1 if an error is larger than --tolerance.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lagcast compare predicted.json observed.json
  lagcast compare predicted.json observed.json --tolerance 15% --format csv

JSON: {\"within\", \"tolerance\", \"comparisons\": [{\"subject\", \"quantity\", \"unit\", \"predicted\", \"observed\", \"error\", ..}]}.")]
pub(crate) struct CompareArguments {
    /// JSON with predictions
    #[arg(value_name = "PREDICTION")]
    prediction: PathBuf,
    /// JSON with observations
    #[arg(value_name = "OBSERVATION")]
    observation: PathBuf,
    /// Largest error, either way, for exit status 0
    #[arg(long, value_name = "SHARE", value_parser = share)]
    tolerance: Option<f64>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    format: Format,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &CompareArguments) -> Answer {
    let predictions: Vec<Prediction> = load(&arguments.prediction, "predictions", "prediction")?;
    let observations: Vec<Observation> = load(&arguments.observation, "observations", "observation")?;
    let comparisons = pairs(&predictions, &observations, arguments.tolerance.unwrap_or(f64::INFINITY))?;
    let within = comparisons.iter().all(|one| one.within);
    let text = match arguments.format {
        Format::Json => document(&json!({
            "within": arguments.tolerance.map(|_| within),
            "tolerance": arguments.tolerance,
            "comparisons": comparisons.iter().map(to_json).collect::<Vec<_>>(),
        })),
        Format::Text => text(&comparisons, arguments.tolerance),
        Format::Csv => table(&comparisons).render(Form::Csv),
        Format::Latex => table(&comparisons).render(Form::Latex),
    };
    Ok(Outcome { text, status: u8::from(!within) })
}

/// The entries of a document: under `list`, or the document itself is one.
fn load<T: DeserializeOwned>(path: &Path, list: &str, what: &str) -> Result<Vec<T>, Failure> {
    let source = read(path)?;
    let value: Value = serde_json::from_str(source.text())
        .map_err(|error| Failure::new(format!("{} is not JSON: {error}", source.name())))?;
    let entries = match value.get(list) {
        Some(Value::Array(entries)) => entries.clone(),
        _ => vec![value],
    };
    let parsed: Result<Vec<T>, _> = entries.into_iter().map(serde_json::from_value).collect();
    match parsed {
        Ok(entries) if !entries.is_empty() => Ok(entries),
        Ok(_) => Err(Failure::with_help(format!("{} holds no {what}", source.name()), advice(what))),
        Err(error) => {
            Err(Failure::with_help(format!("{} holds no {what}: {error}", source.name()), advice(what)))
        }
    }
}

fn advice(what: &str) -> String {
    let command = if what == "prediction" {
        "lagcast session cost FILE --costs MODEL.toml"
    } else {
        "lagcast session run FILE"
    };
    format!("write it with `{command} --format json`")
}

fn pairs(
    predictions: &[Prediction],
    observations: &[Observation],
    tolerance: f64,
) -> Result<Vec<Comparison>, Failure> {
    let mut comparisons = Vec::new();
    for observation in observations {
        let same =
            |one: &&Prediction| one.quantity == observation.quantity && one.subject == observation.subject;
        for prediction in predictions.iter().filter(same) {
            let comparison = Comparison::new(prediction, observation, tolerance)
                .map_err(|error| Failure::new(format!("{}: {error}", observation.subject)))?;
            comparisons.push(comparison);
        }
    }
    if comparisons.is_empty() {
        let predicted: Vec<String> =
            predictions.iter().map(|one| about(&one.quantity, &one.subject)).collect();
        let observed: Vec<String> =
            observations.iter().map(|one| about(&one.quantity, &one.subject)).collect();
        return Err(Failure::with_help(
            format!(
                "nothing to compare: predicted is the {}; observed is the {}",
                predicted.join(" and the "),
                observed.join(" and the ")
            ),
            "predict and observe the same protocol with the same parameters and iterations",
        ));
    }
    Ok(comparisons)
}

fn about(quantity: &str, subject: &str) -> String {
    format!("{quantity} of {subject}")
}

fn table(comparisons: &[Comparison]) -> Table {
    let unit = comparisons.first().map_or(cost::Unit::Seconds, |one| one.unit);
    let mut table = Table::new(vec![
        Column::words("subject"),
        Column::words("quantity"),
        Column::quantity("predicted", unit),
        Column::quantity("observed", unit),
        Column::fraction("error"),
        Column::words("inside predicted range"),
    ]);
    for one in comparisons {
        let convert = |value: f64| Cell::from(unit.convert_from(value, one.unit));
        table.push(vec![
            one.subject.as_str().into(),
            one.quantity.as_str().into(),
            convert(one.predicted),
            convert(one.observed),
            one.error.into(),
            if one.inside_bounds { "yes" } else { "no" }.into(),
        ]);
    }
    table
}

fn text(comparisons: &[Comparison], tolerance: Option<f64>) -> String {
    let mut out = table(comparisons).render(Form::Text);
    out.push('\n');
    for origin in comparisons.first().map_or(&[][..], |one| &one.costs) {
        out.push_str(&format!("costs from {}\n", crate::input::origin_line(origin)));
    }
    if let Some(tolerance) = tolerance {
        let within = comparisons.iter().all(|one| one.within);
        let word = if within { "every error is within" } else { "an error is outside" };
        out.push_str(&format!("{word} the tolerance of {}\n", percent(tolerance)));
    }
    out
}

/// JSON has no infinity: a tolerance that nobody gave is null.
fn to_json(comparison: &Comparison) -> Value {
    let mut value = json!(comparison);
    if comparison.tolerance.is_infinite() {
        value["tolerance"] = Value::Null;
        value["within"] = Value::Null;
    }
    value
}
