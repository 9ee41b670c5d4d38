//! The domains in which the machine computes.

use cost::Estimate;
use cost::expr::{Atom, ExprId, Pool};

use super::clocks::Domain;

/// Numbers: the three lanes min, mean and max side by side, each a worst case over branches.
pub struct Numbers<'a> {
    /// What each charge costs.
    pub prices: &'a [Estimate],
}

impl Domain for Numbers<'_> {
    type Time = Estimate;

    fn start(&mut self) -> Estimate {
        Estimate::exactly(0.0)
    }

    fn after(&mut self, time: Estimate, charge: u32) -> Estimate {
        time + self.prices[charge as usize]
    }

    fn later(&mut self, a: &Estimate, b: &Estimate) -> Estimate {
        a.zip(*b, f64::max)
    }
}

/// Expressions: times as maxima of sums of atoms.
pub struct Expressions<'a> {
    /// Where they live.
    pub pool: Pool,
    /// Which atom stands for each charge.
    pub atoms: &'a [Atom],
}

impl Domain for Expressions<'_> {
    type Time = ExprId;

    fn start(&mut self) -> ExprId {
        self.pool.zero()
    }

    fn after(&mut self, time: ExprId, charge: u32) -> ExprId {
        self.pool.plus(time, self.atoms[charge as usize])
    }

    fn later(&mut self, a: &ExprId, b: &ExprId) -> ExprId {
        self.pool.max(*a, *b)
    }
}

/// No times at all: only what is in flight where.
pub struct Shape;

impl Domain for Shape {
    type Time = ();

    fn start(&mut self) {}

    fn after(&mut self, (): (), _charge: u32) {}

    fn later(&mut self, (): &(), (): &()) {}
}
