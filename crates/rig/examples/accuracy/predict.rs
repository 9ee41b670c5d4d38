//! The predicted time per iteration of a plan: every role a clock, every message an arrival time.

use std::collections::{BTreeMap, VecDeque};

use cost::{PriceList, Prices, Request};
use session::global::LoopId;
use session::plan::{Plan, PlanState};

/// A role on its way through its machine.
struct Walker {
    state: usize,
    clock: f64,
    counters: BTreeMap<LoopId, (u64, usize, usize, bool)>,
    passes: Vec<f64>,
    done: bool,
}

/// Seconds per iteration of the outermost loop at the role that ends last, for mean costs.
///
/// # Panics
/// If the plan has choices or deadlocks, or the model lacks a price: this is for the plans of the example.
pub(crate) fn iteration_time(plan: &Plan, prices: &Prices) -> f64 {
    let mut walkers: Vec<Walker> = plan
        .roles
        .iter()
        .map(|role| Walker {
            state: role.start,
            clock: 0.0,
            counters: BTreeMap::new(),
            passes: vec![],
            done: false,
        })
        .collect();
    let mut flying: BTreeMap<(usize, usize), VecDeque<f64>> = BTreeMap::new();
    let mut known: BTreeMap<(usize, usize, usize), [f64; 3]> = BTreeMap::new();
    let mut moved = true;
    while moved {
        moved = false;
        for role in 0..walkers.len() {
            while !walkers[role].done && step(plan, prices, &mut walkers, role, &mut flying, &mut known) {
                moved = true;
            }
        }
    }
    let last = walkers.iter().max_by(|a, b| a.clock.total_cmp(&b.clock)).expect("roles");
    assert!(walkers.iter().all(|walker| walker.done), "the plan deadlocks");
    (last.passes[last.passes.len() - 1] - last.passes[0]) / (last.passes.len() - 1) as f64
}

/// Prices of sending, of the edge and of receiving.
fn price(plan: &Plan, prices: &Prices, from: usize, to: usize, bytes: usize) -> [f64; 3] {
    let (sender, receiver) = ([plan.roles[from].name.as_str()], [plan.roles[to].name.as_str()]);
    let of = |operation: &str| {
        let request = Request::new(operation, &sender, &receiver).with_size(bytes as f64);
        prices.price(&request).expect("calibrated for the size").mean
    };
    [of("send"), of("latency") + of("wake"), of("recv")]
}

fn compute(prices: &Prices, work: f64) -> f64 {
    let variables = [("work", work)];
    let request = Request::new("compute", &["*"], &["*"]).with_variables(&variables);
    prices.price(&request).expect("calibrated").mean
}

fn step(
    plan: &Plan,
    prices: &Prices,
    walkers: &mut [Walker],
    role: usize,
    flying: &mut BTreeMap<(usize, usize), VecDeque<f64>>,
    known: &mut BTreeMap<(usize, usize, usize), [f64; 3]>,
) -> bool {
    let walker = &mut walkers[role];
    match &plan.roles[role].states[walker.state] {
        PlanState::End => walker.done = true,
        PlanState::Send(outputs) => {
            let output = &outputs[0];
            let key = (role, output.to, output.bytes);
            let [send, edge, _] =
                *known.entry(key).or_insert_with(|| price(plan, prices, role, output.to, output.bytes));
            walker.clock += compute(prices, output.compute) + send;
            flying.entry((role, output.to)).or_default().push_back(walker.clock + edge);
            walker.state = output.next;
        }
        PlanState::Receive { from, inputs } => {
            let Some(arrival) = flying.get_mut(&(*from, role)).and_then(VecDeque::pop_front) else {
                return false;
            };
            let input = &inputs[0];
            let key = (*from, role, input.bytes);
            let [_, _, recv] =
                *known.entry(key).or_insert_with(|| price(plan, prices, *from, role, input.bytes));
            walker.clock = walker.clock.max(arrival) + recv + compute(prices, input.compute);
            walker.state = input.next;
        }
        PlanState::Loop { id, iterations, body, exit, outermost } => {
            walker.counters.insert(*id, (*iterations, *body, *exit, *outermost));
            if *outermost {
                walker.passes.push(walker.clock);
            }
            walker.state = *body;
        }
        PlanState::Continue(id) => {
            let (left, body, exit, outermost) = walker.counters.get_mut(id).expect("a loop that was entered");
            *left -= 1;
            if *outermost {
                walker.passes.push(walker.clock);
            }
            walker.state = if *left == 0 { *exit } else { *body };
        }
    }
    true
}
