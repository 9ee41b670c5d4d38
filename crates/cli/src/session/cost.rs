//! `lagcast session cost`: when each role is done in a bounded run.

use clap::Args;
use report::{Cell, Column, Form, Table, quantity};
use serde_json::{Map, Value, json};
use session::analysis::equations::Equations;
use session::{CostReport, Notation};

use super::prediction::{self, iterations_of_run};
use crate::input::{CostArguments, Priced, Protocol, ProtocolArguments};
use crate::output::{Answer, Format, Outcome, document};

/// Predict what a bounded run of a protocol costs each role
///
/// Loops run as often as --iterations or the protocol's header says. Without a cost model the answer is
/// symbolic: an equation per role, a maximum of sums. With one or more models (--costs) each role's time is
/// computed three times, from the smallest, the mean and the largest costs; where the protocol chooses, the
/// later branch counts. Where the costs came from is said with every prediction.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lagcast session cost ring.nuscr                                       symbolic
  lagcast session cost ring.nuscr --costs tcp.toml --set n=64 --iterations 1000
  lagcast session cost ring.nuscr --costs tcp.toml --format json        for scripts

JSON: {\"protocol\", \"unit\", \"iterations\", \"roles\": {NAME: {\"cost\", \"equation\", \"min\", \"max\"}}, \"total\", ..}; \
costs and total are the mean lane, null without a cost model.")]
pub(crate) struct CostCommand {
    #[command(flatten)]
    protocol: ProtocolArguments,
    #[command(flatten)]
    costs: CostArguments,
    /// How often the outermost loops run; wins over the header
    #[arg(long, short = 'n', value_name = "N")]
    iterations: Option<u64>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    format: Format,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &CostCommand) -> Answer {
    let priced = arguments.costs.read()?;
    let unit = priced.as_ref().map(|priced| cost::PriceList::unit(&priced.prices));
    let mut protocol = arguments.protocol.read(unit)?;
    protocol.setting.iterations = arguments.iterations;
    let prices = priced.as_ref().map(|priced| &priced.prices as &dyn cost::PriceList);
    let report = session::cost(&protocol.global, prices, &protocol.setting)
        .map_err(|diagnostics| protocol.failure(diagnostics))?;
    protocol.show(&report.warnings);
    Ok(Outcome::yes(match arguments.format {
        Format::Json => document(&to_json(&protocol, &report, priced.as_ref())),
        Format::Text => text(&protocol, &report, priced.as_ref()),
        Format::Csv => table(&protocol, &report, true).render(Form::Csv),
        Format::Latex => table(&protocol, &report, true).render(Form::Latex),
    }))
}

fn table(protocol: &Protocol, report: &CostReport, with_equations: bool) -> Table {
    let mut columns = vec![Column::words("role")];
    if let Some(unit) = report.unit {
        columns.extend(["min", "mean", "max"].map(|name| Column::quantity(name, unit)));
    }
    if with_equations {
        columns.push(Column::words("equation"));
    }
    let mut table = Table::new(columns);
    for (index, entry) in report.roles.iter().enumerate() {
        let mut row: Vec<Cell> = vec![protocol.global.role_name(entry.role).into()];
        if report.unit.is_some() {
            let lanes = entry.cost.map(cost::Estimate::lanes);
            row.extend((0..3).map(|lane| Cell::from(lanes.map(|lanes| lanes[lane]))));
        }
        if with_equations {
            row.push(report.equations.as_ref().map_or(Cell::Missing, |equations| formula(equations, index)));
        }
        table.push(row);
    }
    table
}

fn formula(equations: &Equations, index: usize) -> Cell {
    Cell::Formula {
        text: equations.right(index, Notation::Text),
        latex: equations.right(index, Notation::Latex),
    }
}

fn text(protocol: &Protocol, report: &CostReport, priced: Option<&Priced>) -> String {
    let mut out = format!("{}\n", prediction::subject_of_run(protocol, &report.iterations));
    if let (Some(priced), Some(unit), Some(total)) = (priced, report.unit, report.total) {
        for line in priced.lines() {
            out.push_str(&format!("costs from {line}\n"));
        }
        out.push_str(&format!("\n{}\n", table(protocol, report, false).render(Form::Text)));
        let last = report.last.map_or("", |role| protocol.global.role_name(role));
        out.push_str(&format!(
            "completion time: {} ({} to {}); {last} is done last\n",
            quantity(total.mean, unit),
            quantity(total.min, unit),
            quantity(total.max, unit)
        ));
    }
    match &report.equations {
        Some(equations) => out.push_str(&format!("\n{}", equations_text(protocol, report, equations))),
        None => out.push_str("\nThe equations are too long to be written out.\n"),
    }
    out
}

/// The equations as lines `P = ..`; of a loop, one pass: `P' = ..` in terms of the times at its head.
fn equations_text(protocol: &Protocol, report: &CostReport, equations: &Equations) -> String {
    let (heading, prime) = match report.equations_of {
        Some(id) => {
            let name = &protocol.global.loops[id.index()].name;
            (
                format!("One iteration of {name}, from the times at its head (P) to those after it (P'):\n"),
                "'",
            )
        }
        None => ("Time of each role at the end:\n".to_owned(), ""),
    };
    let mut out = heading;
    for index in 0..equations.equations.len() {
        let name = equation_name(protocol, equations, index);
        out.push_str(&format!("  {name}{prime} = {}\n", equations.right(index, Notation::Text)));
    }
    let named = equations.named(Notation::Text);
    if !named.is_empty() {
        out.push_str("where\n");
    }
    for (name, right) in named {
        out.push_str(&format!("  {name} = {right}\n"));
    }
    out
}

fn equation_name(protocol: &Protocol, equations: &Equations, index: usize) -> String {
    match protocol.global.roles.get(index) {
        Some(role) => role.name.clone(),
        None => equations.state(index, Notation::Text),
    }
}

fn to_json(protocol: &Protocol, report: &CostReport, priced: Option<&Priced>) -> Value {
    let roles: Map<String, Value> = report
        .roles
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            let equation = report.equations.as_ref().map(|equations| equations.right(index, Notation::Text));
            let value = json!({
                "cost": entry.cost.map(|cost| cost.mean),
                "equation": equation,
                "min": entry.cost.map(|cost| cost.min),
                "max": entry.cost.map(|cost| cost.max),
            });
            (protocol.global.role_name(entry.role).to_owned(), value)
        })
        .collect();
    let loops: Map<String, Value> = protocol
        .global
        .loops
        .iter()
        .zip(&report.iterations)
        .map(|(one, count)| (one.name.clone(), json!(count)))
        .collect();
    json!({
        "protocol": protocol.global.name,
        "unit": report.unit.map(cost::Unit::symbol),
        "iterations": iterations_of_run(protocol, &report.iterations),
        "roles": roles,
        "total": report.total.map(|total| total.mean),
        "min": report.total.map(|total| total.min),
        "max": report.total.map(|total| total.max),
        "last": report.last.map(|role| protocol.global.role_name(role)),
        "loops": loops,
        "equations_of": report.equations_of.map(|id| protocol.global.loops[id.index()].name.as_str()),
        "state": report.equations.as_ref().map(|equations| state_to_json(protocol, equations)),
        "definitions": report.equations.as_ref().map(|equations| equations.named(Notation::Text).into_iter().map(|(name, right)| (name, json!(right))).collect::<Map<_, _>>()),
        "costs": priced.map_or(json!([]), Priced::to_json),
        "predictions": priced.and_then(|priced| prediction::completion(protocol, report, priced)).into_iter().collect::<Vec<_>>(),
    })
}

/// Equations of messages in flight and free slots.
fn state_to_json(protocol: &Protocol, equations: &Equations) -> Value {
    let beyond = protocol.global.roles.len()..equations.equations.len();
    beyond
        .map(|index| (equations.state(index, Notation::Text), json!(equations.right(index, Notation::Text))))
        .collect::<Map<_, _>>()
        .into()
}
