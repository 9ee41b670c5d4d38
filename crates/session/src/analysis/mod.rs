//! What a protocol costs: in a bounded run, and per iteration for ever.

pub mod charges;
pub mod clocks;
pub mod domains;
pub mod equations;
pub mod machine;

mod bounded;
mod latency;
mod notation;
mod participation;
mod pricing;
mod setting;

pub use bounded::{CostReport, RoleCost, cost};
pub use latency::{BottleneckStep, LatencyReport, RoleLatency, latency, recurrence};
pub use notation::Notation;
pub(crate) use pricing::amount;
pub use pricing::{price, vocabulary};
pub use setting::Setting;

use cost::{Environment, PriceList};
use diag::Diagnostic;

use crate::global::GlobalType;
use crate::wellformed::check_flight;
use charges::{Charges, Vocabulary};

/// What every analysis starts with: the environment, the loop bounds and the charges.
struct Prepared {
    environment: Environment,
    iterations: Vec<u64>,
    charges: Charges,
    /// The same charges with every parameter by its name, for equations.
    symbolic: Charges,
    warnings: Vec<Diagnostic>,
}

impl Prepared {
    fn new(
        global: &GlobalType,
        setting: &Setting,
        prices: Option<&dyn PriceList>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let faults = check_flight(global);
        if diag::has_errors(&faults) {
            return Err(faults);
        }
        let environment = setting.environment(global, prices.map(PriceList::unit))?;
        let (iterations, mut warnings) = setting.iterations(global, &environment)?;
        let steps = prices.map_or(Vocabulary::default(), pricing::vocabulary);
        let charges = Charges::new(global, steps, &environment);
        let symbolic = Charges::new(global, steps, &Environment::default());
        warnings.extend(shared_cores(global));
        Ok(Self { environment, iterations, charges, symbolic, warnings })
    }
}

/// Roles that share a node are priced as if each had a core of its own; who placed them so must know.
fn shared_cores(global: &GlobalType) -> Option<Diagnostic> {
    let cores =
        |node: &str| global.cores.iter().find(|(name, _)| name == node).map_or(1, |(_, count)| *count);
    let crowded = global.placement.iter().find(|(_, node)| {
        let roles = global.placement.iter().filter(|(_, other)| other == node).count();
        roles > cores(node) as usize
    })?;
    let role = &global.roles[crowded.0.index()];
    Some(
        Diagnostic::note(
            "S312",
            format!("node `{}` has fewer cores than roles, which is not priced yet", crowded.1),
        )
        .at(role.span, "this role shares a core")
        .help("the result holds for one core per role; roles that compute at the same time will be slower"),
    )
}

/// Work that one analysis may cause, in charges visited.
const WORK_LIMIT: f64 = 4e9;

/// Refuses runs that would not end in reasonable time.
fn check_work(
    global: &GlobalType,
    iterations: &[u64],
    limit: f64,
    cure: &str,
) -> Result<(), Vec<Diagnostic>> {
    let mut weight = vec![1.0f64; global.loops.len()];
    let mut worst = None;
    let mut total = global.nodes.len() as f64;
    for (index, repeated) in global.loops.iter().enumerate() {
        let around = repeated.parent.map_or(1.0, |parent| weight[parent.index()]);
        weight[index] = around * (iterations[index] as f64).max(1.0);
        let Some(crate::global::Node::Loop { exit, .. }) = global.nodes.get(repeated.node.index()) else {
            continue;
        };
        total += weight[index] * f64::from(repeated.node.0 - exit.0);
        if worst.is_none_or(|(_, most)| weight[index] > most) {
            worst = Some((index, weight[index]));
        }
    }
    match worst {
        Some((index, times)) if total > limit => {
            let repeated = &global.loops[index];
            Err(vec![
                Diagnostic::error(
                    "S308",
                    format!("this would take {total:.1e} steps; the limit is {limit:.1e}"),
                )
                .at(repeated.span, format!("`{}` runs {times:.0} times in all", repeated.name))
                .help(cure),
            ])
        }
        _ => Ok(()),
    }
}
