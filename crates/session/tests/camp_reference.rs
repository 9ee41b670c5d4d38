//! The 91 rows of the CAMP prototype: every published prediction, by its own rules and by ours.
//!
//! The prototype's rules for loops are odd (it resets the queues each iteration and takes T(2)-T(1)
//! for the latency), so its numbers are reproduced by a compatibility evaluator that lives only here;
//! where those rules do no harm our own semantics must give the same number.

#![allow(clippy::disallowed_methods, reason = "tests read their corpus")]

mod support;

use std::collections::BTreeMap;

use cost::Environment;
use diag::Source;
use serde_json::Value;
use session::Setting;
use session::expand::Options;
use support::camp::{Row, rows};

const TOLERANCE: f64 = 1e-12;

type Clocks = BTreeMap<u64, f64>;
type Queues = BTreeMap<(u64, u64), Vec<f64>>;

/// The prototype's evaluation, oddities included.
struct Compatibility<'a> {
    row: &'a Row,
}

impl Compatibility<'_> {
    fn value(&self, value: &Value) -> f64 {
        value.as_f64().unwrap_or_else(|| self.row.params.get(value.as_str().unwrap()).copied().unwrap_or(0.0))
    }

    fn receive(&self, step: &Value, from: u64, to: u64, arrival: f64, clocks: &mut Clocks) {
        let ready = clocks.get(&to).copied().unwrap_or(0.0).max(arrival);
        let cost = self.value(&step["cost"]);
        clocks.insert(to, ready + self.row.transport.recv(from, to, self.value(&step["size"])) + cost);
    }

    fn run(&self, steps: &Value, mut clocks: Clocks, mut queues: Queues) -> (Clocks, Queues) {
        for step in steps.as_array().unwrap() {
            let pair = |key: &str| -> Option<(u64, u64)> {
                step.get(key).map(|pair| serde_json::from_value(pair.clone()).unwrap())
            };
            if let Some((from, to)) = pair("msg").or(pair("send")) {
                let sent = clocks.entry(from).or_default();
                *sent += self.row.transport.send(from, to, self.value(&step["size"]));
                let sent = *sent;
                if step.get("msg").is_some() {
                    self.receive(step, from, to, sent, &mut clocks);
                } else {
                    queues.entry((from, to)).or_default().push(sent);
                }
            } else if let Some((from, to)) = pair("recv_from_to") {
                let queue = queues.entry((from, to)).or_default();
                let arrival = if queue.is_empty() { 0.0 } else { queue.remove(0) };
                self.receive(step, from, to, arrival, &mut clocks);
            } else if let Some((from, to)) = pair("choice") {
                self.choose(step, from, to, &mut clocks, &mut queues);
            } else if let Some(body) = step.get("body") {
                let (first, _) = self.run(body, Clocks::new(), queues.clone());
                let (second, _) = self.run(body, first.clone(), queues.clone());
                let times = step["n"].as_f64().unwrap();
                for (role, time) in second {
                    *clocks.entry(role).or_default() += times * (time - first[&role]);
                }
            }
        }
        (clocks, queues)
    }

    fn choose(&self, step: &Value, from: u64, to: u64, clocks: &mut Clocks, queues: &mut Queues) {
        *clocks.entry(from).or_default() += self.row.transport.send(from, to, 1.0);
        let ready = clocks.get(&to).copied().unwrap_or(0.0).max(clocks[&from]);
        clocks.insert(to, ready + self.row.transport.recv(from, to, 1.0));
        let before = (clocks.clone(), queues.clone());
        for (position, (_, branch)) in step["alts"].as_object().unwrap().iter().enumerate() {
            let (after, left) = self.run(branch, before.0.clone(), before.1.clone());
            for (role, time) in after {
                let known = clocks.entry(role).or_default();
                *known = known.max(time);
            }
            if position == 0 {
                *queues = left;
            }
        }
    }
}

fn agree(name: &str, what: &str, value: f64, expected: f64, tolerance: f64) {
    let error = (value - expected).abs() / expected.abs();
    assert!(error <= tolerance, "{name}: {what} is {value}, not {expected} (relative error {error:e})");
}

#[test]
fn every_row_by_the_rules_of_the_prototype() {
    for row in rows() {
        let steps = support::camp::nested(&row.text);
        let (clocks, _) = Compatibility { row: &row }.run(&steps, Clocks::new(), Queues::new());
        let completion = clocks.values().copied().fold(0.0, f64::max);
        agree(&row.name, "the prototype's prediction", completion * row.scale, row.predicted, TOLERANCE);
    }
}

/// The one row that has no protocol: the artifact lists the measured value as the prediction.
const HARD_CODED: &str = "ms-1";

#[test]
fn the_only_row_without_a_protocol_is_the_hard_coded_one() {
    let rows = support::camp::document();
    let rows = rows["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 91);
    let without: Vec<&Value> = rows.iter().filter(|row| row.get("params").is_none()).collect();
    assert_eq!(without.len(), 1);
    assert_eq!(without[0]["name"], HARD_CODED);
    assert_eq!(without[0]["predicted"], without[0]["measured"]);
}

/// Rows in which the prototype's rules for loops give another number than the exact latency, and why.
const CONDEMNED: [(&str, &str); 4] = [
    ("dbuff-opt", "receives from the wrong role: refused, the message was never sent"),
    ("dbuff-unopt-as-printed", "the same protocol again"),
    ("dbuff-opt-fixed", "the prologue's messages are received anew in every iteration"),
    ("ring-opt", "T(2)-T(1) is no latency: it differs from role to role"),
];

#[test]
fn every_sound_row_by_our_own_semantics() {
    let mut compared = 0;
    for row in rows() {
        if CONDEMNED.iter().any(|(name, _)| *name == row.name) {
            continue;
        }
        let value = ours(&row) * row.scale;
        agree(&row.name, "our prediction", value, row.predicted, TOLERANCE);
        if let Some(exact) = row.exact_latency {
            agree(&row.name, "the independent exact latency", value, exact, 1e-11);
        }
        compared += 1;
    }
    assert_eq!(compared, 86);
}

/// Completion time of a protocol without loops, else iterations times exact latency.
fn ours(row: &Row) -> f64 {
    let source = Source::new(row.name.clone(), row.text.clone());
    let (global, diagnostics) = session::parse_json(&source, &Options::default());
    let global = global.unwrap_or_else(|| panic!("{}: {diagnostics:?}", row.name));
    let setting = Setting { values: row.values(), iterations: None };
    if global.loops.is_empty() {
        return session::cost(&global, Some(&row.transport), &setting).unwrap().total.unwrap().mean;
    }
    let latency = session::latency(&global, &row.transport, &setting, None).unwrap();
    let times = global.loops[latency.of.index()].iterations.as_ref();
    let times = times.map_or(1.0, |times| times.evaluate(&Environment::default()).unwrap());
    let prologue = session::cost(&global, Some(&row.transport), &Setting { iterations: Some(0), ..setting });
    latency.latency.mean * times + prologue.unwrap().total.unwrap().mean
}

#[test]
fn condemned_rows_are_refused_or_exact() {
    let rows = rows();
    let row = |name: &str| rows.iter().find(|row| row.name == name).unwrap();
    for name in ["dbuff-opt", "dbuff-unopt-as-printed"] {
        let source = Source::new(name, row(name).text.clone());
        let (global, _) = session::parse_json(&source, &Options::default());
        let codes: Vec<&str> = session::check_flight(&global.unwrap()).iter().map(|d| d.code).collect();
        assert!(codes.contains(&"S204"), "{name}: {codes:?}");
    }
    let ring = row("ring-opt");
    let source = Source::new("ring-opt", ring.text.clone());
    let global = session::parse_json(&source, &Options::default()).0.unwrap();
    let setting = Setting { values: ring.values(), iterations: None };
    let latency = session::latency(&global, &ring.transport, &setting, None).unwrap();
    for role in &latency.roles {
        agree("ring-opt", global.role_name(role.role), role.latency.mean, 5.17e-9, TOLERANCE);
    }
    let fixed = row("dbuff-opt-fixed");
    let global =
        session::parse_json(&Source::new("dbuff", fixed.text.clone()), &Options::default()).0.unwrap();
    let setting = Setting { values: fixed.values(), iterations: Some(1000) };
    let latency = session::latency(&global, &fixed.transport, &setting, None).unwrap();
    agree("dbuff-opt-fixed", "latency", latency.latency.mean, 1.510_000_32e-4, TOLERANCE);
    let whole = session::cost(&global, Some(&fixed.transport), &setting).unwrap().total.unwrap();
    agree("dbuff-opt-fixed", "1000 iterations with the prologue", whole.mean, 0.151_052_575, 1e-9);
}
