//! Any text: parsing, expanding and projecting a protocol do not panic, and their diagnostics can be
//! rendered.

#![no_main]

use diag::{Colour, Source};
use libfuzzer_sys::fuzz_target;
use session::Options;

fuzz_target!(|text: &str| {
    let source = Source::new("fuzz", text);
    let (global, diagnostics) = session::parse(&source, &Options::default());
    let _ = diag::render(&source, &diagnostics, Colour::Plain);
    if let Some(global) = global.filter(|_| !diag::has_errors(&diagnostics)) {
        let (_, diagnostics) = session::project(&global);
        let _ = diag::render(&source, &diagnostics, Colour::Plain);
    }
});
