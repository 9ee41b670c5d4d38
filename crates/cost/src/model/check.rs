use diag::{Diagnostic, Span};

use super::document::Reader;
use super::entry::{Marks, Scope};
use super::{Attribute, Cost, CostError, Curve, Operation};
use crate::{Environment, FormulaError};

/// At most so many variables are tried at all combinations of their ends.
const MAX_CORNERS: usize = 4;

impl Reader<'_> {
    /// Tries an entry at the ends of its validity: costs that are no costs (C012, C015), lanes out of
    /// order (C016), validity beyond the points of a spline (C014).
    pub(super) fn check(&mut self, operation: &Operation, marks: &Marks, scope: &Scope) {
        self.within_points(operation, marks);
        let corners = corners(operation, scope);
        match &operation.cost {
            Cost::Lanes { min, mean, max } => {
                let lanes = [("min", min), ("mean", mean), ("max", max)];
                for ((name, curve), mark) in lanes.into_iter().zip(marks.lanes) {
                    // A lane that was not given is the mean, which is tried in its own turn.
                    if let Some(place) = mark {
                        self.try_curve(name, curve, &corners, place);
                    }
                }
                self.try_order([min, mean, max], &corners, marks);
            }
            Cost::Law(_) => {
                let fault =
                    corners.iter().find_map(|corner| real_fault(operation.cost.estimate(corner).err()?));
                if let Some(fault) = fault {
                    self.report(
                        Diagnostic::error("C012", fault.to_string())
                            .at(marks.cost, "within its validity")
                            .help("correct the parameters, or restrict `valid`"),
                    );
                }
            }
            Cost::Samples(_) => {}
        }
    }

    fn within_points(&mut self, operation: &Operation, marks: &Marks) {
        for (curve, lane) in operation.cost.curves().into_iter().zip(marks.lanes) {
            let Curve::Spline { over, spline } = curve else { continue };
            let (low, high) = spline.domain();
            let Some((from, to)) = operation.valid.get(over) else { continue };
            let (Some(valid), Some(lane)) = (marks.valid, lane) else { continue };
            if *from < low || *to > high {
                self.report(
                    Diagnostic::error(
                        "C014",
                        format!("`{over}` is said to be valid beyond the points of the spline"),
                    )
                    .at(valid, format!("valid from {from} to {to}"))
                    .at(lane, format!("points from {low} to {high}"))
                    .help("nothing is extrapolated: measure further points, or narrow `valid`"),
                );
            }
        }
    }

    fn try_curve(&mut self, name: &str, curve: &Curve, corners: &[Environment], place: Span) {
        let at_points = match curve {
            Curve::Spline { over, spline } => along(over, spline.points()),
            Curve::Formula(_) => Vec::new(),
        };
        for environment in corners.iter().chain(&at_points) {
            let Some(error) = curve.value(environment).err().and_then(real_fault) else { continue };
            self.report(
                Diagnostic::error("C015", format!("`{name}` is no cost{}: {error}", at(environment, curve)))
                    .at(place, "within its validity")
                    .help("correct it, or restrict `valid` to where it holds"),
            );
            return;
        }
    }

    fn try_order(&mut self, lanes: [&Curve; 3], corners: &[Environment], marks: &Marks) {
        for environment in corners {
            let [Ok(min), Ok(mean), Ok(max)] = lanes.map(|lane| lane.value(environment)) else { continue };
            // Fits of equal data may differ in the last digits.
            let slack = 1e-9 * mean.abs();
            let fault = match (min > mean + slack, mean > max + slack) {
                (true, _) => format!("`min` is {min} where `mean` is {mean}"),
                (_, true) => format!("`mean` is {mean} where `max` is {max}"),
                _ => continue,
            };
            self.report(
                Diagnostic::warning("C016", format!("{fault}{}", at(environment, lanes[1])))
                    .at(marks.cost, "min, mean and max are out of order")
                    .help("keep min <= mean <= max over the whole of `valid`"),
            );
            return;
        }
    }
}

/// An error that does not merely say that a variable is not known before a request gives it.
fn real_fault(error: CostError) -> Option<CostError> {
    let unknown = matches!(
        error,
        CostError::Formula(FormulaError::Unbound(_) | FormulaError::UnitNeeded(_))
            | CostError::Outside { .. }
    );
    (!unknown).then_some(error)
}

/// The values of the variables that matter, as " at size = 1".
fn at(environment: &Environment, curve: &Curve) -> String {
    let names = match curve {
        Curve::Formula(formula) => formula.names(),
        Curve::Spline { over, .. } => [over.clone()].into(),
    };
    let values: Vec<String> = environment
        .values
        .iter()
        .filter(|(name, _)| names.contains(*name))
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    if values.is_empty() { String::new() } else { format!(" at {}", values.join(", ")) }
}

/// All combinations of the ends of the entry's ranges, with its constants.
fn corners(operation: &Operation, scope: &Scope) -> Vec<Environment> {
    let mut values = scope.parameters.clone();
    for (key, attribute) in &operation.attributes {
        if let Attribute::Number(value) = attribute {
            values.insert(key.clone(), *value);
        }
    }
    let mut corners = vec![Environment { values, unit: scope.unit }];
    for (variable, (low, high)) in operation.ranges().into_iter().take(MAX_CORNERS) {
        // An open end cannot be tried.
        let ends = [low, high].into_iter().filter(|end| end.is_finite());
        let ends: Vec<f64> = if low <= high { ends.collect() } else { Vec::new() };
        corners = ends
            .iter()
            .flat_map(|end| corners.iter().map(|corner| corner.clone().with(&variable, *end)))
            .collect();
    }
    corners
}

/// The points of a spline and the middles between them.
fn along(over: &str, points: &[(f64, f64)]) -> Vec<Environment> {
    let middles = points.windows(2).map(|pair| f64::midpoint(pair[0].0, pair[1].0));
    let at = |value: f64| Environment::default().with(over, value);
    points.iter().map(|(x, _)| *x).chain(middles).map(at).collect()
}
