use std::collections::BTreeSet;

use cost::Formula;
use diag::{Diagnostic, Source, Span};
use serde::Deserialize as _;
use serde_json::{Map, Value};

use crate::expand::Options;
use crate::expand::arena::Arena;
use crate::expand::steps::{Step, lower};
use crate::global::{GlobalType, Interaction, NodeId, Phase, Role, RoleId};
use crate::syntax::{MAX_FAULTS, not_a_name, too_large};

/// Reads a protocol in JSON. Roles are called `r0`, `r1`, .., plain messages `msg`; the protocol is
/// called `Protocol`, or as [`Options::protocol`] says. A role may send to itself.
///
/// Codes S007 (too large), S020 (no JSON, with line and column), S021 (not this form, with the path
/// to the fault), S022, S106, S107, S110, S120.
#[must_use]
pub fn parse_json(source: &Source, options: &Options) -> (Option<GlobalType>, Vec<Diagnostic>) {
    if let Some(diagnostic) = too_large(source) {
        return (None, vec![diagnostic]);
    }
    let value = match document(source) {
        Ok(value) => value,
        Err(fault) => return (None, vec![fault]),
    };
    let mut reader = Reader { roles: BTreeSet::new(), path: Vec::new(), diagnostics: Vec::new() };
    let mut steps = reader.block(&value);
    let Reader { roles, mut diagnostics, .. } = reader;
    if diag::has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    let numbers: Vec<u32> = roles.into_iter().collect();
    renumber(&mut steps, &numbers);
    let mut arena = Arena::new();
    let root = lower(steps, &mut arena, &mut diagnostics);
    let parts = arena.finish(&mut diagnostics);
    diagnostics.iter_mut().for_each(|diagnostic| diagnostic.labels.clear());
    diag::sort(&mut diagnostics);
    if diag::has_errors(&diagnostics) {
        return (None, diagnostics);
    }
    let roles =
        numbers.iter().map(|number| Role { name: format!("r{number}"), span: Span::default() }).collect();
    let global = GlobalType {
        name: options.protocol.clone().unwrap_or_else(|| "Protocol".to_owned()),
        roles,
        nodes: parts.nodes,
        root,
        loops: parts.loops,
        parameters: Vec::new(),
        capacities: Vec::new(),
        placement: Vec::new(),
        cores: Vec::new(),
    };
    (Some(global), diagnostics)
}

/// Deepest nesting of lists and objects; each alternative of a choice takes three levels.
const MAX_NESTING: usize = 1000;

/// The file as a JSON value. Nesting is checked before anything recurses.
fn document(source: &Source) -> Result<Value, Diagnostic> {
    if let Some(at) = too_deep(source.text()) {
        return Err(Diagnostic::error(
            "S020",
            format!("this JSON is nested more than {MAX_NESTING} levels deep"),
        )
        .at(Span::new(at, at + 1), "here")
        .help("write the protocol as text, where choices that follow each other need no nesting"));
    }
    let mut deserializer = serde_json::Deserializer::from_str(source.text());
    deserializer.disable_recursion_limit();
    let value = Value::deserialize(&mut deserializer).map_err(|error| no_json(source, &error))?;
    deserializer.end().map_err(|error| no_json(source, &error))?;
    Ok(value)
}

/// Where the nesting first exceeds the limit; brackets inside strings do not count.
fn too_deep(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => depth += 1,
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            return Some(at);
        }
    }
    None
}

fn no_json(source: &Source, error: &serde_json::Error) -> Diagnostic {
    let lines = source.text().split_inclusive('\n').take(error.line().saturating_sub(1));
    let start: usize = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
    let start = start.min(source.text().len());
    let message = error.to_string();
    // The place is in the span; serde_json repeats it at the end of the message.
    let message = message.split(" at line ").next().unwrap_or(&message);
    Diagnostic::error("S020", format!("this is no JSON: {message}")).at(Span::new(start, start + 1), "here")
}

/// From the numbers in the file to indices of roles.
fn renumber(steps: &mut [Step], numbers: &[u32]) {
    let index = |role: &mut RoleId| {
        let position = numbers.binary_search(&role.0).expect("every role has been collected");
        *role = RoleId(u32::try_from(position).expect("there are at most as many roles as numbers"));
    };
    for step in steps {
        match step {
            Step::Message(interaction) => {
                index(&mut interaction.from);
                index(&mut interaction.to);
            }
            Step::Choice { at, branches } => {
                index(at);
                branches.iter_mut().for_each(|(_, steps)| renumber(steps, numbers));
            }
            Step::Rec { body, .. } => renumber(body, numbers),
            Step::Continue(_) => {}
        }
    }
}

struct Reader {
    roles: BTreeSet<u32>,
    /// Where in the JSON: the parts of a pointer.
    path: Vec<String>,
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn within<T>(&mut self, part: impl ToString, read: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(part.to_string());
        let result = read(self);
        self.path.pop();
        result
    }

    fn fault(&mut self, message: &str) {
        let help = "steps are msg, send, recv_from_to, choice, rec and var";
        self.report(Diagnostic::error("S021", format!("at {}: {message}", self.place())).help(help));
    }

    /// Whether a word can be a name; if not, that is reported.
    fn named(&mut self, word: &str) -> bool {
        let fault = not_a_name(word);
        if let Some(fault) = fault {
            let message = format!("at {}: {}", self.place(), fault.message);
            self.report(Diagnostic { message, ..fault });
            return false;
        }
        true
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_FAULTS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// The path to the current step, as a JSON pointer.
    fn place(&self) -> String {
        if self.path.is_empty() {
            return "the top".to_owned();
        }
        self.path.iter().map(|part| format!("/{part}")).collect()
    }

    fn block(&mut self, value: &Value) -> Vec<Step> {
        let Some(items) = value.as_array() else {
            self.fault("expected a list of steps");
            return Vec::new();
        };
        items
            .iter()
            .enumerate()
            .filter_map(|(index, item)| self.within(index, |reader| reader.step(item)))
            .collect()
    }

    fn step(&mut self, value: &Value) -> Option<Step> {
        let Some(object) = value.as_object() else {
            self.fault("expected an object");
            return None;
        };
        const KINDS: [(&str, &[&str]); 6] = [
            ("msg", &["size", "cost"]),
            ("send", &["size"]),
            ("recv_from_to", &["size", "cost"]),
            ("choice", &["alts"]),
            ("rec", &["n", "body"]),
            ("var", &[]),
        ];
        let Some((kind, keys)) = KINDS.iter().find(|(kind, _)| object.contains_key(*kind)) else {
            self.fault("this is no step");
            return None;
        };
        for key in object.keys().filter(|key| key.as_str() != *kind && !keys.contains(&key.as_str())) {
            self.fault(&format!("`{kind}` has no `{key}`"));
        }
        match *kind {
            "msg" => self.message(object, kind, Phase::Whole),
            "send" => self.message(object, kind, Phase::Send),
            "recv_from_to" => self.message(object, kind, Phase::Receive),
            "choice" => self.choice(object),
            "rec" => self.rec(object),
            _ => self.text(object, "var").map(Step::Continue),
        }
    }

    fn message(&mut self, object: &Map<String, Value>, key: &str, phase: Phase) -> Option<Step> {
        let (from, to) = self.pair(object, key)?;
        let size = self.formula(object, "size");
        let cost = self.formula(object, "cost");
        Some(Step::Message(interaction(phase, from, to, "msg", size, cost)))
    }

    /// A choice sends a label of size 1.
    fn choice(&mut self, object: &Map<String, Value>) -> Option<Step> {
        let (at, to) = self.pair(object, "choice")?;
        let Some(alternatives) =
            object.get("alts").and_then(Value::as_object).filter(|alts| !alts.is_empty())
        else {
            self.fault("`alts` must be an object with at least one entry");
            return None;
        };
        let mut branches = Vec::new();
        for (label, value) in alternatives {
            self.named(label);
            let size = Some(Formula::number(1.0));
            let mut steps = vec![Step::Message(interaction(Phase::Whole, at, to, label, size, None))];
            steps.extend(self.within("alts", |reader| reader.within(label, |reader| reader.block(value))));
            branches.push((None, steps));
        }
        Some(Step::Choice { at, branches })
    }

    fn rec(&mut self, object: &Map<String, Value>) -> Option<Step> {
        let name = self.text(object, "rec")?;
        let iterations = self.formula(object, "n");
        let Some(body) = object.get("body") else {
            self.fault("`rec` needs a `body`");
            return None;
        };
        let body = self.within("body", |reader| reader.block(body));
        Some(Step::Rec { name, iterations, body })
    }

    fn pair(&mut self, object: &Map<String, Value>, key: &str) -> Option<(RoleId, RoleId)> {
        let role = |value: &Value| u32::try_from(value.as_u64()?).ok();
        let pair = match object.get(key).and_then(Value::as_array).map(Vec::as_slice) {
            Some([from, to]) => role(from).zip(role(to)),
            _ => None,
        };
        let Some((from, to)) = pair else {
            self.fault(&format!("`{key}` must be a pair of role numbers"));
            return None;
        };
        self.roles.extend([from, to]);
        Some((RoleId(from), RoleId(to)))
    }

    fn text(&mut self, object: &Map<String, Value>, key: &str) -> Option<String> {
        let Some(text) = object.get(key).and_then(Value::as_str) else {
            self.fault(&format!("`{key}` must be a name"));
            return None;
        };
        self.named(text).then(|| text.to_owned())
    }

    fn formula(&mut self, object: &Map<String, Value>, key: &str) -> Option<Formula> {
        let parsed = match object.get(key)? {
            Value::Number(number) => number.as_f64().map(Formula::number).ok_or_else(Vec::new),
            Value::String(text) => Formula::parse(text, 0),
            _ => Err(Vec::new()),
        };
        parsed
            .map_err(|faults| {
                let why = faults.first().map_or(String::new(), |fault| format!(": {}", fault.message));
                self.fault(&format!("`{key}` must be a number or a formula{why}"));
            })
            .ok()
    }
}

fn interaction(
    phase: Phase,
    from: RoleId,
    to: RoleId,
    label: &str,
    size: Option<Formula>,
    cost: Option<Formula>,
) -> Box<Interaction> {
    Box::new(Interaction {
        phase,
        from,
        to,
        label: label.to_owned(),
        payload: Vec::new(),
        size,
        cost,
        pre: None,
        deadline: None,
        span: Span::default(),
        next: NodeId(0),
    })
}
