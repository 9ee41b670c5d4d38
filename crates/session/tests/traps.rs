//! The traps into which the prototype fell, each with the right answer.

use cost::{Model, Prices};
use diag::Source;
use session::analysis::equations::Equations;
use session::expand::Options;
use session::{GlobalType, Notation, Setting};

fn protocol(text: &str) -> GlobalType {
    let (global, diagnostics) = session::parse(&Source::new("trap", text), &Options::default());
    global.unwrap_or_else(|| panic!("{diagnostics:?}"))
}

/// A model with these prices, each for any pair.
fn prices(entries: &[(&str, &str)]) -> Prices {
    let mut text = "[model]\nname = \"trap\"\nunit = \"s\"\nsource = \"assumed\"\n".to_owned();
    for (name, mean) in entries {
        text.push_str(&format!("[[operation]]\nname = \"{name}\"\nmean = \"{mean}\"\n"));
    }
    let (model, diagnostics) = Model::parse(&Source::new("trap", text));
    Prices::new(vec![model.unwrap_or_else(|| panic!("{diagnostics:?}"))]).unwrap()
}

const FREE: [(&str, &str); 2] = [("send", "0"), ("recv", "0")];

fn close(value: f64, expected: f64) {
    assert!((value - expected).abs() <= 1e-12 * expected.abs(), "{value} is not {expected}");
}

#[test]
fn queue_tokens_travel_from_one_iteration_to_the_next() {
    let global = protocol(
        r#"global protocol Credit(role P, role Q) {
            Credit() from Q ~> P;
            rec X {
                recv Credit() at P from Q; @"cost=1"
                Data() from P to Q; @"cost=5"
                Credit() from Q ~> P;
                continue X;
            }
        }"#,
    );
    let latency = session::latency(&global, &prices(&FREE), &Setting::default(), None).unwrap();
    assert_eq!(latency.roles.iter().map(|role| role.latency.mean).collect::<Vec<_>>(), [6.0, 6.0]);
    assert_eq!(latency.certificate.bound, 6.0);
    let places: Vec<&str> = latency.bottleneck.iter().map(|step| step.label.as_str()).collect();
    assert_eq!(places, ["Credit", "Data", "Credit"], "receive, send, credit");
}

#[test]
fn the_optimised_ring_has_one_latency_for_every_role() {
    // Only the pair of the first two roles has a price of its own, as in the published example.
    let text = r#"
[model]
name = "ring"
unit = "s"
source = "published"

[[operation]]
name = "send"
mean = "0"

[[operation]]
name = "recv"
mean = "0"

[[operation]]
name = "send"
from = "A"
to = "B"
mean = "1.2e-10"

[[operation]]
name = "recv"
from = "A"
to = "B"
mean = "8e-11"
"#;
    let (model, diagnostics) = Model::parse(&Source::new("ring.toml", text));
    let prices = Prices::new(vec![model.unwrap_or_else(|| panic!("{diagnostics:?}"))]).unwrap();
    let mut body = String::new();
    for (from, to) in [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")] {
        body.push_str(&format!("Token() from {from} ~> {to};\n"));
    }
    for (from, to) in [("A", "B"), ("B", "C"), ("C", "D"), ("D", "A")] {
        body.push_str(&format!("recv Token() at {to} from {from}; @\"cost=c\"\n"));
    }
    let global = protocol(&format!(
        "global protocol Ring(role A, role B, role C, role D) @\"param c=7e-10+100*4.35e-11\" {{ rec X {{ {body} continue X; }} }}"
    ));
    let latency = session::latency(&global, &prices, &Setting::default(), None).unwrap();
    for role in &latency.roles {
        // One of the four turns pays both prices: send at A, then the receive at B.
        close(role.latency.mean, 5.17e-9);
    }
}

#[test]
fn wake_and_latency_are_paid_on_the_edge_only() {
    let global = protocol(
        r#"global protocol Pipe(role P, role Q) {
            rec X { Data() from P to Q; @"cost=5" continue X; }
        }"#,
    );
    let prices = prices(&[("send", "1"), ("latency", "100"), ("wake", "10"), ("recv", "1")]);
    let latency = session::latency(&global, &prices, &Setting::default(), None).unwrap();
    assert_eq!(latency.latency.mean, 6.0, "the edge is passed once, not in every iteration");
    assert_eq!(latency.roles[0].latency.mean, 1.0, "the sender is never held up");
    let once = Setting { iterations: Some(1), ..Setting::default() };
    let report = session::cost(&global, Some(&prices), &once).unwrap();
    assert_eq!(report.total.unwrap().mean, 117.0);
}

#[test]
fn a_bounded_channel_holds_up_its_sender() {
    let text = |capacity: &str| {
        format!(
            r#"global protocol Pipe(role P, role Q) @"{capacity}" {{
                rec X {{ Data() from P to Q; @"cost=5" continue X; }}
            }}"#
        )
    };
    let prices = prices(&[("send", "1"), ("recv", "1")]);
    let rate = |capacity: &str| {
        let latency =
            session::latency(&protocol(&text(capacity)), &prices, &Setting::default(), None).unwrap();
        latency.roles.iter().map(|role| role.latency.mean).collect::<Vec<_>>()
    };
    assert_eq!(rate("param unused=0"), [1.0, 6.0]);
    for capacity in 1..4 {
        assert_eq!(rate(&format!("capacity P->Q={capacity}")), [6.0, 6.0]);
    }
    // With one slot and a cost that the receiver pays before taking the next message, P waits for the
    // receive: after 3 iterations its clock is the time of the second receive plus a send.
    let bounded = protocol(&text("capacity P->Q=1; iter X=3"));
    let report = session::cost(&bounded, Some(&prices), &Setting::default()).unwrap();
    let clocks: Vec<f64> = report.roles.iter().map(|role| role.cost.unwrap().mean).collect();
    // P: 1; slot free at 2 (Q took it), send 3; Q is ready at 7, takes at 8: send 9. Q: 7, 13, 19.
    assert_eq!(clocks, [9.0, 19.0]);
}

#[test]
fn branches_count_by_the_worst_and_leaving_ones_once() {
    let global = protocol(
        r#"global protocol Loop(role P, role Q) @"iter X=10" {
            rec X {
                choice at P { Slow() from P to Q; @"cost=4" continue X; }
                or { Fast() from P to Q; @"cost=2" continue X; }
                or { Stop() from P to Q; @"cost=1000" }
            }
        }"#,
    );
    let prices = prices(&[("send", "1"), ("recv", "1")]);
    let latency = session::latency(&global, &prices, &Setting::default(), None).unwrap();
    assert_eq!(latency.latency.mean, 5.0, "the slow branch every time");
    let report = session::cost(&global, Some(&prices), &Setting::default()).unwrap();
    assert_eq!(report.total.unwrap().mean, 1.0 + 9.0 * 5.0 + 1.0 + 1000.0, "nine slow ones, then stop");
}

#[test]
fn nested_loops_are_walked_by_the_worst_of_all_ways_through_them() {
    let global = protocol(
        r#"global protocol Nested(role P, role Q) @"iter X=3, Y=2" {
            rec X {
                rec Y {
                    choice at P { More() from P to Q; @"cost=5" continue Y; }
                    or { Next() from P to Q; @"cost=1" continue X; }
                }
            }
        }"#,
    );
    let report = session::cost(&global, Some(&prices(&FREE)), &Setting::default()).unwrap();
    // Two passes of More and Next (6 each); in the third Y may run out after More twice (10).
    assert_eq!(report.total.unwrap().mean, 22.0);
    let latency = session::latency(&global, &prices(&FREE), &Setting::default(), None).unwrap();
    assert_eq!(latency.latency.mean, 6.0, "More once, since Y's second pass must leave, then Next");
    let inner = session::latency(&global, &prices(&FREE), &Setting::default(), Some("Y")).unwrap();
    assert_eq!(inner.latency.mean, 5.0);
}

#[test]
fn missing_prices_and_parameters_are_errors_that_name_them() {
    let global = protocol(
        r#"global protocol Missing(role P, role Q) @"param n, c" {
            Data(int) from P to Q; @"size=8*n, cost=c"
            Back() from Q to P;
        }"#,
    );
    let faults = session::cost(&global, Some(&prices(&[("send", "1")])), &Setting::default()).unwrap_err();
    let said: Vec<&str> = faults.iter().map(|fault| fault.message.as_str()).collect();
    for name in ["`n`", "`c`", "`recv`"] {
        assert!(said.iter().any(|message| message.contains(name)), "{name} is not named in {said:?}");
    }
    assert!(
        session::cost(&global, None, &Setting::default()).is_ok(),
        "without costs the answer is symbolic"
    );
}

#[test]
fn equations_share_and_do_not_explode() {
    let rounds = "Ping() from P to Q; @\"cost=a\"\nPong() from Q to P; @\"cost=b\"\n".repeat(300);
    let global = protocol(&format!("global protocol Many(role P, role Q) @\"param a, b\" {{ {rounds} }}"));
    let equations = session::cost(&global, None, &Setting::default()).unwrap().equations.unwrap();
    let length: usize = (0..2).map(|role| equations.right(role, Notation::Text).len()).sum();
    let named: usize = equations.named(Notation::Text).iter().map(|(_, right)| right.len()).sum();
    assert!(length + named < 100_000, "{length} characters and {named} in subterms");
}

#[test]
fn equations_are_maxima_of_sums_without_dominated_terms() {
    let global = protocol(
        r#"global protocol ScatterGather(role M, role A, role B) @"param s, c, g" {
            Task(int) from M to A; @"size=s, cost=c"
            Task(int) from M to B; @"size=s, cost=c"
            Done(int) from A to M; @"size=1, cost=g"
            Done(int) from B to M; @"size=1, cost=g"
        }"#,
    );
    let report = session::cost(&global, None, &Setting::default()).unwrap();
    let equations = report.equations.unwrap();
    let right = |role: usize| equations.right(role, Notation::Text);
    assert_eq!(right(1), "send(M,A,s) + recv(M,A,s) + c + send(A,M,1)");
    let through_a = "send(M,A,s) + recv(M,A,s) + c + send(A,M,1) + recv(A,M,1) + 2*g + recv(B,M,1)";
    let through_b = "send(M,A,s) + c + send(M,B,s) + recv(M,B,s) + g + send(B,M,1) + recv(B,M,1)";
    let busy = "send(M,A,s) + send(M,B,s) + recv(A,M,1) + 2*g + recv(B,M,1)";
    let mut sums = vec![through_a, through_b, busy];
    sums.sort_unstable();
    let mut found: Vec<String> = equations.equations[0]
        .iter()
        .map(|sum| {
            Equations { equations: vec![vec![sum.clone()]], ..equations.clone() }.right(0, Notation::Text)
        })
        .collect();
    found.sort_unstable();
    assert_eq!(found, sums);
    assert!(equations.right(0, Notation::Latex).starts_with("\\max\\left("));
}
