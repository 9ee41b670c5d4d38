//! The cost of a bounded run: when each role is done (Definition 4.5).

use cost::{Estimate, PriceList, Unit};
use diag::Diagnostic;

use super::charges::Charges;
use super::clocks::{Clocks, Domain};
use super::domains::{Expressions, Numbers};
use super::equations::{self, Equations};
use super::latency::{first_loop, loop_equations};
use super::machine::Machine;
use super::pricing::price;
use super::{Prepared, Setting, WORK_LIMIT, check_work};
use crate::global::{GlobalType, LoopId, RoleId};
use cost::expr::Pool;

/// When one role is done.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleCost {
    /// The role.
    pub role: RoleId,
    /// Its clock at the end of the run; `None` without a cost model.
    pub cost: Option<Estimate>,
}

/// The cost of a bounded run.
#[derive(Debug, Clone, PartialEq)]
pub struct CostReport {
    /// Unit of every number; `None` without a cost model.
    pub unit: Option<Unit>,
    /// How often each loop of the protocol runs, by index.
    pub iterations: Vec<u64>,
    /// One entry per role, in order of declaration.
    pub roles: Vec<RoleCost>,
    /// Completion time: the latest role's. Each lane is the worst case over branches.
    pub total: Option<Estimate>,
    /// The role that is done last, in the mean.
    pub last: Option<RoleId>,
    /// Equations of the whole protocol, or of one iteration of its first outermost loop.
    pub equations: Option<Equations>,
    /// The loop that the equations are about, if they are about one.
    pub equations_of: Option<LoopId>,
    /// What the reader should know.
    pub warnings: Vec<Diagnostic>,
}

/// The cost of a protocol: symbolic without a price list, in numbers with one.
///
/// Loops run as often as `setting` and the header say. Where branches differ the later time counts:
/// the result is an upper bound on the cost of every trace, equal to it without choice (Theorem 4.12).
///
/// # Errors
/// Diagnostics on the protocol's source: missing values and prices, all of them.
pub fn cost(
    global: &GlobalType,
    prices: Option<&dyn PriceList>,
    setting: &Setting,
) -> Result<CostReport, Vec<Diagnostic>> {
    let prepared = Prepared::new(global, setting, prices)?;
    let (equations, equations_of) = match write_equations(global, &prepared) {
        Some((equations, of)) => (Some(equations), of),
        None => (None, None),
    };
    let mut report = CostReport {
        unit: prices.map(PriceList::unit),
        iterations: prepared.iterations.clone(),
        roles: global.role_ids().map(|role| RoleCost { role, cost: None }).collect(),
        total: None,
        last: None,
        equations,
        equations_of,
        warnings: prepared.warnings.clone(),
    };
    if let Some(prices) = prices {
        let list = price(global, &prepared.charges, &prepared.environment, prices)?;
        check_work(
            global,
            &prepared.iterations,
            WORK_LIMIT,
            "run fewer iterations and use `session latency` for the growth per iteration",
        )?;
        fill_in(&mut report, global, &prepared, &list);
    }
    Ok(report)
}

fn fill_in(report: &mut CostReport, global: &GlobalType, prepared: &Prepared, prices: &[Estimate]) {
    let end = completion(global, &prepared.charges, &prepared.iterations, prices);
    for (entry, time) in report.roles.iter_mut().zip(end.roles()) {
        entry.cost = Some(*time);
    }
    report.total = end.roles().copied().reduce(|a, b| a.zip(b, f64::max));
    let later = |a: &&RoleCost, b: &&RoleCost| {
        let mean = |entry: &RoleCost| entry.cost.map_or(0.0, |cost| cost.mean);
        mean(a).total_cmp(&mean(b)).then(b.role.cmp(&a.role))
    };
    report.last = report.roles.iter().max_by(later).map(|entry| entry.role);
}

/// The state at the end of a run, all roles starting at 0.
fn completion(
    global: &GlobalType,
    charges: &Charges,
    iterations: &[u64],
    prices: &[Estimate],
) -> Clocks<Estimate> {
    let machine = Machine { global, charges, iterations: iterations.to_vec() };
    let mut numbers = Numbers { prices };
    let start = numbers.start();
    machine.run(&mut numbers, Clocks::uniform(global, &start))
}

/// Equations of one iteration of the first outermost loop, or of the whole protocol if it has none.
fn write_equations(global: &GlobalType, prepared: &Prepared) -> Option<(Equations, Option<LoopId>)> {
    if let Some(id) = first_loop(global) {
        let mut once = prepared.iterations.clone();
        once[id.index()] = 1;
        return Some((loop_equations(global, &prepared.symbolic, once, id)?, Some(id)));
    }
    let (symbols, atoms) = equations::symbols(global, &prepared.symbolic);
    let machine = Machine { global, charges: &prepared.symbolic, iterations: Vec::new() };
    let mut expressions = Expressions { pool: Pool::new(), atoms: &atoms };
    let zero = expressions.start();
    let end = machine.run(&mut expressions, Clocks::uniform(global, &zero));
    let roots: Vec<_> = end.roles().copied().collect();
    Some((equations::write(global, &expressions.pool, &roots, symbols, Vec::new()), None))
}
