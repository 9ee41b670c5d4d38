use super::cycle::Scratch;
use super::graph::{Edge, Graph};
use super::{Cycle, Matrix};
use crate::expr::{Atom, Expr, ExprId, Pool};

/// A loop as a map from the times at its head to the times one iteration later.
///
/// `next[i]` is an expression over [`Expr::State`]`(0..next.len())`: state variable `i` after one
/// iteration. State variables are role clocks, messages in flight and free slots of channels.
#[derive(Debug, Clone)]
pub struct Recurrence {
    /// Where the expressions live.
    pub pool: Pool,
    /// One expression per state variable.
    pub next: Vec<ExprId>,
}

/// How a recurrence grows.
#[derive(Debug, Clone)]
pub struct Solution {
    /// For each state variable its growth per iteration in the long run: the largest ratio among the
    /// cycles from which it can be reached; 0 if there is none.
    pub rates: Vec<f64>,
    /// The cycle with the largest ratio: the bottleneck. `None` if nothing repeats.
    pub critical: Option<Critical>,
    /// Proof that nothing grows faster.
    pub certificate: Certificate,
}

/// The critical cycle in terms of expressions.
#[derive(Debug, Clone, PartialEq)]
pub struct Critical {
    /// Time per iteration.
    pub ratio: f64,
    /// Iterations that one turn spans.
    pub tokens: u32,
    /// The costs met on one turn, in order of time.
    pub atoms: Vec<Atom>,
}

/// A potential `v` and a bound `b` with `next(v) <= b + v`, entry by entry.
///
/// Whoever holds it can check it with one evaluation of the recurrence. Because the map is monotone
/// and homogeneous (no expression may use [`Expr::Zero`], which no loop of a protocol does), state `i` after `k` iterations from `x` is at most
/// `k*b + v[i] + max_j(x[j] - v[j])`, for every `k`.
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate {
    /// The potential, one entry per state variable.
    pub potential: Vec<f64>,
    /// The bound on growth per iteration; equals the largest ratio up to rounding.
    pub bound: f64,
}

impl Certificate {
    /// Largest value that state `i` can have after `iterations` from `initial`.
    #[must_use]
    pub fn limit(&self, i: usize, iterations: u64, initial: &[f64]) -> f64 {
        let lead = initial.iter().zip(&self.potential).map(|(x, v)| x - v).fold(f64::NEG_INFINITY, f64::max);
        iterations as f64 * self.bound + self.potential[i] + lead
    }
}

impl Recurrence {
    /// The times one iteration after `state`.
    #[must_use]
    pub fn apply(&self, costs: &[f64], state: &[f64]) -> Vec<f64> {
        let values = self.pool.evaluate(&self.next, costs, state);
        self.next.iter().map(|id| values[id.index()]).collect()
    }

    /// The same map as a dense matrix, by running it on each unit vector.
    ///
    /// Constant terms (times that do not depend on the head of the loop) have no place in a linear
    /// map and are left out: they do not change what happens in the long run.
    #[must_use]
    pub fn matrix(&self, costs: &[f64]) -> Matrix {
        let size = self.next.len();
        let mut matrix = Matrix::zero(size);
        for j in 0..size {
            let mut unit = vec![f64::NEG_INFINITY; size];
            unit[j] = 0.0;
            let column = self.linear(costs, &unit);
            for (i, value) in column.into_iter().enumerate() {
                matrix.set(i, j, value);
            }
        }
        matrix
    }

    fn linear(&self, costs: &[f64], state: &[f64]) -> Vec<f64> {
        let mut values: Vec<f64> = Vec::with_capacity(self.pool.len());
        for index in 0..self.pool.len() {
            values.push(match self.pool.get(ExprId(u32::try_from(index).expect("pool ids fit u32"))) {
                Expr::Zero => f64::NEG_INFINITY,
                Expr::State(i) => state[i as usize],
                Expr::Plus(time, atom) => values[time.index()] + costs[atom.0 as usize],
                Expr::Max(a, b) => values[a.index()].max(values[b.index()]),
            });
        }
        self.next.iter().map(|id| values[id.index()]).collect()
    }

    /// The timed event graph of the loop: one node per expression, one token from each state
    /// variable's next value back to the variable. State variable `i` is node `heads[i]`.
    fn graph(&self, costs: &[f64]) -> (Graph, Vec<u32>) {
        let used = self.pool.reachable(&self.next);
        let mut graph = Graph { nodes: self.pool.len() + self.next.len(), edges: Vec::new() };
        let head = |i: usize| u32::try_from(self.pool.len() + i).expect("node count fits u32");
        let mut connect = |from: u32, to: u32, weight: f64, tokens: u32| {
            graph.edges.push(Edge { from, to, weight, tokens });
        };
        for index in (0..used.len()).filter(|index| used[*index]) {
            let to = u32::try_from(index).expect("pool ids fit u32");
            match self.pool.get(ExprId(to)) {
                Expr::Zero => {}
                Expr::State(i) => connect(head(i as usize), to, 0.0, 0),
                Expr::Plus(time, atom) => connect(time.0, to, costs[atom.0 as usize], 0),
                Expr::Max(a, b) => {
                    connect(a.0, to, 0.0, 0);
                    connect(b.0, to, 0.0, 0);
                }
            }
        }
        for (i, next) in self.next.iter().enumerate() {
            connect(next.0, head(i), 0.0, 1);
        }
        let heads = (0..self.next.len()).map(head).collect();
        (graph, heads)
    }

    /// Growth of every state variable, the bottleneck and the certificate. `costs[a]` is what atom
    /// `a` costs.
    #[must_use]
    pub fn solve(&self, costs: &[f64]) -> Solution {
        let (graph, heads) = self.graph(costs);
        let incoming = graph.incoming();
        let mut scratch = Scratch::new(graph.nodes);
        let mut rate = vec![f64::NEG_INFINITY; graph.nodes];
        let mut start = vec![0.0; graph.nodes];
        let mut best: Option<Cycle> = None;
        for component in graph.components() {
            let arriving = component
                .iter()
                .flat_map(|node| incoming.of(*node))
                .map(|edge| rate[graph.edges[*edge as usize].from as usize])
                .fold(f64::NEG_INFINITY, f64::max);
            let own = scratch.solve(&graph, &incoming, &component);
            let ratio = own.as_ref().map_or(f64::NEG_INFINITY, |(cycle, _)| cycle.ratio);
            for node in &component {
                rate[*node as usize] = arriving.max(ratio);
            }
            if let Some((cycle, potential)) = own
                && best.as_ref().is_none_or(|known| cycle.ratio > known.ratio)
            {
                start.fill(0.0);
                for (node, value) in component.iter().zip(potential) {
                    start[*node as usize] = value;
                }
                best = Some(cycle);
            }
        }
        let ratio = best.as_ref().map_or(0.0, |cycle| cycle.ratio);
        let guess = heads.iter().map(|head| start[*head as usize]).collect();
        Solution {
            rates: heads
                .iter()
                .map(|head| rate[*head as usize])
                .map(|r| if r.is_finite() { r } else { 0.0 })
                .collect(),
            critical: best.map(|cycle| self.critical(&graph, &cycle)),
            certificate: self.certificate(costs, ratio, guess),
        }
    }

    fn critical(&self, graph: &Graph, cycle: &Cycle) -> Critical {
        let atoms = cycle
            .edges
            .iter()
            .map(|edge| graph.edges[*edge as usize].to)
            .filter(|node| (*node as usize) < self.pool.len())
            .filter_map(|node| match self.pool.get(ExprId(node)) {
                Expr::Plus(_, atom) => Some(atom),
                _ => None,
            })
            .collect();
        Critical { ratio: cycle.ratio, tokens: cycle.tokens, atoms }
    }

    /// Lifts a guess until one iteration exceeds it by no more than `ratio`. Any potential gives a
    /// valid certificate, so stopping early only makes the bound larger.
    fn certificate(&self, costs: &[f64], ratio: f64, guess: Vec<f64>) -> Certificate {
        let mut potential = guess;
        for _ in 0..200 {
            let next = self.apply(costs, &potential);
            let tolerance = 4.0 * f64::EPSILON * potential.iter().fold(ratio.abs(), |m, v| m.max(v.abs()));
            let mut lifted = false;
            for (value, later) in potential.iter_mut().zip(&next) {
                if later - ratio > *value + tolerance {
                    *value = later - ratio;
                    lifted = true;
                }
            }
            if !lifted {
                break;
            }
        }
        let next = self.apply(costs, &potential);
        let bound = next.iter().zip(&potential).map(|(a, v)| a - v).fold(f64::NEG_INFINITY, f64::max);
        Certificate { potential, bound: if bound.is_finite() { bound } else { 0.0 } }
    }
}
