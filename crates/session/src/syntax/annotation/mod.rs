//! What annotation strings say.
//!
//! nuScr accepts a string after the roles of a protocol and after a message and ignores it. Lagcast
//! reads parameters, loop bounds, deployment and channel bounds in the former ([`Header`]), sizes
//! and costs in the latter ([`MessageCosts`]). Spans point into the file: `offset` is where the string begins.

mod header;
mod message;
mod piece;

use diag::{Diagnostic, Span};

pub use header::{Header, Placement, RolePattern, Setting, SlotCount, parse_header};
pub use message::{MESSAGE_KEYS, MessageCosts, parse_message};

/// A string in which nothing is known to Lagcast: most likely an assertion of old nuScr.
fn not_ours(text: &str, offset: usize, resembles_ours: bool) -> Diagnostic {
    let diagnostic = if resembles_ours { Diagnostic::warning } else { Diagnostic::note };
    diagnostic("S013", "this annotation says nothing to Lagcast".to_owned())
        .at(Span::new(offset, offset + text.len()), "ignored")
        .help("annotations of messages read `size=.., cost=..`, those of protocols `param ..; iter ..`")
}

fn given_twice(what: &str, name: &str, span: Span) -> Diagnostic {
    Diagnostic::error("S011", format!("{what} `{name}` is given twice")).at(span, "given again")
}

fn malformed(message: impl Into<String>, span: Span, help: &str) -> Diagnostic {
    Diagnostic::error("S012", message).at(span, "not understood").help(help)
}
