//! What the protocol targets do with a protocol that was read.

use cost::{Model, Prices};
use diag::{Colour, Diagnostic, Source};
use session::{GlobalType, Setting};

/// Protocols larger than this are only read: they say nothing that smaller ones do not, slowly.
const LARGEST: usize = 2_000;

const COST_MODEL: &str = r#"
[model]
name = "fuzz"
unit = "us"
source = "assumed"

[[operation]]
name = "send"
mean = "1 + 0.001*size"

[[operation]]
name = "recv"
mean = 2
"#;

/// Renders all diagnostics, and analyses what has no errors.
pub fn run(source: &Source, (global, diagnostics): (Option<GlobalType>, Vec<Diagnostic>)) {
    let render = |diagnostics: &[Diagnostic]| drop(diag::render(source, diagnostics, Colour::Plain));
    render(&diagnostics);
    assert_eq!(global.is_none(), diag::has_errors(&diagnostics), "a global type if and only if no errors");
    let Some(global) = global.filter(|global| global.nodes.len() <= LARGEST) else { return };
    render(&session::project(&global).1);
    let setting = Setting::default();
    render(&session::cost(&global, None, &setting).map_or_else(|faults| faults, |report| report.warnings));
    let model = Model::parse(&Source::new("model", COST_MODEL)).0.expect("the model has no errors");
    let prices = Prices::new(vec![model]).expect("one model has one unit");
    let latency = session::latency(&global, &prices, &setting, None);
    render(&latency.map_or_else(|faults| faults, |report| report.warnings));
}
