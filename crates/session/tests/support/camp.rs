//! The rows of the CAMP prototype and its transports.

use std::collections::BTreeMap;

use cost::{Estimate, PriceError, PriceList, Request, Unit};
use serde::Deserialize as _;
use serde_json::Value;

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus/session/camp");

/// One prediction of the prototype.
pub struct Row {
    pub name: String,
    pub predicted: f64,
    pub scale: f64,
    pub params: BTreeMap<String, f64>,
    pub transport: Transport,
    pub text: String,
    pub exact_latency: Option<f64>,
}

/// The whole data file.
pub fn document() -> Value {
    serde_json::from_str(&std::fs::read_to_string(format!("{CORPUS}/rows.json")).unwrap()).unwrap()
}

/// The rows that have a protocol.
pub fn rows() -> Vec<Row> {
    let document = document();
    let rows = document["rows"].as_array().unwrap().iter().filter(|row| row.get("params").is_some());
    rows.map(Row::read).collect()
}

impl Row {
    fn read(row: &Value) -> Self {
        let name = row["name"].as_str().unwrap().to_owned();
        Self {
            predicted: row["predicted"].as_f64().unwrap(),
            scale: row["scale"].as_f64().unwrap(),
            params: serde_json::from_value(row["params"].clone()).unwrap(),
            transport: Transport::read(&row["transport"]),
            text: std::fs::read_to_string(format!("{CORPUS}/protocols/{name}.json")).unwrap(),
            exact_latency: row.get("exact_latency").and_then(Value::as_f64),
            name,
        }
    }

    /// Values of the variables that the protocol uses; the prototype counts those without one as 0.
    pub fn values(&self) -> BTreeMap<String, f64> {
        let mut found = Vec::new();
        symbols(&nested(&self.text), &mut found);
        found.into_iter().map(|name| (name.clone(), self.params.get(&name).copied().unwrap_or(0.0))).collect()
    }
}

/// JSON whose nesting exceeds the parser's default limit.
pub fn nested(text: &str) -> Value {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    deserializer.disable_recursion_limit();
    Value::deserialize(&mut deserializer).unwrap()
}

fn symbols(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(list) => list.iter().for_each(|value| symbols(value, found)),
        Value::Object(map) => {
            for (key, value) in map {
                match value {
                    Value::String(name) if key == "size" || key == "cost" => found.push(name.clone()),
                    _ => symbols(value, found),
                }
            }
        }
        _ => {}
    }
}

/// The transports of the prototype's examples, with its rule that a missing pair costs 0.
pub struct Transport {
    linear: bool,
    send: f64,
    recv: f64,
    last_role: u64,
    pairs: Option<Vec<(u64, u64)>>,
}

impl Transport {
    fn read(value: &Value) -> Self {
        let number = |key: &str| value.get(key).and_then(Value::as_f64).unwrap_or(0.0);
        Self {
            linear: value["kind"] == "linear",
            send: number("send"),
            recv: number("recv"),
            last_role: value.get("last_role").and_then(Value::as_u64).unwrap_or(u64::MAX),
            pairs: value.get("pairs").map(|pairs| serde_json::from_value(pairs.clone()).unwrap()),
        }
    }

    fn known(&self, a: u64, b: u64) -> bool {
        a.max(b) <= self.last_role && self.pairs.as_ref().is_none_or(|pairs| pairs.contains(&(a, b)))
    }

    /// What sending costs the sender.
    pub fn send(&self, from: u64, to: u64, size: f64) -> f64 {
        let price = if self.linear { 1.13e-6 + 2.39e-10 * size } else { self.send };
        if self.known(from, to) { price } else { 0.0 }
    }

    /// What receiving costs the receiver.
    pub fn recv(&self, from: u64, to: u64, size: f64) -> f64 {
        let price = if self.linear { 2e-6 + 2.42e-11 * size * size.ln() } else { self.recv };
        if self.known(to, from) { price } else { 0.0 }
    }
}

impl PriceList for Transport {
    fn unit(&self) -> Unit {
        Unit::Seconds
    }

    fn knows(&self, operation: &str) -> bool {
        matches!(operation, "send" | "recv")
    }

    fn price(&self, request: &Request) -> Result<Estimate, PriceError> {
        let role = |names: &[&str]| names[0].strip_prefix('r').unwrap().parse::<u64>().unwrap();
        let (from, to, size) = (role(request.from), role(request.to), request.size.unwrap());
        Ok(Estimate::exactly(match request.operation {
            "send" => self.send(from, to, size),
            "recv" => self.recv(from, to, size),
            other => panic!("the prototype has no {other}"),
        }))
    }
}
