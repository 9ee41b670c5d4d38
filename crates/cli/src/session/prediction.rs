//! Predictions with their provenance: what `cost`, `latency`, `run` and `demo` show and compare.

use cost::{Estimate, Prediction};
use session::global::LoopId;
use session::{CostReport, LatencyReport};

use crate::input::{Priced, Protocol};

/// Quantity of a prediction or observation: from the start to the end of the last role.
pub(crate) const COMPLETION: &str = "completion time";
/// Quantity of a prediction or observation: growth per pass of a loop.
pub(crate) const PER_ITERATION: &str = "time per iteration";

/// What the completion time is about: `Pipe(n=4), 1000 iterations`.
pub(crate) fn subject_of_run(protocol: &Protocol, iterations: &[u64]) -> String {
    match iterations_of_run(protocol, iterations) {
        None => protocol.subject(),
        Some(1) => format!("{}, 1 iteration", protocol.subject()),
        Some(count) => format!("{}, {count} iterations", protocol.subject()),
    }
}

/// How often the first outermost loop runs; `None` without loops.
pub(crate) fn iterations_of_run(protocol: &Protocol, iterations: &[u64]) -> Option<u64> {
    let first = protocol.global.loops.iter().position(|one| one.parent.is_none())?;
    iterations.get(first).copied()
}

/// What the time per iteration is about: `Pipe(n=4), loop X`.
pub(crate) fn subject_of_loop(protocol: &Protocol, id: LoopId) -> String {
    format!("{}, loop {}", protocol.subject(), protocol.global.loops[id.index()].name)
}

/// The completion time as a prediction; `None` if the report was made without prices.
pub(crate) fn completion(protocol: &Protocol, report: &CostReport, priced: &Priced) -> Option<Prediction> {
    Some(Prediction {
        subject: subject_of_run(protocol, &report.iterations),
        quantity: COMPLETION.to_owned(),
        unit: report.unit?,
        estimator: estimator(protocol, report.total?),
        value: report.total?,
        quantiles: None,
        costs: priced.origins.clone(),
    })
}

/// The latency as a prediction.
pub(crate) fn per_iteration(protocol: &Protocol, report: &LatencyReport, priced: &Priced) -> Prediction {
    Prediction {
        subject: subject_of_loop(protocol, report.of),
        quantity: PER_ITERATION.to_owned(),
        unit: report.unit,
        estimator: estimator(protocol, report.latency),
        value: report.latency,
        quantiles: None,
        costs: priced.origins.clone(),
    }
}

/// How the numbers came about, in words.
fn estimator(protocol: &Protocol, value: Estimate) -> String {
    use session::global::Node;
    let branches = |node: &Node| matches!(node, Node::Choice { branches, .. } if branches.len() > 1);
    let worst = if protocol.global.nodes.iter().any(branches) { "worst case over choices" } else { "exact" };
    let lanes = if value.min == value.max { "exact costs" } else { "from min, mean and max costs" };
    format!("{worst}, {lanes}")
}
