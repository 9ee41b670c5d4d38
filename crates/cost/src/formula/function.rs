/// The functions a formula may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Function {
    /// Largest of its arguments.
    Max,
    /// Smallest of its arguments.
    Min,
    /// Logarithm to base 2.
    Log2,
    /// Natural logarithm.
    Ln,
    /// Square root.
    Sqrt,
    /// Smallest integer not below.
    Ceil,
    /// Largest integer not above.
    Floor,
    /// Absolute value.
    Abs,
    /// Remainder of the division by the second argument, never negative.
    Mod,
}

impl Function {
    /// All functions, in the order in which help texts list them.
    pub const ALL: [Function; 9] = [
        Function::Max,
        Function::Min,
        Function::Log2,
        Function::Ln,
        Function::Sqrt,
        Function::Ceil,
        Function::Floor,
        Function::Abs,
        Function::Mod,
    ];

    /// Its name in formulas.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Function::Max => "max",
            Function::Min => "min",
            Function::Log2 => "log2",
            Function::Ln => "ln",
            Function::Sqrt => "sqrt",
            Function::Ceil => "ceil",
            Function::Floor => "floor",
            Function::Abs => "abs",
            Function::Mod => "mod",
        }
    }

    /// The function of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|function| function.name() == name)
    }

    /// Fewest and most arguments.
    #[must_use]
    pub fn arity(self) -> (usize, usize) {
        match self {
            Function::Max | Function::Min => (2, usize::MAX),
            Function::Mod => (2, 2),
            _ => (1, 1),
        }
    }

    /// Whether nested calls mean the same as one call with all arguments.
    pub(super) fn is_associative(self) -> bool {
        matches!(self, Function::Max | Function::Min)
    }

    /// Its value; NaN or infinite outside its domain. The number of arguments fits its arity.
    pub(super) fn apply(self, arguments: &[f64]) -> f64 {
        let fold = |choose: fn(f64, f64) -> f64| arguments.iter().copied().reduce(choose).unwrap_or(f64::NAN);
        match (self, arguments) {
            (Function::Max, _) => fold(f64::max),
            (Function::Min, _) => fold(f64::min),
            (Function::Log2, [x]) => x.log2(),
            (Function::Ln, [x]) => x.ln(),
            (Function::Sqrt, [x]) => x.sqrt(),
            (Function::Ceil, [x]) => x.ceil(),
            (Function::Floor, [x]) => x.floor(),
            (Function::Abs, [x]) => x.abs(),
            (Function::Mod, [x, divisor]) => x.rem_euclid(*divisor),
            _ => f64::NAN,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_functions() {
        for function in Function::ALL {
            assert_eq!(Function::from_name(function.name()), Some(function));
        }
    }

    #[test]
    fn remainder_is_never_negative() {
        assert_eq!(Function::Mod.apply(&[-1.0, 4.0]), 3.0);
        assert_eq!(Function::Mod.apply(&[9.0, 4.0]), 1.0);
    }
}
