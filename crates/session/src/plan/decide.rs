//! Which branches a bounded run takes: loops go on until their last iteration and then leave if they
//! can; where several branches remain, their probabilities decide, by a seeded generator.

use std::collections::BTreeSet;
use std::rc::Rc;

use cost::Environment;
use diag::Diagnostic;

use crate::global::{Branch, GlobalType, LoopId, Node, NodeId, RoleId};

/// Interactions that one run may have.
const STEP_LIMIT: u64 = 100_000_000;

/// For each role the branches that it picks, as indices into its send states, in order.
pub(super) fn decisions(
    global: &GlobalType,
    environment: &Environment,
    iterations: &[u64],
    seed: u64,
) -> Result<Vec<Vec<u32>>, Vec<Diagnostic>> {
    let mut picked = vec![Vec::new(); global.roles.len()];
    if !global.nodes.iter().any(|node| matches!(node, Node::Choice { .. })) {
        return Ok(picked);
    }
    let mut walk = Walk {
        global,
        environment,
        iterations,
        continued: continued_loops(global),
        generator: Generator(seed),
        active: Vec::new(),
    };
    let mut node = global.root;
    for _ in 0..STEP_LIMIT {
        match walk.step(node, &mut picked)? {
            Some(next) => node = next,
            None => return Ok(picked),
        }
    }
    let at = global.loops.first().map(|repeated| repeated.span).unwrap_or_default();
    Err(vec![
        Diagnostic::error("S308", format!("this run would take more than {STEP_LIMIT} steps"))
            .at(at, "this loop among others")
            .help("run fewer iterations"),
    ])
}

struct Walk<'a> {
    global: &'a GlobalType,
    environment: &'a Environment,
    iterations: &'a [u64],
    continued: Vec<Rc<BTreeSet<LoopId>>>,
    generator: Generator,
    /// Loops that are running, outermost first, with the pass they are in (from 1).
    active: Vec<(LoopId, u64)>,
}

impl Walk<'_> {
    fn step(&mut self, node: NodeId, picked: &mut [Vec<u32>]) -> Result<Option<NodeId>, Vec<Diagnostic>> {
        Ok(match self.global.node(node) {
            Node::End => None,
            Node::Interaction(interaction) => Some(interaction.next),
            Node::Loop { id, body, exit } => {
                self.leave_loops_before(*exit);
                let runs = self.iterations[id.index()] > 0;
                if runs {
                    self.active.push((*id, 1));
                }
                Some(if runs { *body } else { *exit })
            }
            Node::Continue(id) => Some(self.next_pass(*id)),
            Node::Choice { at, .. } => Some(self.choose(node, *at, picked)?),
        })
    }

    fn next_pass(&mut self, id: LoopId) -> NodeId {
        while self.active.last().is_some_and(|(active, _)| *active != id) {
            self.active.pop();
        }
        let (_, pass) = self.active.last_mut().expect("a loop that is continued is running");
        let Node::Loop { body, exit, .. } = *self.global.node(self.global.loops[id.index()].node) else {
            panic!("a loop's node is a loop")
        };
        if *pass < self.iterations[id.index()] {
            *pass += 1;
            return body;
        }
        self.active.pop();
        exit
    }

    /// Forgets loops that the walk has left by a path without `continue`: their text lies behind.
    fn leave_loops_before(&mut self, node: NodeId) {
        while let Some((id, _)) = self.active.last() {
            match *self.global.node(self.global.loops[id.index()].node) {
                Node::Loop { exit, .. } if node < exit => self.active.pop(),
                _ => return,
            };
        }
    }

    /// Walks down to a message through choices of the same role that are nested without a message
    /// between them: the role sees them as one.
    fn choose(
        &mut self,
        node: NodeId,
        at: RoleId,
        picked: &mut [Vec<u32>],
    ) -> Result<NodeId, Vec<Diagnostic>> {
        self.leave_loops_before(node);
        let (mut node, mut index) = (node, 0);
        let mut several = false;
        while let Node::Choice { at: inner, branches, span } = self.global.node(node)
            && *inner == at
        {
            let choice = self.pick(branches, *span)?;
            index += branches[..choice].iter().map(|branch| self.leaves(at, branch.first)).sum::<u32>();
            several |= branches.len() > 1;
            node = branches[choice].first;
        }
        if several {
            picked[at.index()].push(index);
        }
        Ok(node)
    }

    /// Number of actions that a branch contributes to the role's send state.
    fn leaves(&self, at: RoleId, node: NodeId) -> u32 {
        match self.global.node(node) {
            Node::Choice { at: inner, branches, .. } if *inner == at => {
                branches.iter().map(|branch| self.leaves(at, branch.first)).sum()
            }
            _ => 1,
        }
    }

    fn pick(&mut self, branches: &[Branch], span: diag::Span) -> Result<usize, Vec<Diagnostic>> {
        let mut allowed: Vec<usize> = (0..branches.len()).collect();
        for (id, pass) in self.active.iter().rev() {
            let goes_on = |index: &usize| self.continued[branches[*index].first.index()].contains(id);
            let last = *pass >= self.iterations[id.index()];
            let wanted: Vec<usize> = allowed.iter().copied().filter(|index| goes_on(index) != last).collect();
            if !wanted.is_empty() {
                allowed = wanted;
            }
            if allowed.iter().all(goes_on) {
                break;
            }
        }
        if let [only] = allowed.as_slice() {
            return Ok(*only);
        }
        let weights = self.weights(branches, &allowed, span)?;
        let mut draw = self.generator.next_unit() * weights.iter().sum::<f64>();
        for (index, weight) in allowed.iter().zip(&weights) {
            draw -= weight;
            if draw < 0.0 {
                return Ok(*index);
            }
        }
        Ok(allowed[allowed.len() - 1])
    }

    /// Probabilities of the allowed branches; those without one share what is left equally.
    fn weights(
        &self,
        branches: &[Branch],
        allowed: &[usize],
        span: diag::Span,
    ) -> Result<Vec<f64>, Vec<Diagnostic>> {
        let mut given = Vec::with_capacity(branches.len());
        for branch in branches {
            let value =
                branch.probability.as_ref().map(|formula| formula.evaluate(self.environment)).transpose();
            match value {
                Ok(value) if value.is_none_or(|value| (0.0..=1.0).contains(&value)) => given.push(value),
                Ok(value) => {
                    return Err(vec![no_probability(span, &format!("it is {}", value.unwrap_or(0.0)))]);
                }
                Err(cause) => return Err(vec![no_probability(span, &cause.to_string())]),
            }
        }
        let known: f64 = given.iter().flatten().sum();
        if known > 1.0 + 1e-9 {
            return Err(vec![no_probability(span, &format!("together they are {known}"))]);
        }
        let open = given.iter().filter(|value| value.is_none()).count();
        let share = if open > 0 { ((1.0 - known) / open as f64).max(0.0) } else { 0.0 };
        let weights: Vec<f64> = allowed.iter().map(|index| given[*index].unwrap_or(share)).collect();
        // Branches that are taken only because a loop must end may have probability 0.
        Ok(if weights.iter().sum::<f64>() > 0.0 { weights } else { vec![1.0; allowed.len()] })
    }
}

fn no_probability(span: diag::Span, cause: &str) -> Diagnostic {
    Diagnostic::error("S315", format!("a branch has no valid probability: {cause}"))
        .at(span, "of this choice")
        .help("probabilities lie between 0 and 1, add up to at most 1, and use only parameters with a value")
}

/// For each node the loops around it that some path from it continues.
fn continued_loops(global: &GlobalType) -> Vec<Rc<BTreeSet<LoopId>>> {
    let mut sets: Vec<Rc<BTreeSet<LoopId>>> = Vec::with_capacity(global.nodes.len());
    for node in &global.nodes {
        let set = match node {
            Node::End => Rc::default(),
            Node::Continue(id) => Rc::new(BTreeSet::from([*id])),
            Node::Interaction(interaction) => sets[interaction.next.index()].clone(),
            Node::Choice { branches, .. } => Rc::new(
                branches.iter().flat_map(|branch| sets[branch.first.index()].iter().copied()).collect(),
            ),
            Node::Loop { id, body, exit } => {
                let inside = sets[body.index()].iter().filter(|inner| *inner != id);
                Rc::new(inside.chain(sets[exit.index()].iter()).copied().collect())
            }
        };
        sets.push(set);
    }
    sets
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, seeded, the same everywhere.
struct Generator(u64);

impl Generator {
    /// Uniform in [0, 1).
    fn next_unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
}
