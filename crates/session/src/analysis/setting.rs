//! What an analysis is asked for: parameter values and loop bounds.

use std::collections::BTreeMap;

use cost::{Environment, Unit};
use diag::Diagnostic;

use crate::global::GlobalType;

/// Values and bounds that come from outside the text.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Setting {
    /// Parameters by name; they win over the defaults in the header.
    pub values: BTreeMap<String, f64>,
    /// Iterations of the outermost loops; wins over `iter` in the header.
    pub iterations: Option<u64>,
}

/// Most iterations that one loop may be given.
const ITERATION_LIMIT: f64 = 1e12;

impl Setting {
    /// The environment in which the protocol's formulas are evaluated: given values, then defaults in
    /// order of declaration. A parameter whose default cannot be computed yet stays symbolic.
    ///
    /// # Errors
    /// S310 for a value that no parameter and no formula of the protocol asks for.
    pub fn environment(
        &self,
        global: &GlobalType,
        unit: Option<Unit>,
    ) -> Result<Environment, Vec<Diagnostic>> {
        let mut diagnostics = Vec::new();
        let known = names(global);
        for name in self.values.keys().filter(|name| !known.contains(*name)) {
            let mut diagnostic = Diagnostic::error("S310", format!("the protocol has no parameter `{name}`"));
            if let Some(parameter) = global.parameters.first() {
                diagnostic = diagnostic.at(parameter.span, "parameters are declared here");
            }
            let list: Vec<&str> = known.iter().map(String::as_str).collect();
            diagnostics.push(match list.as_slice() {
                [] => diagnostic.help("this protocol has no parameters: leave `--set` out"),
                list => diagnostic.help(format!("its parameters are {}", list.join(", "))),
            });
        }
        let mut environment = Environment { values: self.values.clone(), unit };
        for parameter in &global.parameters {
            if environment.values.contains_key(&parameter.name) {
                continue;
            }
            if let Some(default) = &parameter.default
                && let Ok(value) = default.evaluate(&environment)
            {
                environment.values.insert(parameter.name.clone(), value);
            }
        }
        if diagnostics.is_empty() { Ok(environment) } else { Err(diagnostics) }
    }

    /// How often the body of each loop runs, with a warning for each loop that nobody bounded.
    ///
    /// # Errors
    /// S311 for a bound that is not a whole number from 0 to 1e12, S301 for one that is not known.
    pub fn iterations(
        &self,
        global: &GlobalType,
        environment: &Environment,
    ) -> Result<(Vec<u64>, Vec<Diagnostic>), Vec<Diagnostic>> {
        let mut counts = Vec::with_capacity(global.loops.len());
        let (mut faults, mut warnings) = (Vec::new(), Vec::new());
        for repeated in &global.loops {
            if let (None, Some(count)) = (repeated.parent, self.iterations) {
                counts.push(count);
                continue;
            }
            let Some(bound) = &repeated.iterations else {
                counts.push(1);
                warnings.push(unbounded(&repeated.name, repeated.span, repeated.parent.is_some()));
                continue;
            };
            match bound.evaluate(environment) {
                Ok(value) if (0.0..=ITERATION_LIMIT).contains(&value) && value.fract() == 0.0 => {
                    counts.push(value as u64);
                }
                Ok(value) => faults.push(
                    Diagnostic::error(
                        "S311",
                        format!("the loop `{}` cannot run {value} times", repeated.name),
                    )
                    .at(repeated.span, format!("bounded by `{bound}`"))
                    .help("a loop bound is a whole number from 0 to 1e12"),
                ),
                Err(cause) => faults.push(
                    Diagnostic::error(
                        "S301",
                        format!("how often the loop `{}` runs is not known: {cause}", repeated.name),
                    )
                    .at(repeated.span, format!("bounded by `{bound}`"))
                    .help("give the parameter a value with `--set NAME=VALUE`"),
                ),
            }
        }
        if faults.is_empty() { Ok((counts, warnings)) } else { Err(faults) }
    }
}

fn unbounded(name: &str, span: diag::Span, inner: bool) -> Diagnostic {
    let cure = if inner {
        format!("state it in the header: @\"iter {name}=..\"")
    } else {
        format!("use `--iterations N`, or state it in the header: @\"iter {name}=..\"")
    };
    Diagnostic::warning("S305", format!("nobody says how often the loop `{name}` runs; it is counted once"))
        .at(span, "this loop")
        .help(cure)
}

/// Names that a value can be given to: declared parameters, and in protocols without declarations
/// (the JSON form) whatever the formulas use.
fn names(global: &GlobalType) -> std::collections::BTreeSet<String> {
    let mut names: std::collections::BTreeSet<String> =
        global.parameters.iter().map(|parameter| parameter.name.clone()).collect();
    for (_, interaction) in global.interactions() {
        for formula in [&interaction.size, &interaction.cost, &interaction.pre, &interaction.deadline] {
            names.extend(formula.iter().flat_map(cost::Formula::names));
        }
    }
    names
        .extend(global.loops.iter().flat_map(|repeated| &repeated.iterations).flat_map(cost::Formula::names));
    names
}
