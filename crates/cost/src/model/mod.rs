//! Cost models: what operations cost, in files that people read and write.
//!
//! A [`Model`] is read from TOML with all its faults ([`Model::parse`]), written back
//! ([`Model::to_toml`]), layered with others into [`Prices`], and asked through [`PriceList`].
//!
//! ```
//! use cost::{Model, PriceList, Prices, Request};
//! let text = r#"
//! [model]
//! name = "loopback"
//! unit = "us"
//! source = "measured"
//!
//! [[operation]]
//! name = "send"
//! mean = "1.4 + 2.4e-4*size"
//! max = "9 + 3e-4*size"
//! valid = { size = [1, 1048576] }
//! "#;
//! let (model, diagnostics) = Model::parse(&diag::Source::new("loopback.toml", text));
//! assert!(diagnostics.is_empty());
//! let prices = Prices::new(vec![model.unwrap()]).unwrap();
//! let request = Request::new("send", &["P"], &["Q"]).with_size(1000.0);
//! assert_eq!(prices.price(&request).unwrap().mean, 1.4 + 0.24);
//! assert!(prices.price(&request.with_size(0.0)).is_err());
//! ```

mod check;
mod document;
mod entry;
mod price;
mod read;
mod samples;
mod value;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

pub use price::{PriceError, PriceList, Prices, Request};
pub use value::CostError;

use crate::law::Law;
use crate::{Formula, Spline, Unit};

/// The version of the file format that is written, and the only one that is read.
pub const FORMAT_VERSION: i64 = 1;

/// Names of operations that protocols ask for. Others are free; those of packet programs carry dots.
pub const OPERATIONS: [&str; 5] = ["send", "recv", "latency", "wake", "compute"];

/// Variables that any formula may use: bytes of a message, work of a computation, entries and key
/// bits of a table. A model may declare more.
pub const VARIABLES: [&str; 4] = ["size", "work", "entries", "key_bits"];

/// Where the numbers of a model come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provenance {
    /// A calibration run on the machine.
    Measured,
    /// Traffic that was going on anyway.
    Observed,
    /// A paper or data sheet.
    Published,
    /// A guess.
    Assumed,
}

impl Provenance {
    /// All of them, in the order in which help texts list them.
    pub const ALL: [Provenance; 4] =
        [Provenance::Measured, Provenance::Observed, Provenance::Published, Provenance::Assumed];

    /// Its word in cost models.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Provenance::Measured => "measured",
            Provenance::Observed => "observed",
            Provenance::Published => "published",
            Provenance::Assumed => "assumed",
        }
    }
}

impl std::fmt::Display for Provenance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.word())
    }
}

/// Which model a number was priced by: the provenance that every prediction carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// Name of the model.
    pub model: String,
    /// Where its numbers come from.
    pub source: Provenance,
    /// The machine they hold for.
    pub environment: Option<String>,
    /// When they were gathered, as `YYYY-MM-DD`.
    pub date: Option<String>,
}

/// A cost model: prices of operations, all in one unit.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Shown with every prediction.
    pub name: String,
    /// Unit of every number that has none of its own.
    pub unit: Unit,
    /// Where the numbers come from.
    pub source: Provenance,
    /// The machine they hold for.
    pub environment: Option<String>,
    /// When they were gathered, as `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Anything else the reader should know.
    pub comment: Option<String>,
    /// Variables beyond [`VARIABLES`] that requests will give.
    pub variables: BTreeSet<String>,
    /// Constants that formulas may use by name.
    pub parameters: BTreeMap<String, f64>,
    /// The prices; of two that fit equally well the later one holds.
    pub operations: Vec<Operation>,
}

impl Model {
    /// A model without prices.
    #[must_use]
    pub fn new(name: &str, unit: Unit, source: Provenance) -> Self {
        Self {
            name: name.to_owned(),
            unit,
            source,
            environment: None,
            date: None,
            comment: None,
            variables: BTreeSet::new(),
            parameters: BTreeMap::new(),
            operations: Vec::new(),
        }
    }

    /// Its provenance, to be shown with predictions.
    #[must_use]
    pub fn origin(&self) -> Origin {
        Origin {
            model: self.name.clone(),
            source: self.source,
            environment: self.environment.clone(),
            date: self.date.clone(),
        }
    }
}

/// The price of one operation between some parties.
#[derive(Debug, Clone, PartialEq)]
pub struct Operation {
    /// Its name: `send`, `recv`, .., or a free one such as `table.apply`.
    pub name: String,
    /// The acting or sending party: a role, a node, or `*` for any.
    pub from: String,
    /// The receiving party: a role, a node, or `*` for any.
    pub to: String,
    /// Free keys: texts restrict the entry to requests that carry the same text (`*`: any), numbers
    /// are variables of its formulas unless the request gives them.
    pub attributes: BTreeMap<String, Attribute>,
    /// What it costs.
    pub cost: Cost,
    /// For which values of a variable, bounds included.
    pub valid: BTreeMap<String, (f64, f64)>,
    /// Anything else the reader should know, such as spread and residual of a fit.
    pub comment: Option<String>,
}

impl Operation {
    /// A price between any parties, valid for all values (of a spline: all within its points).
    #[must_use]
    pub fn new(name: &str, cost: Cost) -> Self {
        Self {
            name: name.to_owned(),
            from: "*".to_owned(),
            to: "*".to_owned(),
            attributes: BTreeMap::new(),
            cost,
            valid: BTreeMap::new(),
            comment: None,
        }
    }

    /// Restricts it to two parties; `*` is any.
    #[must_use]
    pub fn between(mut self, from: &str, to: &str) -> Self {
        from.clone_into(&mut self.from);
        to.clone_into(&mut self.to);
        self
    }

    /// Restricts a variable to `low..=high`.
    #[must_use]
    pub fn valid(mut self, variable: &str, low: f64, high: f64) -> Self {
        self.valid.insert(variable.to_owned(), (low, high));
        self
    }

    /// Adds a comment for readers.
    #[must_use]
    pub fn comment(mut self, comment: impl Into<String>) -> Self {
        self.comment = Some(comment.into());
        self
    }
}

/// Value of a free key of an operation.
#[derive(Debug, Clone, PartialEq)]
pub enum Attribute {
    /// Matched against the request's text; `*` matches any.
    Text(String),
    /// A variable of the entry's formulas.
    Number(f64),
}

/// What an operation costs, in the unit of its model.
#[derive(Debug, Clone, PartialEq)]
pub enum Cost {
    /// Smallest, mean and largest, each on its own.
    Lanes {
        /// Smallest expected.
        min: Curve,
        /// Mean.
        mean: Curve,
        /// Largest expected.
        max: Curve,
    },
    /// Measured values: their minimum, mean and maximum, and their distribution.
    Samples(Vec<f64>),
    /// A probability law.
    Law(Law<Formula>),
}

impl Cost {
    /// The same curve for all three lanes.
    #[must_use]
    pub fn exactly(curve: Curve) -> Self {
        Cost::Lanes { min: curve.clone(), mean: curve.clone(), max: curve }
    }
}

/// A cost as a function of the variables of a request.
#[derive(Debug, Clone, PartialEq)]
pub enum Curve {
    /// An expression.
    Formula(Formula),
    /// A natural cubic spline over one variable.
    Spline {
        /// The variable.
        over: String,
        /// The measured points.
        spline: Spline,
    },
}
