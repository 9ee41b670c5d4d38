//! What several tests of this crate share.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part of what they share")]
#![allow(clippy::disallowed_methods, reason = "tests read their corpus")]

pub mod camp;
pub mod script;
pub mod semantics;
