//! The latency of a loop: its growth per iteration, exactly, by the largest cycle mean.

use cost::expr::{Atom, Pool};
use cost::maxplus::{Critical, Recurrence, Solution};
use cost::{Estimate, PriceList, Unit};
use diag::{Diagnostic, Span};

use super::charges::{ChargeKind, Charges};
use super::clocks::Clocks;
use super::domains::{Expressions, Shape};
use super::equations::{self, Equations};
use super::machine::Machine;
use super::participation::interactions_per_iteration;
use super::pricing::price;
use super::{Prepared, Setting, check_work};
use crate::global::{GlobalType, LoopId, NodeId, RoleId};

/// How one role keeps up with the loop.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleLatency {
    /// The role.
    pub role: RoleId,
    /// Time per iteration in the long run; 0 for a role that takes no part.
    pub latency: Estimate,
    /// Interactions of one iteration in which the role takes part (the most over the branches).
    pub interactions: u64,
    /// Latency divided by interactions; `None` for a role that takes no part.
    pub relative: Option<Estimate>,
}

/// One interaction on the critical cycle.
#[derive(Debug, Clone, PartialEq)]
pub struct BottleneckStep {
    /// The interaction.
    pub site: NodeId,
    /// The sender.
    pub from: RoleId,
    /// The receiver.
    pub to: RoleId,
    /// The label.
    pub label: String,
    /// Where it was written.
    pub span: Span,
    /// The charges of it that lie on the cycle, in order of time, with their mean costs.
    pub charges: Vec<(ChargeKind, f64)>,
}

/// The latency of a loop.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyReport {
    /// The loop.
    pub of: LoopId,
    /// Unit of every number.
    pub unit: Unit,
    /// Time per iteration of the slowest role. Each lane is exact for its costs, and the worst case
    /// over every sequence of the branches that continue the loop.
    pub latency: Estimate,
    /// One entry per role, in order of declaration.
    pub roles: Vec<RoleLatency>,
    /// The critical cycle for mean costs, as interactions in order of time.
    pub bottleneck: Vec<BottleneckStep>,
    /// Iterations that one turn of the critical cycle spans.
    pub tokens: u32,
    /// Names of the state variables that the certificate speaks of: roles first, then messages in
    /// flight and free slots.
    pub states: Vec<String>,
    /// Proof for mean costs: a potential and a bound on the growth per iteration.
    pub certificate: cost::maxplus::Certificate,
    /// One iteration as equations; `None` where they would be too long to be read.
    pub equations: Option<Equations>,
    /// What the reader should know.
    pub warnings: Vec<Diagnostic>,
}

/// The first outermost loop of the text, on which the latency is asked by default.
pub(super) fn first_loop(global: &GlobalType) -> Option<LoopId> {
    let outermost = |index: &usize| global.loops[*index].parent.is_none();
    let index = (0..global.loops.len()).find(outermost)?;
    Some(LoopId(u32::try_from(index).expect("loop count fits u32")))
}

/// The latency of a loop: `name`, or else the first outermost loop of the text.
///
/// # Errors
/// S306 if there is no such loop or nothing continues it; otherwise as [`super::cost`].
pub fn latency(
    global: &GlobalType,
    prices: &dyn PriceList,
    setting: &Setting,
    name: Option<&str>,
) -> Result<LatencyReport, Vec<Diagnostic>> {
    let id = find_loop(global, name)?;
    // The loop in question runs for ever; only loops inside it and before it need bounds.
    let bounded = Setting { iterations: setting.iterations.or(Some(1)), ..setting.clone() };
    let prepared = Prepared::new(global, &bounded, Some(prices))?;
    let list = price(global, &prepared.charges, &prepared.environment, prices)?;
    let mut once = prepared.iterations.clone();
    once[id.index()] = 1;
    check_work(global, &once, 2e7, "lower the bounds of the inner loops")?;
    let machine = Machine { global, charges: &prepared.charges, iterations: once };
    let own: Vec<Atom> = (0..u32::try_from(list.len()).expect("charge count fits u32")).map(Atom).collect();
    let (recurrence, states) = recurrence(&machine, id, &own).ok_or_else(|| vec![never(global, id)])?;
    let solutions = solve_lanes(&recurrence, &list);
    let mut report = report(&machine, id, &solutions, &list, states, prices.unit());
    report.equations = loop_equations(global, &prepared.symbolic, machine.iterations, id);
    report.warnings = prepared.warnings;
    Ok(report)
}

/// Symbolic work above which no equations are written: they would be of no use to a reader.
const SYMBOLIC_LIMIT: f64 = 2e6;

/// One iteration of a loop as equations; `None` where they would be too long to be read.
pub(super) fn loop_equations(
    global: &GlobalType,
    charges: &Charges,
    iterations: Vec<u64>,
    id: LoopId,
) -> Option<Equations> {
    check_work(global, &iterations, SYMBOLIC_LIMIT, "").ok()?;
    let (symbols, atoms) = equations::symbols(global, charges);
    let machine = Machine { global, charges, iterations };
    let (recurrence, states) = recurrence(&machine, id, &atoms)?;
    Some(equations::write(global, &recurrence.pool, &recurrence.next, symbols, states))
}

fn find_loop(global: &GlobalType, name: Option<&str>) -> Result<LoopId, Vec<Diagnostic>> {
    let found = match name {
        None => first_loop(global),
        Some(name) => global
            .loops
            .iter()
            .position(|repeated| repeated.name == name)
            .map(|index| LoopId(u32::try_from(index).expect("loop count fits u32"))),
    };
    found.ok_or_else(|| {
        let message = match name {
            Some(name) => format!("the protocol has no loop `{name}`"),
            None => "the protocol has no loop, so it has no latency per iteration".to_owned(),
        };
        let mut diagnostic = Diagnostic::error("S306", message);
        if let Some(role) = global.roles.first() {
            diagnostic = diagnostic.at(role.span, "in this protocol");
        }
        vec![diagnostic.help("use `session cost` for the cost of a whole run")]
    })
}

fn never(global: &GlobalType, id: LoopId) -> Diagnostic {
    let repeated = &global.loops[id.index()];
    Diagnostic::error("S306", format!("no path through the loop `{}` continues it", repeated.name))
        .at(repeated.span, "this loop runs at most once")
        .help(format!("add `continue {};` or use `session cost`", repeated.name))
}

/// One iteration of a loop as a recurrence over role clocks, messages in flight and free slots, with
/// the names of these state variables. `None` if the loop cannot be reached or is never continued.
pub fn recurrence(machine: &Machine, id: LoopId, atoms: &[Atom]) -> Option<(Recurrence, Vec<String>)> {
    let global = machine.global;
    let head = machine.head(&mut Shape, id, Clocks::uniform(global, &()))?;
    let mut expressions = Expressions { pool: Pool::new(), atoms };
    let mut count = 0u32;
    let variables = head.replace(|()| {
        count += 1;
        expressions.pool.state(count - 1)
    });
    let names = state_names(global, &variables);
    let after = machine.body(&mut expressions, id, variables.clone())?;
    assert_eq!(after.shape(), variables.shape(), "a checked loop leaves its channels as it found them");
    let next = after.all().copied().collect();
    Some((Recurrence { pool: expressions.pool, next }, names))
}

fn state_names<T: Clone>(global: &GlobalType, clocks: &Clocks<T>) -> Vec<String> {
    let mut names: Vec<String> = global.roles.iter().map(|role| role.name.clone()).collect();
    for (queues, what) in [(&clocks.queues, "message"), (&clocks.slots, "slot")] {
        for ((from, to), queue) in queues {
            let channel = format!("{}->{}", global.role_name(*from), global.role_name(*to));
            names.extend((1..=queue.len()).map(|position| format!("{channel} {what} {position}")));
        }
    }
    names
}

/// Solutions for min, mean and max costs; solved once where they are all the same.
fn solve_lanes(recurrence: &Recurrence, prices: &[Estimate]) -> [Solution; 3] {
    let lane = |index: usize| prices.iter().map(|price| price.lanes()[index]).collect::<Vec<f64>>();
    let mean = recurrence.solve(&lane(1));
    let exact = prices.iter().all(|price| price.min == price.mean && price.mean == price.max);
    if exact {
        return [mean.clone(), mean.clone(), mean];
    }
    [recurrence.solve(&lane(0)), mean, recurrence.solve(&lane(2))]
}

fn report(
    machine: &Machine,
    id: LoopId,
    solutions: &[Solution; 3],
    prices: &[Estimate],
    states: Vec<String>,
    unit: Unit,
) -> LatencyReport {
    let global = machine.global;
    let counts = interactions_per_iteration(machine, id);
    let roles: Vec<RoleLatency> = global
        .role_ids()
        .map(|role| {
            let rate = |lane: usize| solutions[lane].rates[role.index()];
            let latency = Estimate { min: rate(0), mean: rate(1), max: rate(2) };
            let interactions = counts[role.index()];
            let relative = (interactions > 0).then(|| latency.map(|time| time / interactions as f64));
            RoleLatency { role, latency, interactions, relative }
        })
        .collect();
    let slowest = roles.iter().map(|role| role.latency).reduce(|a, b| a.zip(b, f64::max));
    let critical = solutions[1].critical.as_ref();
    LatencyReport {
        of: id,
        unit,
        latency: slowest.unwrap_or_default(),
        roles,
        bottleneck: critical.map_or_else(Vec::new, |cycle| bottleneck(machine, cycle, prices)),
        tokens: critical.map_or(0, |cycle| cycle.tokens),
        equations: None,
        states,
        certificate: solutions[1].certificate.clone(),
        warnings: Vec::new(),
    }
}

/// The critical cycle, charges of the same interaction that follow each other taken together; it
/// starts with the interaction that comes first in the text.
fn bottleneck(machine: &Machine, critical: &Critical, prices: &[Estimate]) -> Vec<BottleneckStep> {
    let mut steps: Vec<BottleneckStep> = Vec::new();
    for atom in &critical.atoms {
        let charge = &machine.charges.list[atom.0 as usize];
        let paid = (charge.kind, prices[atom.0 as usize].mean);
        match steps.last_mut() {
            Some(step) if step.site == charge.site => step.charges.push(paid),
            _ => {
                let interaction = machine.global.interaction(charge.site);
                steps.push(BottleneckStep {
                    site: charge.site,
                    from: charge.from,
                    to: charge.to,
                    label: interaction.label.clone(),
                    span: interaction.span,
                    charges: vec![paid],
                });
            }
        }
    }
    // A cycle has no beginning: where it was cut inside an interaction, its two parts belong together.
    if steps.len() > 1 && steps[0].site == steps[steps.len() - 1].site {
        let tail = steps.pop().expect("more than one step");
        steps[0].charges.splice(0..0, tail.charges);
    }
    if let Some(first) = (0..steps.len()).max_by_key(|index| steps[*index].site) {
        steps.rotate_left(first);
    }
    steps
}
