use std::fmt::{Display, Formatter, Result};

use super::{Formula, Literal, Node, Scale, Sign};

/// How tightly a formula holds together in print; a looser one inside a tighter place is parenthesised.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Sum,
    Product,
    Sign,
    Power,
    Atom,
}

impl Formula {
    pub(super) fn level(&self) -> Level {
        match &self.0 {
            Node::Number(Literal(value)) | Node::Quantity(Literal(value), _) if value.is_sign_negative() => {
                Level::Sign
            }
            Node::Number(_) | Node::Quantity(..) | Node::Name(_) | Node::Call(..) => Level::Atom,
            Node::Negate(_) => Level::Sign,
            Node::Sum { .. } => Level::Sum,
            Node::Product { .. } => Level::Product,
            Node::Power(..) => Level::Power,
        }
    }
}

/// A formula in a place that asks for a level.
struct Within<'a>(&'a Formula, Level);

impl Display for Within<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if self.0.level() < self.1 { write!(f, "({})", self.0) } else { write!(f, "{}", self.0) }
    }
}

/// Prints with the fewest parentheses; parsing the text gives the same formula.
impl Display for Formula {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.0 {
            Node::Number(value) => write!(f, "{value}"),
            Node::Quantity(value, unit) => write!(f, "{value}{unit}"),
            Node::Name(name) => f.write_str(name),
            Node::Negate(inner) => write!(f, "-{}", Within(inner, Level::Sign)),
            Node::Sum { first, rest } => {
                write!(f, "{first}")?;
                rest.iter().try_for_each(|(sign, term)| {
                    let sign = if *sign == Sign::Plus { " + " } else { " - " };
                    write!(f, "{sign}{}", Within(term, Level::Product))
                })
            }
            Node::Product { first, rest } => {
                write!(f, "{}", Within(first, Level::Product))?;
                rest.iter().try_for_each(|(scale, factor)| {
                    let scale = if *scale == Scale::Times { '*' } else { '/' };
                    write!(f, "{scale}{}", Within(factor, Level::Sign))
                })
            }
            Node::Power(base, exponent) => {
                write!(f, "{}^{}", Within(base, Level::Atom), Within(exponent, Level::Sign))
            }
            Node::Call(function, arguments) => {
                write!(f, "{}(", function.name())?;
                for (index, argument) in arguments.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{argument}")?;
                }
                f.write_str(")")
            }
        }
    }
}

/// The fewest digits that read back as the same number, with an exponent where that is shorter to read.
impl Display for Literal {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let size = self.0.abs();
        if size == 0.0 || (1e-4..1e15).contains(&size) || !size.is_finite() {
            write!(f, "{}", self.0)
        } else {
            write!(f, "{:e}", self.0)
        }
    }
}
