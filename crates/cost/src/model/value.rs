use std::collections::BTreeMap;
use std::fmt::{Display, Formatter};

use super::{Attribute, Cost, Curve, Model, Operation};
use crate::{Distribution, Environment, Estimate, FormulaError};

/// Why a cost has no value for the given variables.
#[derive(Debug, Clone, PartialEq)]
pub enum CostError {
    /// A formula has none.
    Formula(FormulaError),
    /// A variable lies outside the points of a spline.
    Outside {
        /// The variable.
        variable: String,
        /// Its value.
        value: f64,
        /// Smallest point.
        low: f64,
        /// Largest point.
        high: f64,
    },
    /// The value is negative: nothing costs less than nothing.
    Negative(f64),
    /// The parameters make no law.
    Law {
        /// Name of the law.
        kind: &'static str,
        /// What is wrong with them.
        fault: &'static str,
    },
}

impl Display for CostError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            CostError::Formula(error) => write!(f, "{error}"),
            CostError::Outside { variable, value, low, high } => {
                write!(f, "{variable} = {value} lies outside {low} to {high}")
            }
            CostError::Negative(value) => write!(f, "the cost would be {value}, less than nothing"),
            CostError::Law { kind, fault } => write!(f, "this is no {kind} law: {fault}"),
        }
    }
}

impl std::error::Error for CostError {}

impl From<FormulaError> for CostError {
    fn from(error: FormulaError) -> Self {
        CostError::Formula(error)
    }
}

impl Curve {
    /// Its value, finite and not negative, in the unit of the environment.
    ///
    /// # Errors
    /// A formula without a value, a point outside the spline, a negative value.
    pub fn value(&self, environment: &Environment) -> Result<f64, CostError> {
        let value = match self {
            Curve::Formula(formula) => formula.evaluate(environment)?,
            Curve::Spline { over, spline } => {
                let at = *environment.values.get(over).ok_or_else(|| FormulaError::Unbound(over.clone()))?;
                let (low, high) = spline.domain();
                let outside = || CostError::Outside { variable: over.clone(), value: at, low, high };
                spline.value(at).ok_or_else(outside)?
            }
        };
        if value < 0.0 { Err(CostError::Negative(value)) } else { Ok(value) }
    }
}

impl Cost {
    /// Smallest, mean and largest cost.
    ///
    /// # Errors
    /// As [`Curve::value`]; parameters that make no law.
    pub fn estimate(&self, environment: &Environment) -> Result<Estimate, CostError> {
        match self {
            Cost::Lanes { min, mean, max } => Ok(Estimate {
                min: min.value(environment)?,
                mean: mean.value(environment)?,
                max: max.value(environment)?,
            }),
            Cost::Samples(samples) => Ok(summary(samples)),
            Cost::Law(_) => Ok(self.law(environment)?.map_or_else(Estimate::default, |law| law.estimate())),
        }
    }

    /// The distribution of the cost; `None` where the model knows no more than the three lanes.
    ///
    /// # Errors
    /// As [`Self::estimate`].
    pub fn distribution(&self, environment: &Environment) -> Result<Option<Distribution>, CostError> {
        match self {
            Cost::Lanes { .. } => Ok(None),
            Cost::Samples(samples) => Ok(Distribution::from_samples(samples)),
            Cost::Law(_) => Ok(self.law(environment)?.map(|law| law.distribution())),
        }
    }

    fn law(&self, environment: &Environment) -> Result<Option<crate::law::Law<f64>>, CostError> {
        let Cost::Law(law) = self else { return Ok(None) };
        let numbers = law.try_map(|parameter| parameter.evaluate(environment))?;
        match numbers.fault() {
            Some(fault) => Err(CostError::Law { kind: law.kind(), fault }),
            None => Ok(Some(numbers)),
        }
    }

    /// Its curves, as many as it has.
    pub(super) fn curves(&self) -> Vec<&Curve> {
        match self {
            Cost::Lanes { min, mean, max } => vec![min, mean, max],
            Cost::Samples(_) | Cost::Law(_) => Vec::new(),
        }
    }
}

fn summary(samples: &[f64]) -> Estimate {
    #[expect(clippy::cast_precision_loss, reason = "sample counts are far below 2^53")]
    let count = samples.len() as f64;
    Estimate {
        min: samples.iter().copied().fold(f64::INFINITY, f64::min),
        mean: samples.iter().sum::<f64>() / count,
        max: samples.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    }
}

impl Operation {
    /// For which values it has a price: its validity, narrowed to the points of its splines.
    #[must_use]
    pub fn ranges(&self) -> BTreeMap<String, (f64, f64)> {
        let mut ranges = self.valid.clone();
        for curve in self.cost.curves() {
            if let Curve::Spline { over, spline } = curve {
                let (low, high) = spline.domain();
                let range = ranges.entry(over.clone()).or_insert((low, high));
                *range = (range.0.max(low), range.1.min(high));
            }
        }
        ranges
    }

    /// The environment of its formulas, apart from what a request gives.
    pub(super) fn environment(&self, model: &Model) -> Environment {
        let numbers = self.attributes.iter().filter_map(|(key, attribute)| match attribute {
            Attribute::Number(value) => Some((key.clone(), *value)),
            Attribute::Text(_) => None,
        });
        let mut values = model.parameters.clone();
        values.extend(numbers);
        Environment { values, unit: Some(model.unit) }
    }
}
