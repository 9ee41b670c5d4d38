//! Hash-consed max-plus expressions: times built by adding costs and taking maxima.
//!
//! A [`Pool`] is an arena in which equal expressions are one node, so that a protocol of `m`
//! messages gives `O(m)` nodes however often its parts are shared. Leaves are the start of time and
//! the state variables of a recurrence; what an [`Atom`] costs is known to the caller only.

use std::collections::HashMap;

/// A cost that is added as a whole; an index into the caller's own table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Atom(pub u32);

/// An expression, as an index into its [`Pool`]. Operands have smaller indices than their users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExprId(pub u32);

impl ExprId {
    /// The index.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Expr {
    /// The start of time, 0.
    Zero,
    /// A state variable of a recurrence: the time of something at the head of the loop.
    State(u32),
    /// A time and a cost after it.
    Plus(ExprId, Atom),
    /// The later of two times; the operand with the smaller index first.
    Max(ExprId, ExprId),
}

/// Arena of expressions in which equal ones are one.
#[derive(Debug, Clone)]
pub struct Pool {
    nodes: Vec<Expr>,
    // Only looked up, never iterated: the order of results does not depend on hashing.
    known: HashMap<Expr, ExprId>,
}

impl Default for Pool {
    fn default() -> Self {
        Self::new()
    }
}

impl Pool {
    /// A pool that holds [`Expr::Zero`] as its first expression.
    #[must_use]
    pub fn new() -> Self {
        let mut pool = Self { nodes: Vec::new(), known: HashMap::new() };
        pool.intern(Expr::Zero);
        pool
    }

    fn intern(&mut self, expr: Expr) -> ExprId {
        *self.known.entry(expr).or_insert_with(|| {
            let id = ExprId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 expressions"));
            self.nodes.push(expr);
            id
        })
    }

    /// The start of time.
    #[must_use]
    pub fn zero(&self) -> ExprId {
        ExprId(0)
    }

    /// State variable number `index`.
    pub fn state(&mut self, index: u32) -> ExprId {
        self.intern(Expr::State(index))
    }

    /// `time + cost`.
    pub fn plus(&mut self, time: ExprId, cost: Atom) -> ExprId {
        self.intern(Expr::Plus(time, cost))
    }

    /// The later of two times. Costs are not negative, so `max(e, e + a)` is `e + a`.
    pub fn max(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let (low, high) = if a <= b { (a, b) } else { (b, a) };
        if self.visibly_before(low, high) { high } else { self.intern(Expr::Max(low, high)) }
    }

    /// Whether a few steps down from `high` show that it is never earlier than `low`.
    fn visibly_before(&self, low: ExprId, high: ExprId) -> bool {
        let mut at = high;
        for _ in 0..8 {
            if at == low {
                return true;
            }
            match self.nodes[at.index()] {
                Expr::Plus(time, _) if time >= low => at = time,
                Expr::Max(a, b) if a == low || b == low => return true,
                _ => return low == self.zero() && matches!(self.nodes[at.index()], Expr::State(_)),
            }
        }
        false
    }

    /// The expression behind an id.
    #[must_use]
    pub fn get(&self, id: ExprId) -> Expr {
        self.nodes[id.index()]
    }

    /// Number of distinct expressions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never: a pool holds at least [`Expr::Zero`].
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Values of all expressions up to the largest of `roots`, given the cost of each atom and the
    /// value of each state variable. One pass; the value of `id` stands at `id.index()`.
    ///
    /// # Panics
    /// If an atom or state variable in use lies outside the given slices.
    #[must_use]
    pub fn evaluate(&self, roots: &[ExprId], costs: &[f64], state: &[f64]) -> Vec<f64> {
        let count = roots.iter().map(|root| root.index() + 1).max().unwrap_or(0);
        let mut values: Vec<f64> = Vec::with_capacity(count);
        for node in &self.nodes[..count] {
            values.push(match *node {
                Expr::Zero => 0.0,
                Expr::State(index) => state[index as usize],
                Expr::Plus(time, atom) => values[time.index()] + costs[atom.0 as usize],
                Expr::Max(a, b) => values[a.index()].max(values[b.index()]),
            });
        }
        values
    }

    /// Which expressions the roots depend on, themselves included; indexed by [`ExprId::index`].
    #[must_use]
    pub fn reachable(&self, roots: &[ExprId]) -> Vec<bool> {
        let count = roots.iter().map(|root| root.index() + 1).max().unwrap_or(0);
        let mut seen = vec![false; count];
        for root in roots {
            seen[root.index()] = true;
        }
        for index in (0..count).rev() {
            if !seen[index] {
                continue;
            }
            match self.nodes[index] {
                Expr::Zero | Expr::State(_) => {}
                Expr::Plus(time, _) => seen[time.index()] = true,
                Expr::Max(a, b) => {
                    seen[a.index()] = true;
                    seen[b.index()] = true;
                }
            }
        }
        seen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_expressions_are_one_node() {
        let mut pool = Pool::new();
        let zero = pool.zero();
        let a = pool.plus(zero, Atom(0));
        let b = pool.plus(zero, Atom(0));
        assert_eq!(a, b);
        let state = pool.state(3);
        assert_eq!(pool.max(a, state), pool.max(state, a));
    }

    #[test]
    fn a_time_is_never_later_than_itself_plus_a_cost() {
        let mut pool = Pool::new();
        let x = pool.state(0);
        let later = pool.plus(x, Atom(1));
        let latest = pool.plus(later, Atom(2));
        assert_eq!(pool.max(x, latest), latest);
        let zero = pool.zero();
        assert_eq!(pool.max(zero, x), x, "state variables are times, so not before the start");
    }

    #[test]
    fn evaluation_follows_the_definition() {
        let mut pool = Pool::new();
        let (x, y) = (pool.state(0), pool.state(1));
        let (left, right) = (pool.plus(x, Atom(0)), pool.plus(y, Atom(1)));
        let both = pool.max(left, right);
        let end = pool.plus(both, Atom(0));
        let value = |costs: &[f64], state: &[f64]| pool.evaluate(&[end], costs, state)[end.index()];
        assert_eq!(value(&[2.0, 10.0], &[1.0, 0.0]), 12.0);
        assert_eq!(value(&[2.0, 1.0], &[4.0, 0.0]), 8.0);
    }
}
