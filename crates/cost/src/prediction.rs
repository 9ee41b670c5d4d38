//! Predictions, observations, and the two side by side.
//!
//! Every number that leaves the tool stands in one of these: with its unit, the estimator that gave
//! it, and where its costs came from. Their JSON is stable:
//!
//! ```text
//! Prediction   {"subject", "quantity", "unit", "estimator", "value": {"min","mean","max"},
//!               "quantiles": {"p50","p90","p99","p99.9"} | null,
//!               "costs": [{"model","source","environment","date"}]}
//! Observation  {"subject", "quantity", "unit", "estimator", "value": {"min","mean","max"},
//!               "quantiles": .. | null, "runs", "environment", "date"}
//! Comparison   {"subject", "quantity", "unit", "predicted", "predicted_by", "observed", "observed_by",
//!               "error", "tolerance", "within", "inside_bounds", "costs": [..]}
//! ```

use std::fmt::{Display, Formatter};

use serde::{Deserialize, Serialize};

use crate::distribution::Quantiles;
use crate::model::Origin;
use crate::{Estimate, Unit};

/// What a protocol or program is expected to take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Prediction {
    /// What it is about: a protocol, a role, a path.
    pub subject: String,
    /// Which quantity: `completion time`, `latency per iteration`, ..
    pub quantity: String,
    /// Unit of all numbers.
    pub unit: Unit,
    /// How the numbers came about: `worst case over choices, mean costs`, ..
    pub estimator: String,
    /// The three lanes.
    pub value: Estimate,
    /// Quantiles, where a distribution is known.
    pub quantiles: Option<Quantiles>,
    /// The cost models it was priced by, the last one on top.
    pub costs: Vec<Origin>,
}

/// What it did take.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// What it is about; the same words as in the prediction.
    pub subject: String,
    /// Which quantity; the same words as in the prediction.
    pub quantity: String,
    /// Unit of all numbers.
    pub unit: Unit,
    /// How the numbers came about: `measured over 5 runs`, ..
    pub estimator: String,
    /// Smallest, mean and largest.
    pub value: Estimate,
    /// Quantiles, where there were enough samples.
    pub quantiles: Option<Quantiles>,
    /// Number of runs or samples.
    pub runs: u64,
    /// The machine.
    pub environment: Option<String>,
    /// When, as `YYYY-MM-DD`.
    pub date: Option<String>,
}

/// A prediction beside an observation of the same quantity, in the observation's unit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// What it is about.
    pub subject: String,
    /// Which quantity.
    pub quantity: String,
    /// Unit of both numbers.
    pub unit: Unit,
    /// The predicted mean.
    pub predicted: f64,
    /// Its estimator.
    pub predicted_by: String,
    /// The observed mean.
    pub observed: f64,
    /// Its estimator.
    pub observed_by: String,
    /// (predicted - observed) / observed: positive if the prediction was too high.
    pub error: f64,
    /// Largest error, either way, that was asked for.
    pub tolerance: f64,
    /// Whether the error is within the tolerance.
    pub within: bool,
    /// Whether the observed mean lies between the predicted minimum and maximum.
    pub inside_bounds: bool,
    /// The cost models of the prediction.
    pub costs: Vec<Origin>,
}

/// Why a prediction and an observation cannot be compared.
#[derive(Debug, Clone, PartialEq)]
pub enum ComparisonError {
    /// They are about different quantities.
    Quantities(String, String),
    /// One counts cycles, the other time.
    Units(Unit, Unit),
    /// The observed mean is zero or not finite: there is no relative error.
    NoScale(f64),
    /// The tolerance is negative or not a number.
    Tolerance(f64),
}

impl Display for ComparisonError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            ComparisonError::Quantities(predicted, observed) => {
                write!(f, "the prediction is a {predicted}, the observation a {observed}")
            }
            ComparisonError::Units(predicted, observed) => {
                write!(
                    f,
                    "{predicted} cannot be compared with {observed}: cycles are no time without a clock rate"
                )
            }
            ComparisonError::NoScale(mean) => write!(f, "an observed mean of {mean} gives no relative error"),
            ComparisonError::Tolerance(value) => {
                write!(f, "a tolerance of {value} means nothing: it must be 0 or more")
            }
        }
    }
}

impl std::error::Error for ComparisonError {}

impl Comparison {
    /// Compares the means; `tolerance` is relative: 0.15 for 15 %.
    ///
    /// # Errors
    /// The two are not commensurable, or the tolerance is none.
    pub fn new(
        prediction: &Prediction,
        observation: &Observation,
        tolerance: f64,
    ) -> Result<Self, ComparisonError> {
        if prediction.quantity != observation.quantity {
            let (predicted, observed) = (prediction.quantity.clone(), observation.quantity.clone());
            return Err(ComparisonError::Quantities(predicted, observed));
        }
        let unit = observation.unit;
        if unit.convert_from(1.0, prediction.unit).is_none() {
            return Err(ComparisonError::Units(prediction.unit, unit));
        }
        if tolerance.is_nan() || tolerance < 0.0 {
            return Err(ComparisonError::Tolerance(tolerance));
        }
        let observed = observation.value.mean;
        if observed == 0.0 || !observed.is_finite() {
            return Err(ComparisonError::NoScale(observed));
        }
        let value = prediction.value.map(|lane| unit.convert_from(lane, prediction.unit).unwrap_or(f64::NAN));
        let error = (value.mean - observed) / observed;
        Ok(Self {
            subject: observation.subject.clone(),
            quantity: observation.quantity.clone(),
            unit,
            predicted: value.mean,
            predicted_by: prediction.estimator.clone(),
            observed,
            observed_by: observation.estimator.clone(),
            error,
            tolerance,
            within: error.abs() <= tolerance,
            inside_bounds: (value.min..=value.max).contains(&observed),
            costs: prediction.costs.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Provenance;

    fn prediction() -> Prediction {
        Prediction {
            subject: "Pipe".to_owned(),
            quantity: "completion time".to_owned(),
            unit: Unit::Milliseconds,
            estimator: "worst case over choices, mean costs".to_owned(),
            value: Estimate { min: 0.9, mean: 1.1, max: 1.3 },
            quantiles: None,
            costs: vec![Origin {
                model: "loopback".to_owned(),
                source: Provenance::Measured,
                environment: Some("2 cores".to_owned()),
                date: None,
            }],
        }
    }

    fn observation() -> Observation {
        Observation {
            subject: "Pipe".to_owned(),
            quantity: "completion time".to_owned(),
            unit: Unit::Seconds,
            estimator: "measured over 5 runs".to_owned(),
            value: Estimate { min: 0.9e-3, mean: 1e-3, max: 1.2e-3 },
            quantiles: Some(Quantiles { p50: 1e-3, p90: 1.1e-3, p99: 1.2e-3, p99_9: 1.2e-3 }),
            runs: 5,
            environment: None,
            date: Some("2026-11-30".to_owned()),
        }
    }

    #[test]
    fn error_is_signed_and_relative_to_what_was_observed() {
        let comparison = Comparison::new(&prediction(), &observation(), 0.15).unwrap();
        assert!((comparison.error - 0.1).abs() < 1e-12);
        assert!(comparison.within && comparison.inside_bounds);
        assert!(!Comparison::new(&prediction(), &observation(), 0.05).unwrap().within);
        let slow = Observation { value: Estimate::exactly(2e-3), ..observation() };
        let comparison = Comparison::new(&prediction(), &slow, 0.5).unwrap();
        assert!((comparison.error + 0.45).abs() < 1e-12);
        assert!(!comparison.inside_bounds);
    }

    #[test]
    fn refuses_what_has_no_common_measure() {
        let zero = Observation { value: Estimate::exactly(0.0), ..observation() };
        assert_eq!(Comparison::new(&prediction(), &zero, 0.1), Err(ComparisonError::NoScale(0.0)));
        let cycles = Observation { unit: Unit::Cycles, ..observation() };
        let error = Comparison::new(&prediction(), &cycles, 0.1).unwrap_err();
        assert_eq!(error, ComparisonError::Units(Unit::Milliseconds, Unit::Cycles));
        let other = Observation { quantity: "latency per iteration".to_owned(), ..observation() };
        assert!(matches!(Comparison::new(&prediction(), &other, 0.1), Err(ComparisonError::Quantities(..))));
        assert!(matches!(
            Comparison::new(&prediction(), &observation(), -1.0),
            Err(ComparisonError::Tolerance(_))
        ));
    }

    /// The documented JSON, key by key.
    #[test]
    fn json() {
        let comparison = Comparison::new(&prediction(), &observation(), 0.15).unwrap();
        let keys = |value: serde_json::Value| -> Vec<String> {
            value.as_object().unwrap().keys().cloned().collect()
        };
        let of_prediction = serde_json::to_value(prediction()).unwrap();
        let of_observation = serde_json::to_value(observation()).unwrap();
        assert_eq!(of_prediction["costs"][0]["source"], "measured");
        assert_eq!(of_observation["quantiles"]["p99.9"], 1.2e-3);
        assert_eq!(
            keys(of_prediction),
            ["subject", "quantity", "unit", "estimator", "value", "quantiles", "costs"]
        );
        assert_eq!(
            keys(of_observation),
            ["subject", "quantity", "unit", "estimator", "value", "quantiles", "runs", "environment", "date"]
        );
        // A value whose decimal digits are exact, so that reading it back is too.
        let comparison = Comparison { error: 0.125, ..comparison };
        let text = serde_json::to_string(&comparison).unwrap();
        assert_eq!(serde_json::from_str::<Comparison>(&text).unwrap(), comparison);
    }
}
