use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};

use diag::Diagnostic;

use super::{Attribute, CostError, Model, Operation, Origin};
use crate::{Distribution, Environment, Estimate, FormulaError, Unit};

/// What is asked of a price list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request<'a> {
    /// The operation's name.
    pub operation: &'a str,
    /// The names by which the acting party may be matched, most specific first: role, node.
    pub from: &'a [&'a str],
    /// The names by which the receiving party may be matched; empty if there is none.
    pub to: &'a [&'a str],
    /// Bytes of the message: the variable `size`.
    pub size: Option<f64>,
    /// Free keys with their texts, matched against those of the entries.
    pub attributes: &'a [(&'a str, &'a str)],
    /// Further variables of formulas, such as `work` and `entries`.
    pub variables: &'a [(&'a str, f64)],
}

impl<'a> Request<'a> {
    /// A request without size, attributes and variables.
    #[must_use]
    pub fn new(operation: &'a str, from: &'a [&'a str], to: &'a [&'a str]) -> Self {
        Self { operation, from, to, size: None, attributes: &[], variables: &[] }
    }

    /// The same for a message of `size` bytes.
    #[must_use]
    pub fn with_size(self, size: f64) -> Self {
        Self { size: Some(size), ..self }
    }

    /// The same with variables of formulas.
    #[must_use]
    pub fn with_variables(self, variables: &'a [(&'a str, f64)]) -> Self {
        Self { variables, ..self }
    }

    /// The same with free keys.
    #[must_use]
    pub fn with_attributes(self, attributes: &'a [(&'a str, &'a str)]) -> Self {
        Self { attributes, ..self }
    }
}

/// Why an operation has no price. Each prints as one sentence that names everything concerned.
#[derive(Debug, Clone, PartialEq)]
pub enum PriceError {
    /// No entry fits.
    Missing {
        /// The operation.
        operation: String,
        /// The acting party, by its most specific name.
        from: String,
        /// The receiving party, by its most specific name; empty if there is none.
        to: String,
        /// Whether entries of that name exist for other parties or attributes.
        known: bool,
    },
    /// The price depends on a size that the request does not give.
    NoSize {
        /// The operation.
        operation: String,
        /// The acting party.
        from: String,
        /// The receiving party.
        to: String,
        /// The model whose entry fits.
        model: String,
    },
    /// A variable lies outside the range for which the entry holds.
    OutOfRange {
        /// The operation.
        operation: String,
        /// The variable.
        variable: String,
        /// Its value.
        value: f64,
        /// Smallest valid value.
        low: f64,
        /// Largest valid value.
        high: f64,
        /// The model whose entry fits.
        model: String,
    },
    /// The entry that fits has no value for these variables.
    NoValue {
        /// The operation.
        operation: String,
        /// The model whose entry fits.
        model: String,
        /// Why.
        error: CostError,
    },
}

impl Display for PriceError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            PriceError::Missing { operation, from, to, known } => {
                write!(f, "no cost model prices `{operation}`")?;
                if !from.is_empty() {
                    write!(f, " {} `{from}`", if to.is_empty() { "at" } else { "from" })?;
                }
                if !to.is_empty() {
                    write!(f, " to `{to}`")?;
                }
                f.write_str(if *known { " (only other uses of it)" } else { "" })
            }
            PriceError::NoSize { operation, from, to, model } => write!(
                f,
                "cost model `{model}` prices `{operation}` from `{from}` to `{to}` by its size, which is not known"
            ),
            PriceError::OutOfRange { operation, variable, value, low, high, model } => write!(
                f,
                "cost model `{model}` prices `{operation}` for {variable} from {low} to {high} only, not for {value}"
            ),
            PriceError::NoValue { operation, model, error } => {
                write!(f, "cost model `{model}` gives `{operation}` no price here: {error}")
            }
        }
    }
}

impl std::error::Error for PriceError {}

/// Something that prices operations in one unit.
pub trait PriceList {
    /// The unit of every price.
    fn unit(&self) -> Unit;

    /// Whether any entry prices the operation at all, whoever takes part.
    fn knows(&self, operation: &str) -> bool;

    /// The price of one use of an operation.
    ///
    /// # Errors
    /// No entry fits, or the one that does has no price for this request: never a silent 0.
    fn price(&self, request: &Request) -> Result<Estimate, PriceError>;
}

/// Cost models in layers, with one unit.
///
/// Of the entries that match a request, those of the latest model win; within it the one that names
/// most (parties and attributes other than `*`), then the one that names the more specific party
/// (role before node), then the later one. A winner that has no price for the request is an error:
/// earlier layers do not fill in.
#[derive(Debug, Clone)]
pub struct Prices {
    models: Vec<Model>,
    unit: Unit,
    entries: BTreeMap<String, Vec<Entry>>,
}

/// Where an entry stands, and where it is valid.
#[derive(Debug, Clone)]
struct Entry {
    model: usize,
    operation: usize,
    ranges: BTreeMap<String, (f64, f64)>,
}

impl Prices {
    /// Layers models, the later over the earlier; prices are in the unit of the last one (seconds
    /// if there is none).
    ///
    /// # Errors
    /// C020 for each model whose unit cannot be turned into that of the last.
    pub fn new(models: Vec<Model>) -> Result<Self, Vec<Diagnostic>> {
        let unit = models.last().map_or(Unit::Seconds, |model| model.unit);
        let faults: Vec<Diagnostic> = models
            .iter()
            .filter(|model| unit.convert_from(1.0, model.unit).is_none())
            .map(|model| mixed_units(model, unit))
            .collect();
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut entries: BTreeMap<String, Vec<Entry>> = BTreeMap::new();
        for (model, layer) in models.iter().enumerate() {
            for (operation, entry) in layer.operations.iter().enumerate() {
                let ranges = entry.ranges();
                entries.entry(entry.name.clone()).or_default().push(Entry { model, operation, ranges });
            }
        }
        Ok(Self { models, unit, entries })
    }

    /// The layers, the last one on top.
    #[must_use]
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// The provenance of all layers, to be shown with predictions.
    #[must_use]
    pub fn origins(&self) -> Vec<Origin> {
        self.models.iter().map(Model::origin).collect()
    }

    /// The entry that a request is priced by, and its model.
    #[must_use]
    pub fn entry(&self, request: &Request) -> Option<(&Model, &Operation)> {
        self.find(request).map(|entry| self.resolve(entry))
    }

    /// The distribution of a price, where the model knows it.
    ///
    /// # Errors
    /// As [`PriceList::price`].
    pub fn distribution(&self, request: &Request) -> Result<Option<Distribution>, PriceError> {
        let (model, operation, environment) = self.lookup(request)?;
        let distribution =
            operation.cost.distribution(&environment).map_err(|error| no_value(request, model, error))?;
        Ok(distribution.map(|distribution| distribution.scale(self.converted(1.0, model))))
    }

    fn find(&self, request: &Request) -> Option<&Entry> {
        let candidates = self.entries.get(request.operation)?.iter();
        candidates
            .filter_map(|entry| {
                let (named, rank) = self.resolve(entry).1.specificity(request)?;
                Some(((entry.model, named, std::cmp::Reverse(rank), entry.operation), entry))
            })
            .max_by_key(|(key, _)| *key)
            .map(|(_, entry)| entry)
    }

    fn resolve(&self, entry: &Entry) -> (&Model, &Operation) {
        let model = &self.models[entry.model];
        (model, &model.operations[entry.operation])
    }

    fn lookup(&self, request: &Request) -> Result<(&Model, &Operation, Environment), PriceError> {
        let first = |names: &[&str]| names.first().copied().unwrap_or_default().to_owned();
        let entry = self.find(request).ok_or_else(|| PriceError::Missing {
            operation: request.operation.to_owned(),
            from: first(request.from),
            to: first(request.to),
            known: self.knows(request.operation),
        })?;
        let (model, operation) = self.resolve(entry);
        let mut environment = operation.environment(model);
        let given = request.variables.iter().copied().chain(request.size.map(|size| ("size", size)));
        environment.values.extend(given.map(|(name, value)| (name.to_owned(), value)));
        for (variable, (low, high)) in &entry.ranges {
            let unbound = || no_value(request, model, FormulaError::Unbound(variable.clone()).into());
            let value = *environment.values.get(variable).ok_or_else(unbound)?;
            if !(*low..=*high).contains(&value) {
                return Err(PriceError::OutOfRange {
                    operation: request.operation.to_owned(),
                    variable: variable.clone(),
                    value,
                    low: *low,
                    high: *high,
                    model: model.name.clone(),
                });
            }
        }
        Ok((model, operation, environment))
    }

    fn converted(&self, value: f64, model: &Model) -> f64 {
        self.unit.convert_from(value, model.unit).expect("Prices::new refuses units that do not convert")
    }
}

impl PriceList for Prices {
    fn unit(&self) -> Unit {
        self.unit
    }

    fn knows(&self, operation: &str) -> bool {
        self.entries.contains_key(operation)
    }

    fn price(&self, request: &Request) -> Result<Estimate, PriceError> {
        let (model, operation, environment) = self.lookup(request)?;
        let estimate =
            operation.cost.estimate(&environment).map_err(|error| no_value(request, model, error))?;
        Ok(estimate.map(|value| self.converted(value, model)))
    }
}

impl Operation {
    /// How well it fits a request of its name: how many parties and attributes it names, and how far
    /// down the request's lists its names stand. `None` if it does not fit.
    fn specificity(&self, request: &Request) -> Option<(usize, usize)> {
        let (mut named, mut rank) = (0, 0);
        for (pattern, names) in [(&self.from, request.from), (&self.to, request.to)] {
            if pattern != "*" {
                rank += names.iter().position(|name| name == pattern)?;
                named += 1;
            }
        }
        for (key, attribute) in &self.attributes {
            let Attribute::Text(text) = attribute else { continue };
            if text != "*" {
                request.attributes.iter().find(|(name, value)| name == key && value == text)?;
                named += 1;
            }
        }
        Some((named, rank))
    }
}

fn no_value(request: &Request, model: &Model, error: CostError) -> PriceError {
    let first = |names: &[&str]| names.first().copied().unwrap_or_default().to_owned();
    let (operation, model) = (request.operation.to_owned(), model.name.clone());
    match error {
        CostError::Formula(FormulaError::Unbound(name)) if name == "size" => {
            PriceError::NoSize { operation, from: first(request.from), to: first(request.to), model }
        }
        error => PriceError::NoValue { operation, model, error },
    }
}

fn mixed_units(model: &Model, unit: Unit) -> Diagnostic {
    Diagnostic::error(
        "C020",
        format!("cost model `{}` counts in {}, which cannot be turned into {unit}", model.name, model.unit),
    )
    .help("cycles are no time without a clock rate: give all models in cycles, or all in time")
}
