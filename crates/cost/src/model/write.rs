use std::fmt::Write;

use super::{Attribute, Cost, Curve, FORMAT_VERSION, Model, Operation};
use crate::Formula;
use crate::formula::{Literal, Node};

/// So many points or samples are written on one line.
const PER_LINE: usize = 5;

impl Model {
    /// The model as a file that people can read and [`Model::parse`] reads back as the same model.
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut out = format!(
            "[model]\nversion = {FORMAT_VERSION}\nname = {}\nunit = {}\nsource = {}\n",
            quoted(&self.name),
            quoted(self.unit.symbol()),
            quoted(self.source.word()),
        );
        for (key, text) in
            [("environment", &self.environment), ("date", &self.date), ("comment", &self.comment)]
        {
            if let Some(text) = text {
                line(&mut out, key, &quoted(text));
            }
        }
        if !self.variables.is_empty() {
            let names: Vec<String> = self.variables.iter().map(|name| quoted(name)).collect();
            line(&mut out, "variables", &format!("[{}]", names.join(", ")));
        }
        if !self.parameters.is_empty() {
            out.push_str("\n[parameters]\n");
            for (name, value) in &self.parameters {
                line(&mut out, &key(name), &number(*value));
            }
        }
        for operation in &self.operations {
            out.push('\n');
            operation.write(&mut out);
        }
        out
    }
}

impl Operation {
    fn write(&self, out: &mut String) {
        out.push_str("[[operation]]\n");
        line(out, "name", &quoted(&self.name));
        if let Some(comment) = &self.comment {
            line(out, "comment", &quoted(comment));
        }
        for (key, party) in [("from", &self.from), ("to", &self.to)] {
            if party != "*" {
                line(out, key, &quoted(party));
            }
        }
        for (name, attribute) in &self.attributes {
            let value = match attribute {
                Attribute::Text(text) => quoted(text),
                Attribute::Number(value) => number(*value),
            };
            line(out, &key(name), &value);
        }
        self.cost.write(out);
        if !self.valid.is_empty() {
            let ranges: Vec<String> = self
                .valid
                .iter()
                .map(|(name, (low, high))| format!("{} = [{}, {}]", key(name), number(*low), number(*high)))
                .collect();
            line(out, "valid", &format!("{{ {} }}", ranges.join(", ")));
        }
    }
}

impl Cost {
    fn write(&self, out: &mut String) {
        match self {
            Cost::Lanes { min, mean, max } => {
                // A lane that is left out is the mean.
                for (key, curve) in [("min", min), ("mean", mean), ("max", max)] {
                    if key == "mean" || curve != mean {
                        line(out, key, &curve.to_toml());
                    }
                }
            }
            Cost::Samples(samples) => {
                line(out, "samples", &list(samples.iter().map(|sample| number(*sample)).collect()));
            }
            Cost::Law(law) => {
                let mut text = format!("{{ kind = {}", quoted(law.kind()));
                for (name, parameter) in law.parameters() {
                    let _ = write!(text, ", {name} = {}", formula(parameter));
                }
                line(out, "distribution", &format!("{text} }}"));
            }
        }
    }
}

impl Curve {
    fn to_toml(&self) -> String {
        match self {
            Curve::Formula(curve) => formula(curve),
            Curve::Spline { over, spline } => {
                let points = spline.points().iter().map(|(x, y)| format!("[{}, {}]", number(*x), number(*y)));
                format!("{{ spline = {}, points = {} }}", quoted(over), list(points.collect()))
            }
        }
    }
}

fn line(out: &mut String, key: &str, value: &str) {
    let _ = writeln!(out, "{key} = {value}");
}

/// An array, in several lines if it is long.
fn list(items: Vec<String>) -> String {
    if items.len() <= PER_LINE {
        return format!("[{}]", items.join(", "));
    }
    let lines: Vec<String> = items.chunks(PER_LINE).map(|chunk| format!("  {}", chunk.join(", "))).collect();
    format!("[\n{}\n]", lines.join(",\n"))
}

fn formula(formula: &Formula) -> String {
    match formula.node() {
        Node::Number(Literal(value)) => number(*value),
        _ => quoted(&formula.to_string()),
    }
}

fn number(value: f64) -> String {
    Literal(value).to_string()
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// A key, quoted where it is no bare one.
fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if bare { name.to_owned() } else { quoted(name) }
}
