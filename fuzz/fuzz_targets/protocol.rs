//! Any text: parsing, expanding, projecting and analysing a protocol do not panic, and their diagnostics can
//! be rendered.

#![no_main]

mod analyses;

use diag::Source;
use libfuzzer_sys::fuzz_target;
use session::Options;

fuzz_target!(|text: &str| {
    let source = Source::new("fuzz", text);
    analyses::run(&source, session::parse(&source, &Options::default()));
});
