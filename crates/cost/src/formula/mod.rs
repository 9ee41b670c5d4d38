//! Arithmetic over names: sizes, costs, probabilities, loop bounds.
//!
//! A formula is parsed with spans ([`Formula::parse`]), printed so that parsing gives it back,
//! evaluated in an [`Environment`] or simplified by it. Formulas are values: equal, ordered and
//! hashed by their structure, numbers by their bits.
//!
//! ```
//! use cost::{Environment, Formula};
//! let formula = Formula::parse("max(8*n, 64) + 5us", 0).unwrap();
//! let environment = Environment::in_unit(cost::Unit::Microseconds).with("n", 100.0);
//! assert_eq!(formula.evaluate(&environment), Ok(805.0));
//! assert_eq!(formula.to_string(), "max(8*n, 64) + 5us");
//! ```

mod evaluate;
mod function;
mod latex;
mod parse;
mod print;
mod token;

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

pub use evaluate::{Environment, FormulaError};
pub use function::Function;
pub(crate) use token::{is_name, leaves};

use crate::Unit;

/// Longest text that is read as one formula, in bytes.
pub const MAX_LENGTH: usize = 10_000;
/// Deepest nesting of operands in one formula: parentheses, calls, signs, powers, right-hand sides.
pub const MAX_DEPTH: usize = 256;

/// An arithmetic expression. See the [module](self) for what it can do and [`Node`] for its form.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Formula(Node);

/// The form of a [`Formula`].
///
/// Sums and products are lists read from left to right, so that a long sum is not deep. A negated
/// literal is a negative literal, the first operand of a sum is no sum and that of a product no
/// product: equal texts up to spacing and needless parentheses give equal formulas.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// A plain number, in whatever unit the context asks for.
    Number(Literal),
    /// A time with its unit: `5us`.
    Quantity(Literal, Unit),
    /// A parameter, size or cost variable.
    Name(String),
    /// `-x`.
    Negate(Box<Formula>),
    /// `first + a - b`.
    Sum {
        /// The leftmost term.
        first: Box<Formula>,
        /// The others; at least one.
        rest: Vec<(Sign, Formula)>,
    },
    /// `first * a / b`.
    Product {
        /// The leftmost factor.
        first: Box<Formula>,
        /// The others; at least one.
        rest: Vec<(Scale, Formula)>,
    },
    /// `base ^ exponent`.
    Power(Box<Formula>, Box<Formula>),
    /// `max(a, b)` and the other functions, with as many arguments as [`Function::arity`] says.
    Call(Function, Vec<Formula>),
}

/// How a term joins a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// `+`
    Plus,
    /// `-`
    Minus,
}

/// How a factor joins a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scale {
    /// `*`
    Times,
    /// `/`
    Over,
}

/// A number that is equal, ordered and hashed by its bits.
#[derive(Debug, Clone, Copy)]
pub struct Literal(pub f64);

impl PartialEq for Literal {
    fn eq(&self, other: &Self) -> bool {
        self.0.to_bits() == other.0.to_bits()
    }
}

impl Eq for Literal {}

impl PartialOrd for Literal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Literal {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Hash for Literal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl Formula {
    /// A plain number. It should be finite: one that is not fails at evaluation.
    #[must_use]
    pub fn number(value: f64) -> Self {
        Self(Node::Number(Literal(value)))
    }

    /// A time with its unit.
    #[must_use]
    pub fn quantity(value: f64, unit: Unit) -> Self {
        Self(Node::Quantity(Literal(value), unit))
    }

    /// A variable. Names match `[A-Za-z_\\][A-Za-z0-9_'\\]*`; others can be evaluated but not read back.
    #[must_use]
    pub fn name(name: &str) -> Self {
        Self(Node::Name(name.to_owned()))
    }

    /// The larger of two; nested maxima become one list.
    #[must_use]
    pub fn max(a: Self, b: Self) -> Self {
        Self::call(Function::Max, vec![a, b])
    }

    /// The smaller of two; nested minima become one list.
    #[must_use]
    pub fn min(a: Self, b: Self) -> Self {
        Self::call(Function::Min, vec![a, b])
    }

    /// `self ^ exponent`.
    #[must_use]
    pub fn power(self, exponent: Self) -> Self {
        Self(Node::Power(Box::new(self), Box::new(exponent)))
    }

    /// A call; the caller sees to the arity. Nested calls of `max` or of `min` become one list.
    fn call(function: Function, arguments: Vec<Self>) -> Self {
        let mut list = Vec::new();
        for argument in arguments {
            match argument.0 {
                Node::Call(inner, nested) if inner == function && function.is_associative() => {
                    // A maximum that grows at its left end keeps its list: no quadratic copying.
                    if list.is_empty() {
                        list = nested;
                    } else {
                        list.extend(nested);
                    }
                }
                node => list.push(Self(node)),
            }
        }
        Self(Node::Call(function, list))
    }

    fn join(self, sign: Sign, term: Self) -> Self {
        match self.0 {
            Node::Sum { first, mut rest } => {
                rest.push((sign, term));
                Self(Node::Sum { first, rest })
            }
            node => Self(Node::Sum { first: Box::new(Self(node)), rest: vec![(sign, term)] }),
        }
    }

    fn scale(self, scale: Scale, factor: Self) -> Self {
        match self.0 {
            Node::Product { first, mut rest } => {
                rest.push((scale, factor));
                Self(Node::Product { first, rest })
            }
            node => Self(Node::Product { first: Box::new(Self(node)), rest: vec![(scale, factor)] }),
        }
    }

    /// Its form, for code that walks over formulas.
    #[must_use]
    pub fn node(&self) -> &Node {
        &self.0
    }

    /// The value, if the whole formula is one plain number.
    #[must_use]
    pub fn as_number(&self) -> Option<f64> {
        match self.0 {
            Node::Number(Literal(value)) => Some(value),
            _ => None,
        }
    }

    /// The variables that occur in it.
    #[must_use]
    pub fn names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        self.visit(&mut |node| {
            if let Node::Name(name) = node {
                names.insert(name.clone());
            }
        });
        names
    }

    /// Calls `see` on every node, outer ones first.
    fn visit(&self, see: &mut impl FnMut(&Node)) {
        see(&self.0);
        match &self.0 {
            Node::Number(_) | Node::Quantity(..) | Node::Name(_) => {}
            Node::Negate(inner) => inner.visit(see),
            Node::Sum { first, rest } => {
                first.visit(see);
                rest.iter().for_each(|(_, term)| term.visit(see));
            }
            Node::Product { first, rest } => {
                first.visit(see);
                rest.iter().for_each(|(_, factor)| factor.visit(see));
            }
            Node::Power(base, exponent) => {
                base.visit(see);
                exponent.visit(see);
            }
            Node::Call(_, arguments) => arguments.iter().for_each(|argument| argument.visit(see)),
        }
    }
}

impl From<f64> for Formula {
    fn from(value: f64) -> Self {
        Self::number(value)
    }
}

impl std::ops::Add for Formula {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.join(Sign::Plus, other)
    }
}

impl std::ops::Sub for Formula {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.join(Sign::Minus, other)
    }
}

impl std::ops::Mul for Formula {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        self.scale(Scale::Times, other)
    }
}

impl std::ops::Div for Formula {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        self.scale(Scale::Over, other)
    }
}

impl std::ops::Neg for Formula {
    type Output = Self;

    /// A negated literal is a negative literal.
    fn neg(self) -> Self {
        match self.0 {
            Node::Number(Literal(value)) => Self::number(-value),
            Node::Quantity(Literal(value), unit) => Self::quantity(-value, unit),
            node => Self(Node::Negate(Box::new(Self(node)))),
        }
    }
}
