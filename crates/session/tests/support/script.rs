//! Random protocols from scripts: a list of numbers read as decisions, so that a failing case shrinks
//! to a short list and thereby to a small protocol.

use serde_json::{Value, json};

/// Reads decisions; an exhausted script decides 0 for ever.
pub struct Script<'a> {
    numbers: std::slice::Iter<'a, u32>,
}

impl<'a> Script<'a> {
    pub fn new(numbers: &'a [u32]) -> Self {
        Self { numbers: numbers.iter() }
    }

    pub fn is_empty(&self) -> bool {
        self.numbers.len() == 0
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: u32) -> u32 {
        self.numbers.next().map_or(0, |number| number % bound)
    }

    fn pair(&mut self, roles: u32) -> (u32, u32) {
        let from = self.below(roles);
        let to = (from + 1 + self.below(roles - 1)) % roles;
        (from, to)
    }
}

/// Choice-free steps in which sends and receives may lie apart; everything in flight is received.
pub fn straight(script: &mut Script, roles: u32, steps: u32) -> Vec<Value> {
    let mut flying: Vec<(u32, u32, u32)> = Vec::new();
    let mut list = Vec::new();
    for step in 0..steps {
        if script.is_empty() {
            break;
        }
        let (size, cost) = (step + 2, script.below(5));
        let (from, to) = script.pair(roles);
        match script.below(3) {
            0 if !flying.iter().any(|(p, q, _)| (*p, *q) == (from, to)) => {
                list.push(json!({"msg": [from, to], "size": size, "cost": cost}));
            }
            1 if !flying.is_empty() => receive(&mut flying, script.below(8), cost, &mut list),
            _ => {
                list.push(json!({"send": [from, to], "size": size}));
                flying.push((from, to, size));
            }
        }
    }
    while !flying.is_empty() {
        receive(&mut flying, script.below(8), 1, &mut list);
    }
    list
}

/// Receives the oldest message of some channel.
fn receive(flying: &mut Vec<(u32, u32, u32)>, which: u32, cost: u32, list: &mut Vec<Value>) {
    let (from, to, _) = flying[which as usize % flying.len()];
    let oldest = flying.iter().position(|(p, q, _)| (*p, *q) == (from, to)).unwrap();
    let (_, _, size) = flying.remove(oldest);
    list.push(json!({"recv_from_to": [from, to], "size": size, "cost": cost}));
}

/// Whole messages and choices that every role hears of, nested up to `depth`.
pub fn branching(script: &mut Script, roles: u32, depth: u32) -> Vec<Value> {
    let mut list = Vec::new();
    for step in 0..script.below(4) + 1 {
        let (from, to) = script.pair(roles);
        list.push(json!({"msg": [from, to], "size": step + 2, "cost": script.below(5)}));
    }
    if depth > 0 && script.below(2) == 1 {
        let chooser = script.below(roles);
        let others: Vec<u32> = (0..roles).filter(|role| *role != chooser).collect();
        let left = branching(script, roles, depth - 1);
        let right = branching(script, roles, depth - 1);
        list.push(broadcast(chooser, &others, &[("l1", left), ("l2", right)]));
    }
    list
}

/// A choice that is announced to every other role: `p -> {q1..qn} : {l_i. G_i}`.
pub fn broadcast(chooser: u32, others: &[u32], branches: &[(&str, Vec<Value>)]) -> Value {
    let alternatives: serde_json::Map<String, Value> = branches
        .iter()
        .map(|(label, rest)| {
            let told = others[1..].iter().rev().fold(rest.clone(), |rest, other| {
                vec![json!({"choice": [chooser, other], "alts": {*label: rest}})]
            });
            ((*label).to_owned(), Value::Array(told))
        })
        .collect();
    json!({"choice": [chooser, others[0]], "alts": alternatives})
}

/// A prologue that leaves messages in flight and a loop that receives and sends them again.
pub fn pipelined_loop(script: &mut Script, roles: u32, steps: u32) -> Vec<Value> {
    let mut list = Vec::new();
    let mut kept = Vec::new();
    for slot in 0..script.below(4) {
        let (from, to) = script.pair(roles);
        let size = 100 + slot;
        // One message per channel, so that the loop may take them in any order.
        if kept.iter().all(|(p, q, _)| (*p, *q) != (from, to)) {
            list.push(json!({"send": [from, to], "size": size}));
            kept.push((from, to, size));
        }
    }
    let mut body = Vec::new();
    for (from, to, size) in &kept {
        if script.below(2) == 0 {
            body.push(json!({"recv_from_to": [from, to], "size": size, "cost": script.below(5)}));
            body.push(json!({"send": [from, to], "size": size}));
        } else {
            body.push(json!({"send": [from, to], "size": size}));
            body.push(json!({"recv_from_to": [from, to], "size": size, "cost": script.below(5)}));
        }
    }
    let free = |step: &Value| {
        let channel = step.get("msg").or(step.get("send")).or(step.get("recv_from_to")).unwrap();
        kept.iter().all(|(p, q, _)| *channel != json!([p, q]))
    };
    body.extend(straight(script, roles, steps).into_iter().filter(free));
    if body.is_empty() {
        body.push(json!({"msg": [0, 1], "size": 2, "cost": 1}));
    }
    body.push(json!({"var": "X"}));
    list.push(json!({"rec": "X", "n": 1, "body": body}));
    list
}
