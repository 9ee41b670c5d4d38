//! Howard's policy iteration for the largest cycle ratio of one strongly connected component.

use std::collections::VecDeque;

use super::graph::{Graph, Grouped};

/// A cycle of an event graph, and how much time it takes per token.
#[derive(Debug, Clone, PartialEq)]
pub struct Cycle {
    /// `weight / tokens`: time per iteration.
    pub ratio: f64,
    /// Sum of the weights.
    pub weight: f64,
    /// Sum of the tokens: how many iterations one turn spans.
    pub tokens: u32,
    /// Indices of its edges, in order of time.
    pub edges: Vec<u32>,
}

/// The cycle with the largest ratio among those inside `component`, and for each of its nodes (in the
/// order of `component`) a potential `h` with `h(v) >= h(u) + weight - ratio * tokens` up to rounding.
///
/// Cochet-Terrasson, Cohen, Gaubert, Mc Gettrick, Quadrat 1998. `None` if the component has no cycle.
/// Every cycle must carry a token (see [`Graph`]).
#[must_use]
pub fn howard(graph: &Graph, component: &[u32]) -> Option<(Cycle, Vec<f64>)> {
    let incoming = graph.incoming();
    let mut scratch = Scratch::new(graph.nodes);
    scratch.solve(graph, &incoming, component)
}

/// Working memory that is shared by the components of one graph.
pub(crate) struct Scratch {
    /// Component to which a node belongs at the moment, as a stamp.
    stamp: Vec<u32>,
    round: u32,
    policy: Vec<u32>,
    potential: Vec<f64>,
    mark: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl Scratch {
    pub(crate) fn new(nodes: usize) -> Self {
        Self {
            stamp: vec![0; nodes],
            round: 0,
            policy: vec![NONE; nodes],
            potential: vec![0.0; nodes],
            mark: vec![NONE; nodes],
        }
    }

    pub(crate) fn solve(
        &mut self,
        graph: &Graph,
        incoming: &Grouped,
        component: &[u32],
    ) -> Option<(Cycle, Vec<f64>)> {
        self.round += 1;
        for node in component {
            self.stamp[*node as usize] = self.round;
        }
        if !self.first_policy(graph, incoming, component) {
            return None;
        }
        let mut best = self.heaviest_policy_cycle(graph, component);
        let mut unchanged = 0;
        // Policy iteration ends in few rounds; the limits only guard against rounding that flips a
        // tie for ever. Whatever they cut off shows in the certificate's bound.
        for _ in 0..component.len() + 1000 {
            self.evaluate_policy(graph, incoming, component, &best);
            if !self.improve(graph, incoming, component, best.ratio) {
                break;
            }
            let next = self.heaviest_policy_cycle(graph, component);
            if next.ratio > best.ratio {
                best = next;
                unchanged = 0;
            } else {
                unchanged += 1;
                if unchanged > 100 {
                    break;
                }
            }
        }
        let potential = component.iter().map(|node| self.potential[*node as usize]).collect();
        Some((best, potential))
    }

    fn inside<'a>(
        &'a self,
        graph: &'a Graph,
        incoming: &'a Grouped,
        node: u32,
    ) -> impl Iterator<Item = u32> + 'a {
        let inside = move |edge: &u32| self.stamp[graph.edges[*edge as usize].from as usize] == self.round;
        incoming.of(node).iter().copied().filter(inside)
    }

    fn first_policy(&mut self, graph: &Graph, incoming: &Grouped, component: &[u32]) -> bool {
        for &node in component {
            let weight = |edge: &u32| graph.edges[*edge as usize].weight;
            let heaviest = self.inside(graph, incoming, node).max_by(|a, b| weight(a).total_cmp(&weight(b)));
            let Some(edge) = heaviest else { return false };
            self.policy[node as usize] = edge;
        }
        true
    }

    /// Each node has one policy edge into it, so going backwards ends in a cycle from everywhere.
    fn heaviest_policy_cycle(&mut self, graph: &Graph, component: &[u32]) -> Cycle {
        for &node in component {
            self.mark[node as usize] = NONE;
        }
        let mut best: Option<Cycle> = None;
        for (walk, &start) in component.iter().enumerate() {
            let walk = u32::try_from(walk).expect("node count fits u32");
            let mut node = start;
            while self.mark[node as usize] == NONE {
                self.mark[node as usize] = walk;
                node = graph.edges[self.policy[node as usize] as usize].from;
            }
            if self.mark[node as usize] == walk {
                let cycle = self.policy_cycle(graph, node);
                if best.as_ref().is_none_or(|known| cycle.ratio > known.ratio) {
                    best = Some(cycle);
                }
            }
        }
        best.expect("a graph with an edge into every node has a cycle")
    }

    fn policy_cycle(&self, graph: &Graph, on_cycle: u32) -> Cycle {
        let mut edges = Vec::new();
        let mut node = on_cycle;
        loop {
            let index = self.policy[node as usize];
            edges.push(index);
            node = graph.edges[index as usize].from;
            if node == on_cycle {
                break;
            }
        }
        edges.reverse();
        let weight: f64 = edges.iter().map(|edge| graph.edges[*edge as usize].weight).sum();
        let tokens: u32 = edges.iter().map(|edge| graph.edges[*edge as usize].tokens).sum();
        assert!(tokens > 0, "a cycle without a token could never start");
        Cycle { ratio: weight / f64::from(tokens), weight, tokens, edges }
    }

    /// Gives every node the potential that the policy means, seen from one node of the best cycle;
    /// nodes whose policy does not lead there are given an edge that does.
    fn evaluate_policy(&mut self, graph: &Graph, incoming: &Grouped, component: &[u32], best: &Cycle) {
        let root = graph.edges[best.edges[0] as usize].from;
        let followers = self.followers(graph, component);
        for &node in component {
            self.mark[node as usize] = NONE;
        }
        self.potential[root as usize] = 0.0;
        self.mark[root as usize] = 1;
        let mut reached = vec![root];
        let mut next = 0;
        while next < reached.len() {
            let node = reached[next];
            next += 1;
            for &edge in followers.of(node) {
                self.settle(graph, edge, best.ratio, &mut reached);
            }
        }
        // A component is strongly connected: sweeping over it reaches the rest.
        let mut rest: VecDeque<u32> =
            component.iter().copied().filter(|node| self.mark[*node as usize] == NONE).collect();
        while let Some(node) = rest.pop_front() {
            let known = self
                .inside(graph, incoming, node)
                .find(|edge| self.mark[graph.edges[*edge as usize].from as usize] != NONE);
            match known {
                Some(edge) => {
                    self.policy[node as usize] = edge;
                    self.settle(graph, edge, best.ratio, &mut reached);
                }
                None => rest.push_back(node),
            }
        }
    }

    fn settle(&mut self, graph: &Graph, edge: u32, ratio: f64, reached: &mut Vec<u32>) {
        let edge = graph.edges[edge as usize];
        if self.mark[edge.to as usize] == NONE {
            self.mark[edge.to as usize] = 1;
            self.potential[edge.to as usize] =
                self.potential[edge.from as usize] + edge.weight - ratio * f64::from(edge.tokens);
            reached.push(edge.to);
        }
    }

    fn followers(&self, graph: &Graph, component: &[u32]) -> Followers {
        let mut pairs: Vec<(u32, u32)> = component
            .iter()
            .map(|node| self.policy[*node as usize])
            .map(|edge| (graph.edges[edge as usize].from, edge))
            .collect();
        pairs.sort_unstable();
        Followers { sources: pairs.iter().map(|p| p.0).collect(), edges: pairs.iter().map(|p| p.1).collect() }
    }

    /// One sweep in topological order of the edges without tokens; whether anything became later.
    fn improve(&mut self, graph: &Graph, incoming: &Grouped, component: &[u32], ratio: f64) -> bool {
        let scale = component.iter().map(|n| self.potential[*n as usize].abs()).fold(ratio.abs(), f64::max);
        let tolerance = 4.0 * f64::EPSILON * scale;
        let mut improved = false;
        for &node in component {
            let mut best = (self.potential[node as usize] + tolerance, NONE);
            for index in self.inside(graph, incoming, node) {
                let edge = graph.edges[index as usize];
                let candidate =
                    self.potential[edge.from as usize] + edge.weight - ratio * f64::from(edge.tokens);
                if candidate > best.0 {
                    best = (candidate, index);
                }
            }
            if best.1 != NONE {
                self.potential[node as usize] = best.0;
                self.policy[node as usize] = best.1;
                improved = true;
            }
        }
        improved
    }
}

/// Policy edges by the node that they leave.
struct Followers {
    sources: Vec<u32>,
    edges: Vec<u32>,
}

impl Followers {
    fn of(&self, node: u32) -> &[u32] {
        let start = self.sources.partition_point(|source| *source < node);
        let end = self.sources.partition_point(|source| *source <= node);
        &self.edges[start..end]
    }
}
