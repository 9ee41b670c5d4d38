//! Protocols as JSON, in the form of the CAMP prototype's protocols.
//!
//! A protocol is a list of `{"msg":[p,q],"size":..,"cost":..}`, `{"send":[p,q],"size":..}`,
//! `{"recv_from_to":[p,q],"size":..,"cost":..}` (q receives from p), `{"choice":[p,q],"alts":{label:[..]}}`
//! (p sends the label to q), `{"rec":"X","n":..,"body":[..]}` and `{"var":"X"}`. Roles are numbers and
//! become `r0`, `r1`, ..; sizes, costs and `n` are numbers or formulas in strings.

mod read;
mod write;

pub use read::parse_json;
pub use write::to_json;
