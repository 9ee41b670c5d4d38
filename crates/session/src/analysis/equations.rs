//! Cost equations: the time of every role as a maximum of sums, with dominated sums left out.

use std::collections::BTreeMap;

use cost::Formula;
use cost::expr::{Atom, Expr, ExprId, Pool};

use super::charges::{Charge, ChargeKind, Charges};
use crate::global::GlobalType;

/// Something that is added: a step of the transport, or a computation.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// `send(P,Q,size)` and the like.
    Transport(ChargeKind, String, String, Option<Formula>),
    /// A computation, by its formula.
    Compute(Formula),
}

/// What a sum starts from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Start {
    /// The start of the run.
    Zero,
    /// A state variable: a time at the head of the loop.
    State(u32),
    /// Subterm number `n`, defined by [`Equations::definitions`].
    Named(u32),
}

/// A start plus symbols with their multiplicities.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sum {
    /// Where it starts.
    pub start: Start,
    /// Indices into [`Equations::symbols`] with how often each is added.
    pub terms: Vec<(u32, u32)>,
}

/// A maximum of sums, none of which is dominated by another.
pub type Maximum = Vec<Sum>;

/// Equations with everything that they refer to.
#[derive(Debug, Clone, PartialEq)]
pub struct Equations {
    /// The symbols.
    pub symbols: Vec<Symbol>,
    /// Names of the state variables; empty for a protocol without loops.
    pub states: Vec<String>,
    /// Shared subterms that were given a name because the equations would explode without.
    pub definitions: Vec<Maximum>,
    /// One equation per state variable (roles first), or per role in a protocol without loops.
    pub equations: Vec<Maximum>,
}

/// Largest maximum and longest sum that are written out; beyond, subterms get names.
const TERM_LIMIT: usize = 24;
const SUM_LIMIT: usize = 64;

/// The symbols of a protocol and the atom of each charge: equal symbols are one atom.
pub(super) fn symbols(global: &GlobalType, charges: &Charges) -> (Vec<Symbol>, Vec<Atom>) {
    let mut index: BTreeMap<Symbol, u32> = BTreeMap::new();
    let mut symbols = Vec::new();
    let atoms = charges
        .list
        .iter()
        .map(|charge| {
            let symbol = symbol(global, charge);
            let next = u32::try_from(symbols.len()).expect("symbol count fits u32");
            Atom(*index.entry(symbol).or_insert_with_key(|symbol| {
                symbols.push(symbol.clone());
                next
            }))
        })
        .collect();
    (symbols, atoms)
}

fn symbol(global: &GlobalType, charge: &Charge) -> Symbol {
    let name = |role| global.role_name(role).to_owned();
    match &charge.amount {
        Some(time) if charge.kind.is_computation() => Symbol::Compute(time.clone()),
        size => Symbol::Transport(
            charge.kind,
            name(charge.from),
            name(charge.to),
            size.clone().or_else(|| Some(Formula::name(&format!("size_{}", charge.label)))),
        ),
    }
}

/// Turns expressions into maxima of sums. Linear in the pool: what would grow too large gets a name.
pub(super) fn write(pool: &Pool, roots: &[ExprId], symbols: Vec<Symbol>, states: Vec<String>) -> Equations {
    let used = pool.reachable(roots);
    let mut maxima: Vec<Maximum> = Vec::with_capacity(used.len());
    let mut definitions = Vec::new();
    for (index, used) in used.iter().enumerate() {
        if !used {
            maxima.push(Vec::new());
            continue;
        }
        let id = ExprId(u32::try_from(index).expect("pool ids fit u32"));
        let maximum = match pool.get(id) {
            Expr::Zero => vec![Sum { start: Start::Zero, terms: Vec::new() }],
            Expr::State(state) => vec![Sum { start: Start::State(state), terms: Vec::new() }],
            Expr::Plus(time, atom) => maxima[time.index()].iter().map(|sum| sum.plus(atom.0)).collect(),
            Expr::Max(a, b) => prune(&maxima[a.index()], &maxima[b.index()]),
        };
        let large = maximum.len() > TERM_LIMIT || maximum.iter().any(|sum| sum.terms.len() >= SUM_LIMIT);
        maxima.push(if large {
            let name = u32::try_from(definitions.len()).expect("definition count fits u32");
            definitions.push(maximum);
            vec![Sum { start: Start::Named(name), terms: Vec::new() }]
        } else {
            maximum
        });
    }
    let equations = roots.iter().map(|root| maxima[root.index()].clone()).collect();
    Equations { symbols, states, definitions, equations }
}

impl Sum {
    fn plus(&self, symbol: u32) -> Self {
        let mut sum = self.clone();
        match sum.terms.binary_search_by_key(&symbol, |term| term.0) {
            Ok(position) => sum.terms[position].1 += 1,
            Err(position) => sum.terms.insert(position, (symbol, 1)),
        }
        sum
    }

    /// Whether this sum is never later than `other`: costs and times are not negative.
    fn dominated_by(&self, other: &Self) -> bool {
        let starts_earlier = self.start == other.start || self.start == Start::Zero;
        starts_earlier
            && self.terms.iter().all(|(symbol, count)| {
                other.terms.binary_search_by_key(symbol, |term| term.0).is_ok_and(|at| other.terms[at].1 >= *count)
            })
    }
}

fn prune(a: &Maximum, b: &Maximum) -> Maximum {
    let mut kept: Maximum = Vec::with_capacity(a.len() + b.len());
    for sum in a.iter().chain(b) {
        if kept.iter().any(|other| sum.dominated_by(other)) {
            continue;
        }
        kept.retain(|other| !other.dominated_by(sum));
        kept.push(sum.clone());
    }
    kept
}
