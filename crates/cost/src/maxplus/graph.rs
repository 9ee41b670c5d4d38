/// An edge of a timed event graph: `to` happens at least `weight` after `from`, `tokens` iterations ago.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// The earlier event.
    pub from: u32,
    /// The later event.
    pub to: u32,
    /// Time between them.
    pub weight: f64,
    /// How many iterations back the earlier event lies.
    pub tokens: u32,
}

/// A timed event graph. Every cycle carries at least one token, otherwise nothing could ever start.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// Number of events.
    pub nodes: usize,
    /// The edges.
    pub edges: Vec<Edge>,
}

impl Graph {
    /// For each node the indices of the edges that lead into it.
    pub(crate) fn incoming(&self) -> Grouped {
        Grouped::new(self.nodes, self.edges.iter().map(|edge| edge.to))
    }

    /// For each node the indices of the edges that leave it.
    pub(crate) fn outgoing(&self) -> Grouped {
        Grouped::new(self.nodes, self.edges.iter().map(|edge| edge.from))
    }

    /// Strongly connected components, each after all those from which it can be reached.
    ///
    /// Tarjan's algorithm (1972) without recursion.
    #[must_use]
    pub fn components(&self) -> Vec<Vec<u32>> {
        let outgoing = self.outgoing();
        let mut search = Tarjan::new(self.nodes);
        for root in 0..self.nodes {
            search.visit(u32::try_from(root).expect("node count fits u32"), self, &outgoing);
        }
        // Tarjan finishes a component after everything that it reaches.
        search.components.reverse();
        search.components
    }
}

/// Edge indices grouped by node, in compressed rows.
pub(crate) struct Grouped {
    starts: Vec<u32>,
    members: Vec<u32>,
}

impl Grouped {
    fn new(nodes: usize, keys: impl Iterator<Item = u32> + Clone) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        for key in keys.clone() {
            starts[key as usize + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut place = starts.clone();
        let mut members = vec![0u32; starts[nodes] as usize];
        for (index, key) in keys.enumerate() {
            members[place[key as usize] as usize] = u32::try_from(index).expect("edge count fits u32");
            place[key as usize] += 1;
        }
        Self { starts, members }
    }

    pub(crate) fn of(&self, node: u32) -> &[u32] {
        &self.members[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }
}

struct Tarjan {
    index: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<u32>,
    next_index: u32,
    components: Vec<Vec<u32>>,
}

const UNSEEN: u32 = u32::MAX;

impl Tarjan {
    fn new(nodes: usize) -> Self {
        Self {
            index: vec![UNSEEN; nodes],
            low: vec![0; nodes],
            on_stack: vec![false; nodes],
            stack: Vec::new(),
            next_index: 0,
            components: Vec::new(),
        }
    }

    fn enter(&mut self, node: u32) {
        self.index[node as usize] = self.next_index;
        self.low[node as usize] = self.next_index;
        self.next_index += 1;
        self.stack.push(node);
        self.on_stack[node as usize] = true;
    }

    fn visit(&mut self, root: u32, graph: &Graph, outgoing: &Grouped) {
        if self.index[root as usize] != UNSEEN {
            return;
        }
        self.enter(root);
        let mut path = vec![(root, 0usize)];
        while let Some((node, edge)) = path.last_mut() {
            let node = *node;
            if let Some(&index) = outgoing.of(node).get(*edge) {
                *edge += 1;
                let next = graph.edges[index as usize].to;
                if self.index[next as usize] == UNSEEN {
                    self.enter(next);
                    path.push((next, 0));
                } else if self.on_stack[next as usize] {
                    self.low[node as usize] = self.low[node as usize].min(self.index[next as usize]);
                }
            } else {
                path.pop();
                self.leave(node);
                if let Some((parent, _)) = path.last() {
                    let parent = *parent as usize;
                    self.low[parent] = self.low[parent].min(self.low[node as usize]);
                }
            }
        }
    }

    fn leave(&mut self, node: u32) {
        if self.low[node as usize] != self.index[node as usize] {
            return;
        }
        let start = self.stack.iter().rposition(|member| *member == node).expect("a root is on the stack");
        let mut component = self.stack.split_off(start);
        for member in &component {
            self.on_stack[*member as usize] = false;
        }
        component.sort_unstable();
        self.components.push(component);
    }
}
