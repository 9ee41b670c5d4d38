//! Any text: parsing a cost model does not panic, its diagnostics can be rendered, and what it accepts
//! prints so that parsing gives it back.

#![no_main]

use cost::Model;
use diag::{Colour, Source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let source = Source::new("fuzz", text);
    let (model, diagnostics) = Model::parse(&source);
    let _ = diag::render(&source, &diagnostics, Colour::Plain);
    let Some(model) = model.filter(|_| !diag::has_errors(&diagnostics)) else { return };
    let printed = model.to_toml();
    let (again, complaints) = Model::parse(&Source::new("printed", printed.as_str()));
    assert!(!diag::has_errors(&complaints), "refused as printed:\n{printed}\n{complaints:?}");
    assert_eq!(again.as_ref(), Some(&model), "changed by printing:\n{printed}");
});
