//! `lagcast session latency`: how long one iteration takes in the long run, and why.

use clap::Args;
use cost::PriceList;
use report::{Cell, Column, Form, Table, quantity};
use serde_json::{Map, Value, json};
use session::LatencyReport;
use session::analysis::BottleneckStep;

use super::prediction;
use crate::input::{CostArguments, Priced, Protocol, ProtocolArguments};
use crate::output::{Answer, Format, Outcome, document};

/// Predict how long one iteration of a loop takes in the long run, and say why
///
/// The latency is exact: the largest cycle mean of the loop's max-plus matrix, with messages in flight and
/// free slots of bounded channels carried from one iteration to the next. The bottleneck is the cycle that
/// attains it, as interactions of the text; whatever is not on it can get slower without harm. Relative to a
/// role, the latency is divided by the interactions in which that role takes part.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lagcast session latency ring.nuscr --costs tcp.toml
  lagcast session latency ring.nuscr --costs tcp.toml --loop Inner --format json

JSON: {\"latency\", \"roles\": {NAME: ..}, \"relative\": {NAME: ..}, \"bottleneck\": [{\"from\", \"to\", \"label\", \"line\"}], ..}; \
numbers are the mean lane.")]
pub(crate) struct LatencyCommand {
    #[command(flatten)]
    protocol: ProtocolArguments,
    #[command(flatten)]
    costs: CostArguments,
    /// The loop that is asked about; the first outermost one otherwise
    #[arg(long = "loop", value_name = "NAME")]
    of: Option<String>,
    /// How often outermost loops before it run; wins over the header
    #[arg(long, short = 'n', value_name = "N")]
    iterations: Option<u64>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    format: Format,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &LatencyCommand) -> Answer {
    let priced = arguments.costs.required("session latency")?;
    let mut protocol = arguments.protocol.read(Some(priced.prices.unit()))?;
    protocol.setting.iterations = arguments.iterations;
    let report =
        session::latency(&protocol.global, &priced.prices, &protocol.setting, arguments.of.as_deref())
            .map_err(|diagnostics| protocol.failure(diagnostics))?;
    protocol.show(&report.warnings);
    Ok(Outcome::yes(match arguments.format {
        Format::Json => document(&to_json(&protocol, &report, &priced)),
        Format::Text => text(&protocol, &report, &priced),
        Format::Csv => table(&protocol, &report).render(Form::Csv),
        Format::Latex => table(&protocol, &report).render(Form::Latex),
    }))
}

fn table(protocol: &Protocol, report: &LatencyReport) -> Table {
    let unit = report.unit;
    let mut table = Table::new(vec![
        Column::words("role"),
        Column::quantity("min", unit),
        Column::quantity("mean", unit),
        Column::quantity("max", unit),
        Column::number("interactions"),
        Column::quantity("per interaction", unit),
    ]);
    for entry in &report.roles {
        let mut row: Vec<Cell> = vec![protocol.global.role_name(entry.role).into()];
        row.extend(entry.latency.lanes().map(Cell::from));
        row.push(Cell::Number(entry.interactions as f64));
        row.push(entry.relative.map(|relative| relative.mean).into());
        table.push(row);
    }
    table
}

fn text(protocol: &Protocol, report: &LatencyReport, priced: &Priced) -> String {
    let of = &protocol.global.loops[report.of.index()].name;
    let mut out = format!("{}, loop {of}\n", protocol.subject());
    for line in priced.lines() {
        out.push_str(&format!("costs from {line}\n"));
    }
    let [min, mean, max] = report.latency.lanes().map(|lane| quantity(lane, report.unit));
    out.push_str(&format!("\ntime per iteration in the long run: {mean} ({min} to {max})\n\n"));
    out.push_str(&table(protocol, report).render(Form::Text));
    out.push_str(&format!("\n{}", bottleneck_text(protocol, report)));
    out.push_str(&format!(
        "\nproof: after k iterations from a common start, no role is later than k*{} + {}\n",
        quantity(report.certificate.bound, report.unit),
        quantity(head_start(report), report.unit)
    ));
    out
}

/// The largest lead of any role in the certificate, all starting at 0.
fn head_start(report: &LatencyReport) -> f64 {
    let start = vec![0.0; report.certificate.potential.len()];
    let limits = (0..report.roles.len()).map(|role| report.certificate.limit(role, 0, &start));
    limits.fold(0.0, f64::max)
}

/// The critical cycle, each interaction with the line that it was written on.
pub(crate) fn bottleneck_text(protocol: &Protocol, report: &LatencyReport) -> String {
    if report.bottleneck.is_empty() {
        return "no bottleneck: nothing is carried from one iteration to the next\n".to_owned();
    }
    let turns =
        if report.tokens == 1 { "1 iteration".to_owned() } else { format!("{} iterations", report.tokens) };
    let mut out = format!("bottleneck (one turn spans {turns}):\n");
    for step in &report.bottleneck {
        let (from, to) = (protocol.global.role_name(step.from), protocol.global.role_name(step.to));
        let charges: Vec<String> = step
            .charges
            .iter()
            .filter(|(_, cost)| *cost != 0.0)
            .map(|(kind, cost)| format!("{} {}", kind.operation(), quantity(*cost, report.unit)))
            .collect();
        let sum = if charges.is_empty() { "free".to_owned() } else { charges.join(" + ") };
        out.push_str(&format!("  {} from {from} to {to}: {sum}\n", step.label));
        out.push_str(&format!("    {} | {}\n", protocol.line(step.span), protocol.quoted(step.span)));
    }
    out
}

fn to_json(protocol: &Protocol, report: &LatencyReport, priced: &Priced) -> Value {
    let name = |role| protocol.global.role_name(role).to_owned();
    let roles: Map<String, Value> =
        report.roles.iter().map(|entry| (name(entry.role), json!(entry.latency.mean))).collect();
    let relative: Map<String, Value> = report
        .roles
        .iter()
        .map(|entry| (name(entry.role), json!(entry.relative.map(|relative| relative.mean))))
        .collect();
    let bounds: Map<String, Value> = report
        .roles
        .iter()
        .map(|entry| (name(entry.role), json!({"min": entry.latency.min, "max": entry.latency.max})))
        .collect();
    let potential: Map<String, Value> = report
        .states
        .iter()
        .zip(&report.certificate.potential)
        .map(|(state, lead)| (state.clone(), json!(lead)))
        .collect();
    let bottleneck: Vec<Value> = report.bottleneck.iter().map(|step| step_to_json(protocol, step)).collect();
    json!({
        "protocol": protocol.global.name,
        "loop": protocol.global.loops[report.of.index()].name,
        "unit": report.unit.symbol(),
        "latency": report.latency.mean,
        "min": report.latency.min,
        "max": report.latency.max,
        "roles": roles,
        "relative": relative,
        "bounds": bounds,
        "bottleneck": bottleneck,
        "tokens": report.tokens,
        "certificate": {"bound": report.certificate.bound, "potential": potential},
        "costs": priced.to_json(),
        "predictions": [prediction::per_iteration(protocol, report, priced)],
    })
}

/// One interaction of the bottleneck as JSON.
pub(crate) fn step_to_json(protocol: &Protocol, step: &BottleneckStep) -> Value {
    let charges: Vec<Value> = step
        .charges
        .iter()
        .map(|(kind, cost)| json!({"operation": kind.operation(), "cost": cost}))
        .collect();
    json!({
        "from": protocol.global.role_name(step.from),
        "to": protocol.global.role_name(step.to),
        "label": step.label,
        "line": protocol.line(step.span),
        "text": protocol.quoted(step.span),
        "charges": charges,
    })
}
