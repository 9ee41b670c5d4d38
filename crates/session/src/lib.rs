//! Message-passing protocols and what they cost.
//!
//! ```text
//! text -> GlobalType -> LocalType* -> Equations -> Latency
//! ```
//!
//! A protocol is written once, for all participants ([`GlobalType`], read by [`parse`] or built by
//! [`builder::ProtocolBuilder`]). [`project`] gives each role's view and with it the verdict whether
//! the protocol is well formed; [`cost()`] says when each role is done in a bounded run, [`latency()`]
//! how fast a loop goes for ever; [`plan()`] makes it concrete enough to be executed, and [`trace`]
//! predicts the course of that very execution.

pub mod analysis;
pub mod builder;
pub mod expand;
pub mod global;
pub mod json;
pub mod local;
pub mod plan;
mod structure;
pub mod syntax;
mod text;
mod wellformed;

pub use analysis::{CostReport, LatencyReport, Notation, Setting, cost, latency};
pub use expand::{Options, parse};
pub use global::GlobalType;
pub use json::{parse_json, to_json};
pub use local::LocalType;
pub use plan::{Plan, plan, trace};
pub use text::print_global;
pub use wellformed::{check_flight, project};

/// The guide in the book, compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/guides/library.md")]
pub struct LibraryGuide;
