//! What things cost.
//!
//! The one currency of the project: every prediction is priced by a cost model, every measurement
//! and observation can become one, and the two meet in a comparison.
//!
//! - [`expr`], [`maxplus`]: times as maxima of sums, and how fast a loop of them goes.
//! - [`Formula`]: arithmetic over named sizes and parameters, as it stands in protocols and cost models.
//! - [`Unit`], [`Estimate`]: what a number is counted in, and its three lanes min, mean and max.
//! - [`Model`], [`Prices`], [`PriceList`]: cost models as files, layered, asked for prices.
//! - [`Spline`], [`Law`], [`Distribution`]: how a cost depends on a size, and how it scatters.
//! - [`Prediction`], [`Observation`], [`Comparison`]: what leaves the tool, with unit and provenance.

pub mod distribution;
mod estimate;
pub mod expr;
pub mod formula;
mod law;
pub mod maxplus;
pub mod model;
pub mod prediction;
mod spline;
mod unit;

pub use distribution::{Distribution, Quantiles};
pub use estimate::Estimate;
pub use formula::{Environment, Formula, FormulaError};
pub use law::Law;
pub use model::{
    Attribute, Cost, CostError, Curve, Model, Operation, Origin, PriceError, PriceList, Prices, Provenance,
    Request,
};
pub use prediction::{Comparison, ComparisonError, Observation, Prediction};
pub use spline::{Spline, SplineError};
pub use unit::Unit;
