use std::collections::{BTreeMap, BTreeSet};

use diag::{Diagnostic, Span};
use toml::de::{DeTable, DeValue};

use super::document::{Reader, Value, number, span};
use super::{Attribute, Cost, Curve, OPERATIONS, Operation};
use crate::formula::{Node, leaves};
use crate::law::{KINDS, Law};
use crate::{Environment, Formula, FormulaError, Spline, Unit};
use diag::spelling::{nearest, suggestion};

/// The keys of an operation that are not free.
const KEYS: [&str; 10] =
    ["name", "from", "to", "min", "mean", "max", "samples", "distribution", "valid", "comment"];

/// What the formulas of a model may use.
pub(super) struct Scope<'m> {
    /// Unit of the model; `None` if it was not understood.
    pub(super) unit: Option<Unit>,
    /// All names with a meaning.
    pub(super) variables: BTreeSet<String>,
    /// Those that are constants.
    pub(super) parameters: &'m BTreeMap<String, f64>,
}

/// Where the parts of an entry stand, for faults found later.
pub(super) struct Marks {
    pub(super) name: Span,
    /// The cost as a whole.
    pub(super) cost: Span,
    /// min, mean and max, where given.
    pub(super) lanes: [Option<Span>; 3],
    /// The key `valid`.
    pub(super) valid: Option<Span>,
}

impl Reader<'_> {
    /// One `[[operation]]`; `None` if it holds an error.
    pub(super) fn operation(
        &mut self,
        table: &DeTable,
        place: Span,
        scope: &Scope,
    ) -> Option<(Operation, Marks)> {
        let name = self.operation_name(table, place);
        let from = self.optional_string(table, "from").unwrap_or_else(|| "*".to_owned());
        let to = self.optional_string(table, "to").unwrap_or_else(|| "*".to_owned());
        let comment = self.optional_string(table, "comment");
        let attributes = self.attributes(table);
        let mut variables = scope.variables.clone();
        let numbers = attributes.iter().filter(|(_, attribute)| matches!(attribute, Attribute::Number(_)));
        variables.extend(numbers.map(|(key, _)| key.clone()));
        let scope = Scope { variables, ..*scope };
        let valid = table.get("valid").map(|value| self.valid(value, &scope)).unwrap_or_default();
        let cost = self.cost(table, place, &scope);
        let mark = |key| table.get(key).map(span);
        let marks = Marks {
            name: mark("name").unwrap_or(place),
            cost: mark("samples").or(mark("distribution")).or(mark("mean")).unwrap_or(place),
            lanes: ["min", "mean", "max"].map(mark),
            valid: mark("valid"),
        };
        let operation = Operation { name: name?, from, to, attributes, cost: cost?, valid, comment };
        self.check(&operation, &marks, &scope);
        Some((operation, marks))
    }

    fn operation_name(&mut self, table: &DeTable, place: Span) -> Option<String> {
        let value = self.required(table, "name", "an operation", place)?;
        let name = self.string("name", value)?;
        if let Some(usual) = nearest(name, OPERATIONS.into_iter().chain(["receive"]))
            && !OPERATIONS.contains(&name)
        {
            let usual = if usual == "receive" { "recv" } else { usual };
            self.report(
                Diagnostic::warning("C018", format!("no protocol asks for an operation `{name}`"))
                    .at(span(value), "unusual name")
                    .help(format!("did you mean `{usual}`?")),
            );
        }
        Some(name.to_owned())
    }

    /// The free keys. One that looks like a misspelt key is C002.
    fn attributes(&mut self, table: &DeTable) -> BTreeMap<String, Attribute> {
        let mut attributes = BTreeMap::new();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if KEYS.contains(&name) {
                continue;
            }
            if nearest(name, KEYS).is_some() {
                self.unknown_key(name, span(key), &KEYS, "an operation");
                continue;
            }
            let attribute = match value.get_ref() {
                DeValue::String(text) => Some(Attribute::Text(text.to_string())),
                DeValue::Integer(_) | DeValue::Float(_) => {
                    let fits = self.is_variable(name, span(key));
                    self.number(name, value).filter(|_| fits).map(Attribute::Number)
                }
                _ => self.wrong_type(name, value, "a string or a number"),
            };
            attributes.extend(attribute.map(|attribute| (name.to_owned(), attribute)));
        }
        attributes
    }

    fn valid(&mut self, value: &Value, scope: &Scope) -> BTreeMap<String, (f64, f64)> {
        let Some(table) = self.table("valid", value) else { return BTreeMap::new() };
        let mut ranges = BTreeMap::new();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if !scope.variables.contains(name) {
                self.report(
                    Diagnostic::error("C013", format!("there is no variable `{name}` to be valid for"))
                        .at(span(key), "unknown variable")
                        .help(scope.suggestion(name)),
                );
                continue;
            }
            if let Some(range) = self.range(name, value) {
                ranges.insert(name.to_owned(), range);
            }
        }
        ranges
    }

    fn range(&mut self, name: &str, value: &Value) -> Option<(f64, f64)> {
        let ends: Vec<Option<f64>> =
            self.array(name, value)?.iter().map(|item| number(item.get_ref())).collect();
        let fault = match ends[..] {
            [Some(low), Some(high)] if low <= high => return Some((low, high)),
            [Some(_), Some(_)] => "the range is the wrong way round",
            _ => "a range is two numbers",
        };
        self.report(
            Diagnostic::error("C013", format!("`{name}` is valid for nothing: {fault}"))
                .at(span(value), fault)
                .help("write the smallest and the largest valid value: [1, 65536]"),
        );
        None
    }

    fn cost(&mut self, table: &DeTable, place: Span, scope: &Scope) -> Option<Cost> {
        let (samples, law) = (table.get("samples"), table.get("distribution"));
        let lane = |key| table.get_key_value(key).map(|(key, value)| (span(key), value));
        let lanes = [lane("min"), lane("mean"), lane("max")];
        let stated = lanes.iter().flatten().map(|(key, _)| *key).next();
        match (samples, law, stated) {
            (Some(samples), None, None) => self.samples(samples, scope),
            (None, Some(law), None) => self.law(law, scope),
            (None, None, Some(_)) => self.lanes(table, place, scope),
            (None, None, None) => {
                self.report(
                    Diagnostic::error("C009", "this operation has no cost")
                        .at(place, "no `mean`, `samples` or `distribution`")
                        .help("add a mean: a number, a formula in a string, or a spline"),
                );
                None
            }
            _ => {
                let places = [samples.map(span), law.map(span), stated];
                let mut places = places.into_iter().flatten();
                let first = places.next().unwrap_or(place);
                let diagnostic =
                    Diagnostic::error("C009", "this operation has more than one cost").at(first, "one");
                self.report(
                    places
                        .fold(diagnostic, |diagnostic, place| diagnostic.at(place, "another"))
                        .help("keep either min/mean/max, or `samples`, or `distribution`"),
                );
                None
            }
        }
    }

    /// min, mean and max; a lane that is not given is the mean.
    fn lanes(&mut self, table: &DeTable, place: Span, scope: &Scope) -> Option<Cost> {
        let mean = self.required(table, "mean", "an operation with `min` or `max`", place);
        let mut curve = |key| table.get(key).map(|value| self.curve(key, value, scope));
        let (min, given, max) = (curve("min"), curve("mean"), curve("max"));
        let mean = mean.and(given.flatten());
        // A lane with a fault is a fault of the entry: it must not silently become the mean.
        let or_mean = |lane: Option<Option<Curve>>| lane.unwrap_or_else(|| mean.clone());
        Some(Cost::Lanes { min: or_mean(min)?, max: or_mean(max)?, mean: mean? })
    }

    fn curve(&mut self, key: &str, value: &Value, scope: &Scope) -> Option<Curve> {
        let DeValue::Table(table) = value.get_ref() else {
            return self.scoped_formula(key, value, scope).map(Curve::Formula);
        };
        self.only(table, &["spline", "points"], "a spline");
        let over = self.required(table, "spline", "a spline", span(value));
        let over = over.and_then(|over| self.variable("spline", over, scope));
        let points = self.required(table, "points", "a spline", span(value));
        let spline = points.and_then(|points| self.spline(points));
        Some(Curve::Spline { over: over?, spline: spline? })
    }

    /// A variable in a string.
    pub(super) fn variable(&mut self, key: &str, value: &Value, scope: &Scope) -> Option<String> {
        let name = self.string(key, value)?;
        if !scope.variables.contains(name) {
            self.report(unknown_variable(name, span(value), scope));
            return None;
        }
        Some(name.to_owned())
    }

    fn spline(&mut self, value: &Value) -> Option<Spline> {
        let items = self.array("points", value)?;
        let mut points = Vec::with_capacity(items.len());
        for item in items {
            let pair = self.array("points", item)?;
            let numbers: Vec<f64> = pair.iter().filter_map(|item| number(item.get_ref())).collect();
            match numbers[..] {
                [x, y] if pair.len() == 2 => points.push((x, y)),
                _ => return self.wrong_type("points", item, "a list of pairs of numbers"),
            }
        }
        let fault = match Spline::new(points) {
            Ok(spline) => return Some(spline),
            Err(fault) => fault,
        };
        let place = match fault {
            crate::SplineError::TooFew => span(value),
            crate::SplineError::NotIncreasing(index) | crate::SplineError::NotFinite(index) => {
                span(&items[index])
            }
        };
        self.report(
            Diagnostic::error("C010", format!("no spline goes through these points: {fault}"))
                .at(place, fault.to_string())
                .help("give at least two [abscissa, cost] pairs, from left to right, each abscissa once"),
        );
        None
    }

    fn law(&mut self, value: &Value, scope: &Scope) -> Option<Cost> {
        let table = self.table("distribution", value)?;
        let kind_value = self.required(table, "kind", "a distribution", span(value))?;
        let kind = self.string("kind", kind_value)?;
        let Some((_, names)) = KINDS.into_iter().find(|(name, _)| *name == kind) else {
            self.report(
                Diagnostic::error("C012", format!("there is no distribution `{kind}`"))
                    .at(span(kind_value), "unknown kind")
                    .help(suggestion(kind, &KINDS.map(|(name, _)| name), "distributions")),
            );
            return None;
        };
        let owner = format!("a {kind} distribution");
        let known: Vec<&str> = std::iter::once("kind").chain(names.iter().copied()).collect();
        self.only(table, &known, &owner);
        let parameters: Vec<Option<Formula>> = names
            .iter()
            .map(|name| {
                let parameter = self.required(table, name, &owner, span(value))?;
                self.scoped_formula(name, parameter, scope)
            })
            .collect();
        Law::from_parameters(kind, parameters.into_iter().collect::<Option<_>>()?).map(Cost::Law)
    }

    /// A formula whose names all have a meaning (else C109) and whose times fit the unit (else C020).
    fn scoped_formula(&mut self, key: &str, value: &Value, scope: &Scope) -> Option<Formula> {
        let formula = self.formula(key, value)?;
        let DeValue::String(text) = value.get_ref() else { return Some(formula) };
        let before = self.diagnostics.len();
        for (leaf, part) in leaves(text) {
            let place = self.inside(value, text, part);
            match leaf.node() {
                Node::Name(name) if !scope.variables.contains(name) => {
                    self.report(unknown_variable(name, place, scope));
                }
                Node::Quantity(..) => {
                    let environment = Environment { unit: scope.unit, ..Environment::default() };
                    if let Err(error @ FormulaError::Incompatible { .. }) = leaf.evaluate(&environment) {
                        self.report(
                            Diagnostic::error("C020", error.to_string())
                                .at(place, "of the wrong kind")
                                .help("give all numbers of a model in cycles, or all in time"),
                        );
                    }
                }
                _ => {}
            }
        }
        (self.diagnostics.len() == before).then_some(formula)
    }
}

impl Scope<'_> {
    fn suggestion(&self, name: &str) -> String {
        let known: Vec<&str> = self.variables.iter().map(String::as_str).collect();
        suggestion(name, &known, "variables")
    }
}

fn unknown_variable(name: &str, place: Span, scope: &Scope) -> Diagnostic {
    Diagnostic::error("C109", format!("there is no variable `{name}` here"))
        .at(place, "unknown variable")
        .help(scope.suggestion(name))
        .help("declare others: `variables = [\"..\"]` in [model] if requests give them, [parameters] if constant")
}
