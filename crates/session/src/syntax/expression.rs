//! Arithmetic over whole numbers: indices of roles, bounds and guards of `foreach`; and the
//! assertions of refinement types, which are checked for their form only.

use std::fmt;

use super::ast::{At, Name};

/// An expression. Equal if written the same up to spacing and needless parentheses.
#[derive(Debug, Clone, PartialEq)]
pub struct Expression {
    /// Its form.
    pub kind: ExpressionKind,
    /// Where it was written.
    pub at: At,
}

/// The forms of an [`Expression`].
#[derive(Debug, Clone, PartialEq)]
pub enum ExpressionKind {
    /// A whole number.
    Number(i64),
    /// A string; in refinements only.
    Text(String),
    /// `true` or `false`; in refinements only.
    Truth(bool),
    /// A variable or parameter.
    Name(String),
    /// `-x`.
    Negate(Box<Expression>),
    /// `not x`.
    Not(Box<Expression>),
    /// `a + b` and the like.
    Binary(Operator, Box<Expression>, Box<Expression>),
    /// `xor(a, b)` and the like; the name is checked when the expression is used.
    Call(Name, Vec<Expression>),
}

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==` or `=`
    Equal,
    /// `!=` or `<>`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`, rounded towards minus infinity.
    Divide,
    /// `%`, never negative for a positive divisor.
    Remainder,
}

impl Operator {
    /// All operators.
    pub const ALL: [Operator; 13] = [
        Operator::Or,
        Operator::And,
        Operator::Equal,
        Operator::Unequal,
        Operator::Less,
        Operator::LessEqual,
        Operator::Greater,
        Operator::GreaterEqual,
        Operator::Add,
        Operator::Subtract,
        Operator::Multiply,
        Operator::Divide,
        Operator::Remainder,
    ];

    /// The operator of a symbol.
    #[must_use]
    pub fn of(symbol: &str) -> Option<Self> {
        match symbol {
            "=" => Some(Operator::Equal),
            "<>" => Some(Operator::Unequal),
            _ => Self::ALL.into_iter().find(|operator| operator.symbol() == symbol),
        }
    }

    /// Its symbol.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Operator::Or => "||",
            Operator::And => "&&",
            Operator::Equal => "==",
            Operator::Unequal => "!=",
            Operator::Less => "<",
            Operator::LessEqual => "<=",
            Operator::Greater => ">",
            Operator::GreaterEqual => ">=",
            Operator::Add => "+",
            Operator::Subtract => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            Operator::Remainder => "%",
        }
    }

    /// How tightly it binds, from `||` (1) to `*` (6). All operators associate to the left.
    #[must_use]
    pub fn precedence(self) -> u8 {
        match self {
            Operator::Or => 1,
            Operator::And => 2,
            Operator::Add | Operator::Subtract => 5,
            Operator::Multiply | Operator::Divide | Operator::Remainder => 6,
            _ => 4,
        }
    }

    /// Whether it yields a condition rather than a number.
    #[must_use]
    pub fn yields_condition(self) -> bool {
        self.precedence() <= 4
    }
}

/// How tightly `not` binds: looser than a comparison, tighter than `&&`.
pub(crate) const NOT: u8 = 3;
/// How tightly a sign binds.
const SIGN: u8 = 7;

/// The functions of index arithmetic with their number of arguments.
pub const FUNCTIONS: [(&str, usize); 7] =
    [("xor", 2), ("pow", 2), ("mod", 2), ("min", 2), ("max", 2), ("abs", 1), ("log2", 1)];

/// Why an expression has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArithmeticFault {
    /// Division or remainder by zero.
    ByZero,
    /// The result does not fit 64 bits.
    Overflow,
    /// A negative exponent, or the logarithm of a number that is not positive.
    Domain,
}

impl fmt::Display for ArithmeticFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ArithmeticFault::ByZero => "it divides by zero",
            ArithmeticFault::Overflow => "it exceeds 64 bits",
            ArithmeticFault::Domain => "a power or logarithm is undefined here",
        })
    }
}

impl Expression {
    /// Whether its value is a condition rather than a number.
    #[must_use]
    pub fn is_condition(&self) -> bool {
        match &self.kind {
            ExpressionKind::Truth(_) | ExpressionKind::Not(_) => true,
            ExpressionKind::Binary(operator, ..) => operator.yields_condition(),
            _ => false,
        }
    }

    /// Its value, conditions as 0 or 1. `value_of` knows the names.
    ///
    /// # Errors
    /// A fault of the arithmetic, or whatever `value_of` reports for a name.
    pub fn evaluate<E: From<ArithmeticFault>>(
        &self,
        value_of: &impl Fn(&str, At) -> Result<i64, E>,
    ) -> Result<i64, E> {
        match &self.kind {
            ExpressionKind::Number(value) => Ok(*value),
            ExpressionKind::Truth(value) => Ok(i64::from(*value)),
            ExpressionKind::Text(_) => Err(ArithmeticFault::Domain.into()),
            ExpressionKind::Name(name) => value_of(name, self.at),
            ExpressionKind::Negate(inner) => {
                Ok(inner.evaluate(value_of)?.checked_neg().ok_or(ArithmeticFault::Overflow)?)
            }
            ExpressionKind::Not(inner) => Ok(i64::from(inner.evaluate(value_of)? == 0)),
            ExpressionKind::Binary(Operator::Or, a, b) => {
                Ok(i64::from(a.evaluate(value_of)? != 0 || b.evaluate(value_of)? != 0))
            }
            ExpressionKind::Binary(Operator::And, a, b) => {
                Ok(i64::from(a.evaluate(value_of)? != 0 && b.evaluate(value_of)? != 0))
            }
            ExpressionKind::Binary(operator, a, b) => {
                Ok(apply(*operator, a.evaluate(value_of)?, b.evaluate(value_of)?)?)
            }
            ExpressionKind::Call(function, arguments) => {
                let values: Result<Vec<i64>, E> = arguments.iter().map(|a| a.evaluate(value_of)).collect();
                Ok(call(&function.text, &values?)?)
            }
        }
    }

    /// Calls `see` on every name that stands for a value.
    pub fn names(&self, see: &mut impl FnMut(&str, At)) {
        match &self.kind {
            ExpressionKind::Name(name) => see(name, self.at),
            ExpressionKind::Negate(inner) | ExpressionKind::Not(inner) => inner.names(see),
            ExpressionKind::Binary(_, a, b) => {
                a.names(see);
                b.names(see);
            }
            ExpressionKind::Call(_, arguments) => arguments.iter().for_each(|a| a.names(see)),
            ExpressionKind::Number(_) | ExpressionKind::Text(_) | ExpressionKind::Truth(_) => {}
        }
    }
}

fn apply(operator: Operator, a: i64, b: i64) -> Result<i64, ArithmeticFault> {
    let exact = |value: Option<i64>| value.ok_or(ArithmeticFault::Overflow);
    match operator {
        Operator::Equal => Ok(i64::from(a == b)),
        Operator::Unequal => Ok(i64::from(a != b)),
        Operator::Less => Ok(i64::from(a < b)),
        Operator::LessEqual => Ok(i64::from(a <= b)),
        Operator::Greater => Ok(i64::from(a > b)),
        Operator::GreaterEqual => Ok(i64::from(a >= b)),
        Operator::Add => exact(a.checked_add(b)),
        Operator::Subtract => exact(a.checked_sub(b)),
        Operator::Multiply => exact(a.checked_mul(b)),
        Operator::Divide | Operator::Remainder if b == 0 => Err(ArithmeticFault::ByZero),
        Operator::Divide => exact(a.checked_sub(modulo(a, b)).and_then(|whole| whole.checked_div(b))),
        Operator::Remainder => Ok(modulo(a, b)),
        Operator::Or => Ok(i64::from(a != 0 || b != 0)),
        Operator::And => Ok(i64::from(a != 0 && b != 0)),
    }
}

/// The remainder with the sign of the divisor, so that `(i - 1) % n` walks around a ring.
fn modulo(a: i64, b: i64) -> i64 {
    let remainder = a.checked_rem(b).unwrap_or(0);
    if remainder != 0 && (remainder < 0) != (b < 0) { remainder + b } else { remainder }
}

fn call(function: &str, values: &[i64]) -> Result<i64, ArithmeticFault> {
    match (function, values) {
        ("xor", [a, b]) => Ok(a ^ b),
        ("pow", [base, exponent]) => {
            let exponent = u32::try_from(*exponent).map_err(|_| ArithmeticFault::Domain)?;
            base.checked_pow(exponent).ok_or(ArithmeticFault::Overflow)
        }
        ("mod", [a, b]) => apply(Operator::Remainder, *a, *b),
        ("min", [a, b]) => Ok(*a.min(b)),
        ("max", [a, b]) => Ok(*a.max(b)),
        ("abs", [a]) => a.checked_abs().ok_or(ArithmeticFault::Overflow),
        ("log2", [a]) => a.checked_ilog2().map(i64::from).ok_or(ArithmeticFault::Domain),
        _ => Err(ArithmeticFault::Domain),
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_bound(f, self, 0)
    }
}

/// Writes an expression, in parentheses if it binds less tightly than `least`.
fn write_bound(f: &mut fmt::Formatter<'_>, expression: &Expression, least: u8) -> fmt::Result {
    let own = match &expression.kind {
        ExpressionKind::Binary(operator, ..) => operator.precedence(),
        ExpressionKind::Not(_) => NOT,
        ExpressionKind::Negate(_) => SIGN,
        _ => u8::MAX,
    };
    if own < least {
        f.write_str("(")?;
    }
    match &expression.kind {
        ExpressionKind::Number(value) => write!(f, "{value}")?,
        ExpressionKind::Text(text) => write!(f, "\"{text}\"")?,
        ExpressionKind::Truth(value) => write!(f, "{value}")?,
        ExpressionKind::Name(name) => f.write_str(name)?,
        ExpressionKind::Negate(inner) => {
            f.write_str("-")?;
            write_bound(f, inner, own)?;
        }
        ExpressionKind::Not(inner) => {
            f.write_str("not ")?;
            write_bound(f, inner, own)?;
        }
        ExpressionKind::Binary(operator, a, b) => {
            write_bound(f, a, own)?;
            write!(f, " {} ", operator.symbol())?;
            write_bound(f, b, own + 1)?;
        }
        ExpressionKind::Call(function, arguments) => write_call(f, &function.text, arguments)?,
    }
    if own < least { f.write_str(")") } else { Ok(()) }
}

fn write_call(f: &mut fmt::Formatter<'_>, function: &str, arguments: &[Expression]) -> fmt::Result {
    write!(f, "{function}(")?;
    for (index, argument) in arguments.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { ", " })?;
        write_bound(f, argument, 0)?;
    }
    f.write_str(")")
}
