//! Cost equations: the time of every role as a maximum of sums, with dominated sums left out.

use std::collections::HashMap;
use std::sync::Arc;

use cost::Formula;
use cost::expr::{Atom, Expr, ExprId, Pool};

use super::charges::{Charge, ChargeKind, Charges};
use crate::global::{GlobalType, RoleId};

/// Something that is added: a step of the transport, or a computation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Symbol {
    /// `send(P,Q,size)` and the like; a size that nobody stated is named after the message.
    Transport(ChargeKind, RoleId, RoleId, Arc<Formula>),
    /// A computation, by its formula.
    Compute(Arc<Formula>),
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
    /// Names of the roles that the symbols speak of.
    pub roles: Vec<String>,
    /// The symbols.
    pub symbols: Vec<Symbol>,
    /// Names of the state variables; empty for a protocol without loops.
    pub states: Vec<String>,
    /// Shared subterms that were given a name because the equations would explode without.
    pub definitions: Vec<Maximum>,
    /// One equation per state variable (roles first), or per role in a protocol without loops.
    pub equations: Vec<Maximum>,
}

/// Most sums of a maximum, and most symbols in them together, that are written out; beyond, subterms
/// get names.
const SUM_LIMIT: usize = 24;
const SYMBOL_LIMIT: usize = 96;

/// The symbols of a protocol and the atom of each charge: equal symbols are one atom.
pub(super) fn symbols(global: &GlobalType, charges: &Charges) -> (Vec<Symbol>, Vec<Atom>) {
    // Only looked up, never iterated.
    let mut index: HashMap<Symbol, u32> = HashMap::new();
    let mut symbols = Vec::new();
    let mut atoms = vec![Atom(0); charges.list.len()];
    // Numbered in the order of the text, which is the order in which sums are printed.
    let mut order: Vec<usize> = (0..charges.list.len()).collect();
    order.sort_by_key(|position| (std::cmp::Reverse(charges.list[*position].site), *position));
    for position in order {
        let next = u32::try_from(symbols.len()).expect("symbol count fits u32");
        let symbol = symbol(global, &charges.list[position]);
        atoms[position] = Atom(*index.entry(symbol).or_insert_with_key(|symbol| {
            symbols.push(symbol.clone());
            next
        }));
    }
    (symbols, atoms)
}

fn symbol(global: &GlobalType, charge: &Charge) -> Symbol {
    let size = || Arc::new(Formula::name(&format!("size_{}", global.interaction(charge.site).label)));
    match &charge.amount {
        Some(time) if charge.kind.is_computation() => Symbol::Compute(time.clone()),
        size_given => {
            let size = size_given.clone().unwrap_or_else(size);
            Symbol::Transport(charge.kind, charge.from, charge.to, size)
        }
    }
}

/// Turns expressions into maxima of sums. Linear in the pool: what would grow too large gets a name.
pub(super) fn write(
    global: &GlobalType,
    pool: &Pool,
    roots: &[ExprId],
    symbols: Vec<Symbol>,
    states: Vec<String>,
) -> Equations {
    let mut users = users(pool, roots);
    let mut maxima: Vec<Maximum> = Vec::with_capacity(users.len());
    let mut definitions = Vec::new();
    // The last user of an operand takes it over instead of copying it.
    let mut operand = |maxima: &mut Vec<Maximum>, id: ExprId| {
        users[id.index()] -= 1;
        if users[id.index()] == 0 {
            std::mem::take(&mut maxima[id.index()])
        } else {
            maxima[id.index()].clone()
        }
    };
    for (index, used) in pool.reachable(roots).into_iter().enumerate() {
        if !used {
            maxima.push(Vec::new());
            continue;
        }
        let id = ExprId(u32::try_from(index).expect("pool ids fit u32"));
        let maximum = match pool.get(id) {
            Expr::Zero => vec![Sum { start: Start::Zero, terms: Vec::new() }],
            Expr::State(state) => vec![Sum { start: Start::State(state), terms: Vec::new() }],
            Expr::Plus(time, atom) => {
                let mut maximum = operand(&mut maxima, time);
                maximum.iter_mut().for_each(|sum| sum.add(atom.0));
                maximum
            }
            Expr::Max(a, b) => {
                let first = operand(&mut maxima, a);
                prune(first, operand(&mut maxima, b))
            }
        };
        let large = maximum.len() > SUM_LIMIT
            || maximum.iter().map(|sum| sum.terms.len()).sum::<usize>() >= SYMBOL_LIMIT;
        maxima.push(if large {
            let name = u32::try_from(definitions.len()).expect("definition count fits u32");
            definitions.push(maximum);
            vec![Sum { start: Start::Named(name), terms: Vec::new() }]
        } else {
            maximum
        });
    }
    let equations = roots.iter().map(|root| maxima[root.index()].clone()).collect();
    let roles = global.roles.iter().map(|role| role.name.clone()).collect();
    Equations { roles, symbols, states, definitions, equations }
}

/// How often each expression is an operand of a reachable one, or a root.
fn users(pool: &Pool, roots: &[ExprId]) -> Vec<u32> {
    let used = pool.reachable(roots);
    let mut users = vec![0u32; used.len()];
    for (index, _) in used.iter().enumerate().filter(|(_, used)| **used) {
        match pool.get(ExprId(u32::try_from(index).expect("pool ids fit u32"))) {
            Expr::Zero | Expr::State(_) => {}
            Expr::Plus(time, _) => users[time.index()] += 1,
            Expr::Max(a, b) => {
                users[a.index()] += 1;
                users[b.index()] += 1;
            }
        }
    }
    for root in roots {
        users[root.index()] += 1;
    }
    users
}

impl Sum {
    fn add(&mut self, symbol: u32) {
        match self.terms.binary_search_by_key(&symbol, |term| term.0) {
            Ok(position) => self.terms[position].1 += 1,
            Err(position) => self.terms.insert(position, (symbol, 1)),
        }
    }

    /// Whether this sum is never later than `other`: costs and times are not negative.
    fn dominated_by(&self, other: &Self) -> bool {
        let starts_earlier = self.start == other.start || self.start == Start::Zero;
        starts_earlier
            && self.terms.iter().all(|(symbol, count)| {
                other
                    .terms
                    .binary_search_by_key(symbol, |term| term.0)
                    .is_ok_and(|at| other.terms[at].1 >= *count)
            })
    }
}

fn prune(a: Maximum, b: Maximum) -> Maximum {
    let mut kept = a;
    for sum in b {
        if kept.iter().any(|other| sum.dominated_by(other)) {
            continue;
        }
        kept.retain(|other| !other.dominated_by(&sum));
        kept.push(sum);
    }
    kept
}
