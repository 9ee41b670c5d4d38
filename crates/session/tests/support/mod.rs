//! What several tests of this crate share.

#![allow(dead_code, reason = "each test uses a part")]
#![allow(clippy::disallowed_methods, reason = "tests read their corpus")]

pub mod camp;
pub mod script;
pub mod semantics;
