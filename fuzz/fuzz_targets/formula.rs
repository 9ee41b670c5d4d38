//! Any text: parsing does not panic, its diagnostics can be rendered, and what it accepts prints so that
//! parsing gives it back.

#![no_main]

use cost::{Environment, Formula};
use diag::{Colour, Source};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Formula::parse(text, 0) {
        Err(diagnostics) => {
            assert!(diag::has_errors(&diagnostics), "refused without an error");
            let _ = diag::render(&Source::new("fuzz", text), &diagnostics, Colour::Plain);
        }
        Ok(formula) => {
            let printed = formula.to_string();
            assert_eq!(Formula::parse(&printed, 0).as_ref(), Ok(&formula), "printed as `{printed}`");
            let environment = Environment::default().with("n", 3.0).with("x", -0.5);
            let _ = formula.evaluate(&environment);
            let _ = formula.substitute(&environment).to_latex();
        }
    }
});
