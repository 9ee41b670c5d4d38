//! Max-plus linear algebra: what repeats, how fast it goes, and why.
//!
//! A loop body maps the times at its head to the times at its end by a max-plus linear map. The
//! growth per iteration of such a map is its largest cycle mean (Cohen, Dubois, Quadrat, Viot 1983);
//! the cycle that attains it is the bottleneck, and a potential proves that no run is slower.

mod cycle;
mod graph;
mod matrix;
mod recurrence;

pub use cycle::{Cycle, howard};
pub use graph::{Edge, Graph};
pub use matrix::Matrix;
pub use recurrence::{Certificate, Critical, Recurrence, Solution};
