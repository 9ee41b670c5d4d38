//! Laws of the cost semantics: Theorem 4.12, agreement of independent methods, certificates.

mod support;

use std::collections::BTreeMap;

use cost::expr::Atom;
use cost::{Estimate, PriceError, PriceList, Request, Unit};
use diag::Source;
use proptest::prelude::*;
use serde_json::{Value, json};
use session::expand::Options;
use session::{GlobalType, Setting};
use support::script::{Script, branching, pipelined_loop, straight};
use support::semantics::{Term, every_trace};

/// Prices that differ by pair and size, so that no two messages cost the same by accident.
struct Prices;

fn send(from: u32, to: u32, size: f64) -> f64 {
    1.0 + 0.25 * f64::from(from) + 0.125 * f64::from(to) + 0.5 * (size % 3.0)
}

fn recv(from: u32, to: u32, size: f64) -> f64 {
    0.5 + 0.125 * f64::from(from) + 0.25 * f64::from(to) + 0.25 * (size % 2.0)
}

impl PriceList for Prices {
    fn unit(&self) -> Unit {
        Unit::Seconds
    }

    fn knows(&self, operation: &str) -> bool {
        matches!(operation, "send" | "recv")
    }

    fn price(&self, request: &Request) -> Result<Estimate, PriceError> {
        let role = |names: &[&str]| names[0].strip_prefix('r').unwrap().parse::<u32>().unwrap();
        let (from, to, size) = (role(request.from), role(request.to), request.size.unwrap());
        Ok(Estimate::exactly(if request.operation == "send" {
            send(from, to, size)
        } else {
            recv(from, to, size)
        }))
    }
}

fn global(steps: &[Value]) -> GlobalType {
    let text = Value::Array(steps.to_vec()).to_string();
    let (global, diagnostics) = session::parse_json(&Source::new("law", text.clone()), &Options::default());
    global.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"))
}

/// The final clock of each role by the global semantics, by the number in the role's name.
fn global_cost(global: &GlobalType, iterations: u64) -> BTreeMap<u32, f64> {
    let setting = Setting { iterations: Some(iterations), ..Setting::default() };
    let report = session::cost(global, Some(&Prices), &setting).unwrap();
    let number = |name: &str| name.strip_prefix('r').unwrap().parse().unwrap();
    report.roles.iter().map(|role| (number(global.role_name(role.role)), role.cost.unwrap().mean)).collect()
}

/// Theorem 4.12: no trace costs more than the global type; without choice all cost the same.
fn traces_are_bounded(steps: &[Value], limit: usize) {
    let bound = global_cost(&global(steps), 1);
    let exact = !Value::Array(steps.to_vec()).to_string().contains("choice");
    let complete = every_trace(&Term::read(steps), &send, &recv, limit, &mut |clocks| {
        for (role, time) in clocks {
            assert!(*time <= bound[role], "{steps:?}: role {role} takes {time} > {}", bound[role]);
            assert!(
                !exact || *time == bound[role],
                "{steps:?}: role {role} takes {time}, not {}",
                bound[role]
            );
        }
    });
    assert!(complete > 0);
}

#[test]
fn every_protocol_of_up_to_three_messages_between_three_roles() {
    let pairs = [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)];
    let message = |code: usize, position: u32| {
        let (from, to) = pairs[code];
        json!({"msg": [from, to], "size": position + 2, "cost": position})
    };
    for a in 0..6 {
        traces_are_bounded(&[message(a, 0)], usize::MAX);
        for b in 0..6 {
            traces_are_bounded(&[message(a, 0), message(b, 1)], usize::MAX);
            for c in 0..6 {
                traces_are_bounded(&[message(a, 0), message(b, 1), message(c, 2)], usize::MAX);
            }
        }
    }
}

/// A run of the plan, which follows local machines and decisions, on clocks.
fn traced(global: &GlobalType, iterations: u64, seed: u64) -> Vec<f64> {
    let (locals, diagnostics) = session::project(global);
    assert!(!diag::has_errors(&diagnostics), "{diagnostics:?}");
    let setting = Setting { iterations: Some(iterations), ..Setting::default() };
    let (plan, _) = session::plan(global, &locals, &setting, Unit::Seconds, seed).unwrap();
    let environment = setting.environment(global, Some(Unit::Seconds)).unwrap();
    let vocabulary = session::analysis::vocabulary(&Prices);
    let charges = session::analysis::charges::Charges::new(global, vocabulary, &environment);
    let prices = session::analysis::price(global, &charges, &environment, &Prices).unwrap();
    let trace = session::trace(&plan, &charges, &prices, 0).expect("well-formed protocols do not deadlock");
    trace.roles.iter().map(|time| time.mean).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_interleaving_costs_more_than_the_global_type(numbers in prop::collection::vec(0u32..1000, 0..40)) {
        let steps = branching(&mut Script::new(&numbers), 3, 2);
        traces_are_bounded(&steps, 2000);
    }

    #[test]
    fn local_machines_on_clocks_agree_with_the_global_semantics(
        numbers in prop::collection::vec(0u32..1000, 0..120),
        iterations in 1u64..20,
    ) {
        let mut script = Script::new(&numbers);
        for steps in [straight(&mut script, 4, 20), pipelined_loop(&mut script, 4, 12)] {
            let global = global(&steps);
            let expected: Vec<f64> = {
                let setting = Setting { iterations: Some(iterations), ..Setting::default() };
                let report = session::cost(&global, Some(&Prices), &setting).unwrap();
                report.roles.iter().map(|role| role.cost.unwrap().mean).collect()
            };
            prop_assert_eq!(traced(&global, iterations, 0), expected, "{:?}", steps);
        }
    }

    #[test]
    fn a_run_with_decisions_never_exceeds_the_worst_case(
        numbers in prop::collection::vec(0u32..1000, 0..60),
        seed in any::<u64>(),
    ) {
        let steps = branching(&mut Script::new(&numbers), 4, 3);
        let global = global(&steps);
        let bound = global_cost(&global, 1);
        for (role, time) in traced(&global, 1, seed).into_iter().enumerate() {
            let name = global.roles[role].name.strip_prefix('r').unwrap().parse::<u32>().unwrap();
            prop_assert!(time <= bound[&name], "{:?}", steps);
        }
    }

    #[test]
    fn latency_is_the_growth_of_long_runs_and_its_certificate_holds(
        numbers in prop::collection::vec(0u32..1000, 0..120),
    ) {
        let steps = pipelined_loop(&mut Script::new(&numbers), 4, 12);
        let global = global(&steps);
        let latency = session::latency(&global, &Prices, &Setting::default(), None).unwrap();
        let (few, many) = (60, 5100);
        let (before, after) = (global_cost(&global, few), global_cost(&global, many));
        for role in &latency.roles {
            let number = global.role_name(role.role).strip_prefix('r').unwrap().parse::<u32>().unwrap();
            let growth = (after[&number] - before[&number]) / (many - few) as f64;
            // 5040 iterations are a multiple of every period up to 10; the start lies far behind.
            prop_assert!((growth - role.latency.mean).abs() < 1e-2 * (1.0 + growth), "{:?}: {} against {}", steps, growth, role.latency.mean);
        }
        prop_assert!(latency.certificate.bound - latency.latency.mean < 1e-9 * (1.0 + latency.latency.mean));
        for iterations in [0, 1, 2, 3, 5, 8, 40] {
            // All clocks start at 0; prologue messages make the start later, so leave those cases out.
            if steps.len() > 1 {
                break;
            }
            let initial = vec![0.0; latency.certificate.potential.len()];
            for (index, role) in global.role_ids().enumerate() {
                let number = global.role_name(role).strip_prefix('r').unwrap().parse::<u32>().unwrap();
                let limit = latency.certificate.limit(index, iterations, &initial);
                prop_assert!(global_cost(&global, iterations)[&number] <= limit + 1e-9);
            }
        }
    }

    #[test]
    fn howard_on_the_event_graph_equals_karp_on_the_matrix(numbers in prop::collection::vec(0u32..1000, 0..120)) {
        let steps = pipelined_loop(&mut Script::new(&numbers), 4, 12);
        let global = global(&steps);
        let environment = Setting::default().environment(&global, Some(Unit::Seconds)).unwrap();
        let vocabulary = session::analysis::vocabulary(&Prices);
        let charges = session::analysis::charges::Charges::new(&global, vocabulary, &environment);
        let prices = session::analysis::price(&global, &charges, &environment, &Prices).unwrap();
        let costs: Vec<f64> = prices.iter().map(|price| price.mean).collect();
        let atoms: Vec<Atom> = (0..costs.len()).map(|index| Atom(u32::try_from(index).unwrap())).collect();
        let machine = session::analysis::machine::Machine { global: &global, charges: &charges, iterations: vec![1] };
        let (recurrence, _) = session::analysis::recurrence(&machine, session::global::LoopId(0), &atoms).unwrap();
        let howard = recurrence.solve(&costs).critical.map(|cycle| cycle.ratio);
        let karp = recurrence.matrix(&costs).karp();
        match (howard, karp) {
            (Some(a), Some(b)) => prop_assert!((a - b).abs() < 1e-9 * (1.0 + b), "{a} against {b}"),
            (a, b) => prop_assert_eq!(a, b),
        }
    }
}
