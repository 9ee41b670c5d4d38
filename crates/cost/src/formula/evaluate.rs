use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Formatter};

use super::{Formula, Function, Literal, Node, Scale, Sign};
use crate::Unit;

/// What names stand for, and the unit that results are wanted in.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Environment {
    /// Values of variables.
    pub values: BTreeMap<String, f64>,
    /// The unit results are wanted in: quantities such as `5us` are converted to it.
    pub unit: Option<Unit>,
}

impl Environment {
    /// No variables, results in `unit`.
    #[must_use]
    pub fn in_unit(unit: Unit) -> Self {
        Self { values: BTreeMap::new(), unit: Some(unit) }
    }

    /// Adds a variable, or replaces its value.
    #[must_use]
    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.values.insert(name.to_owned(), value);
        self
    }
}

/// Why a formula has no value. Formulas inside are printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormulaError {
    /// A variable without a value.
    Unbound(String),
    /// The divisor, which is zero.
    DivisionByZero(String),
    /// The part whose value is infinite or not a number.
    NotFinite(String),
    /// A time, such as `5us`, where no unit is known to express it in.
    UnitNeeded(String),
    /// Cycles where time is wanted, or time where cycles are.
    Incompatible {
        /// The quantity, printed.
        quantity: String,
        /// The unit it is wanted in.
        unit: Unit,
    },
}

impl Display for FormulaError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            FormulaError::Unbound(name) => write!(f, "`{name}` has no value"),
            FormulaError::DivisionByZero(divisor) => write!(f, "division by zero: `{divisor}` is 0"),
            FormulaError::NotFinite(part) => write!(f, "`{part}` is not a finite number"),
            FormulaError::UnitNeeded(quantity) => {
                write!(f, "`{quantity}` is a time, and no unit is known to express it in")
            }
            FormulaError::Incompatible { quantity, unit } => {
                write!(
                    f,
                    "`{quantity}` cannot be expressed in {unit}: cycles are no time without a clock rate"
                )
            }
        }
    }
}

impl std::error::Error for FormulaError {}

impl Formula {
    /// The value of the formula, always finite.
    ///
    /// # Errors
    /// The first part, from the left, that has no value.
    pub fn evaluate(&self, environment: &Environment) -> Result<f64, FormulaError> {
        let value = match &self.0 {
            Node::Number(Literal(value)) => *value,
            Node::Quantity(Literal(value), unit) => self.in_unit_of(*value, *unit, environment)?,
            Node::Name(name) => {
                *environment.values.get(name).ok_or_else(|| FormulaError::Unbound(name.clone()))?
            }
            Node::Negate(inner) => -inner.evaluate(environment)?,
            Node::Sum { first, rest } => {
                rest.iter().try_fold(first.evaluate(environment)?, |sum, (sign, term)| {
                    Ok(apply_sign(sum, *sign, term.evaluate(environment)?))
                })?
            }
            Node::Product { first, rest } => {
                rest.iter().try_fold(first.evaluate(environment)?, |product, (scale, factor)| {
                    let value = factor.evaluate(environment)?;
                    apply_scale(product, *scale, value)
                        .ok_or_else(|| FormulaError::DivisionByZero(factor.to_string()))
                })?
            }
            Node::Power(base, exponent) => base.evaluate(environment)?.powf(exponent.evaluate(environment)?),
            Node::Call(function, arguments) => {
                let values: Vec<f64> = arguments
                    .iter()
                    .map(|argument| argument.evaluate(environment))
                    .collect::<Result<_, _>>()?;
                if *function == Function::Mod && values[1] == 0.0 {
                    return Err(FormulaError::DivisionByZero(arguments[1].to_string()));
                }
                function.apply(&values)
            }
        };
        if value.is_finite() { Ok(value) } else { Err(FormulaError::NotFinite(self.to_string())) }
    }

    fn in_unit_of(&self, value: f64, unit: Unit, environment: &Environment) -> Result<f64, FormulaError> {
        let wanted = environment.unit.ok_or_else(|| FormulaError::UnitNeeded(self.to_string()))?;
        wanted
            .convert_from(value, unit)
            .ok_or_else(|| FormulaError::Incompatible { quantity: self.to_string(), unit: wanted })
    }

    /// Puts in the values that are known and computes what can be computed.
    ///
    /// Where the formula has a value, the simplified one has the same; parts that have none (a
    /// division by zero, an unknown name) stay as they are. Folding goes from left to right and
    /// never reorders, so that no digit changes.
    #[must_use]
    pub fn substitute(&self, environment: &Environment) -> Formula {
        match &self.0 {
            Node::Number(_) => self.clone(),
            Node::Quantity(..) | Node::Name(_) => {
                self.evaluate(environment).map_or_else(|_| self.clone(), Formula::number)
            }
            Node::Negate(inner) => -inner.substitute(environment),
            Node::Sum { first, rest } => {
                rest.iter().fold(first.substitute(environment), |sum, (sign, term)| {
                    fold_sum(sum, *sign, term.substitute(environment))
                })
            }
            Node::Product { first, rest } => {
                rest.iter().fold(first.substitute(environment), |product, (scale, factor)| {
                    fold_product(product, *scale, factor.substitute(environment))
                })
            }
            Node::Power(base, exponent) => {
                fold_power(base.substitute(environment), exponent.substitute(environment))
            }
            Node::Call(function, arguments) => {
                let list = arguments.iter().map(|argument| argument.substitute(environment)).collect();
                fold_call(*function, list)
            }
        }
    }
}

fn apply_sign(sum: f64, sign: Sign, term: f64) -> f64 {
    match sign {
        Sign::Plus => sum + term,
        Sign::Minus => sum - term,
    }
}

fn apply_scale(product: f64, scale: Scale, factor: f64) -> Option<f64> {
    match scale {
        Scale::Times => Some(product * factor),
        Scale::Over if factor == 0.0 => None,
        Scale::Over => Some(product / factor),
    }
}

fn fold_sum(sum: Formula, sign: Sign, term: Formula) -> Formula {
    let folded = match (sum.as_number(), term.as_number()) {
        (Some(a), Some(b)) => {
            Some(apply_sign(a, sign, b)).filter(|value| value.is_finite()).map(Formula::number)
        }
        (Some(0.0), None) if sign == Sign::Plus => Some(term.clone()),
        (Some(0.0), None) => Some(-term.clone()),
        (None, Some(0.0)) => Some(sum.clone()),
        _ => None,
    };
    folded.unwrap_or_else(|| sum.join(sign, term))
}

fn fold_product(product: Formula, scale: Scale, factor: Formula) -> Formula {
    let folded = match (product.as_number(), factor.as_number()) {
        (Some(a), Some(b)) => apply_scale(a, scale, b).filter(|value| value.is_finite()).map(Formula::number),
        (Some(0.0), None) => Some(Formula::number(0.0)),
        (None, Some(0.0)) if scale == Scale::Times => Some(Formula::number(0.0)),
        (Some(1.0), None) if scale == Scale::Times => Some(factor.clone()),
        (None, Some(1.0)) => Some(product.clone()),
        _ => None,
    };
    folded.unwrap_or_else(|| product.scale(scale, factor))
}

fn fold_power(base: Formula, exponent: Formula) -> Formula {
    let folded = match (base.as_number(), exponent.as_number()) {
        (Some(a), Some(b)) => Some(a.powf(b)).filter(|value| value.is_finite()).map(Formula::number),
        (None, Some(1.0)) => Some(base.clone()),
        _ => None,
    };
    folded.unwrap_or_else(|| base.power(exponent))
}

/// Folds a call of numbers; in a maximum or minimum also the numbers among the arguments, and repetitions.
fn fold_call(function: Function, arguments: Vec<Formula>) -> Formula {
    let call = Formula::call(function, arguments);
    let Node::Call(_, arguments) = &call.0 else { return call };
    let numbers: Vec<f64> = arguments.iter().filter_map(Formula::as_number).collect();
    if numbers.len() == arguments.len() {
        let value = function.apply(&numbers);
        return if value.is_finite() { Formula::number(value) } else { call };
    }
    if !function.is_associative() {
        return call;
    }
    let folded = (!numbers.is_empty()).then(|| Formula::number(function.apply(&numbers)));
    let mut seen = BTreeSet::new();
    let mut list: Vec<Formula> = Vec::new();
    for argument in arguments {
        let argument = argument.as_number().and(folded.as_ref()).unwrap_or(argument);
        if seen.insert(argument) {
            list.push(argument.clone());
        }
    }
    match list.len() {
        1 => list.remove(0),
        _ => Formula::call(function, list),
    }
}
