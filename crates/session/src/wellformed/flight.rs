//! Messages in flight: protocols whose sends and receives are written apart must still deliver every
//! message to the receive that names it, in order, and leave the channels at the end of a loop's
//! body as they were at its head.
//!
//! This is the syntactic side of asynchronous message optimisation (Definition 6.1): a receive never
//! moves before its own send, and the order on each channel is kept.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use diag::Diagnostic;

use crate::global::{GlobalType, Interaction, LoopId, Node, NodeId, Phase, RoleId};

type Pair = (RoleId, RoleId);
/// The sends in flight on each channel, oldest first; channels with nothing in flight are absent.
type Flight = BTreeMap<Pair, VecDeque<NodeId>>;

pub(super) fn check(global: &GlobalType) -> Vec<Diagnostic> {
    let separate = global.interactions().any(|(_, interaction)| interaction.phase != Phase::Whole);
    if !separate {
        return Vec::new();
    }
    let capacities =
        global.capacities.iter().map(|capacity| ((capacity.from, capacity.to), capacity.slots as usize));
    let mut walk = Walk {
        global,
        capacities: capacities.collect(),
        pending: BTreeMap::from([(global.root, Flight::new())]),
        heads: BTreeMap::new(),
        faulty: BTreeSet::new(),
        diagnostics: Vec::new(),
    };
    while let Some((node, flight)) = walk.pending.pop_last() {
        walk.visit(node, flight);
    }
    walk.diagnostics
}

struct Walk<'a> {
    global: &'a GlobalType,
    capacities: BTreeMap<Pair, usize>,
    pending: BTreeMap<NodeId, Flight>,
    /// What was in flight when a loop was entered.
    heads: BTreeMap<LoopId, Flight>,
    /// Channels about which something was said already: one fault is not repeated at every node.
    faulty: BTreeSet<Pair>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Walk<'a> {
    fn channel(&self, pair: Pair) -> String {
        format!("{} -> {}", self.global.role_name(pair.0), self.global.role_name(pair.1))
    }

    fn report(&mut self, pair: Pair, diagnostic: Diagnostic) {
        if self.faulty.insert(pair) {
            self.diagnostics.push(diagnostic);
        }
    }

    fn visit(&mut self, node: NodeId, mut flight: Flight) {
        match self.global.node(node) {
            Node::Interaction(interaction) => {
                self.interact(node, interaction, &mut flight);
                self.arrive(interaction.next, flight);
            }
            Node::Choice { branches, .. } => {
                for branch in branches {
                    self.arrive(branch.first, flight.clone());
                }
            }
            Node::Loop { id, body, .. } => {
                self.heads.insert(*id, flight.clone());
                self.arrive(*body, flight);
            }
            Node::Continue(id) => self.close_loop(*id, &flight),
            Node::End => self.end(&flight),
        }
    }

    /// Paths that meet must agree on what is in flight; otherwise a later receive would mean
    /// different messages on different paths.
    fn arrive(&mut self, node: NodeId, flight: Flight) {
        let Some(known) = self.pending.get(&node).cloned() else {
            self.pending.insert(node, flight);
            return;
        };
        for pair in known.keys().chain(flight.keys()).copied().collect::<BTreeSet<_>>() {
            let (here, there) = (known.get(&pair), flight.get(&pair));
            if self.labels(here) != self.labels(there) {
                let culprit = here.or(there).and_then(|queue| queue.back()).copied();
                self.disagree(pair, culprit, "paths of the protocol meet with different messages in flight");
            }
        }
    }

    fn labels(&self, queue: Option<&VecDeque<NodeId>>) -> Vec<&'a str> {
        queue.into_iter().flatten().map(|node| self.global.interaction(*node).label.as_str()).collect()
    }

    fn disagree(&mut self, pair: Pair, culprit: Option<NodeId>, message: &str) {
        let channel = self.channel(pair);
        let mut diagnostic = Diagnostic::error("S205", format!("{message} on {channel}"));
        if let Some(node) = culprit {
            diagnostic =
                diagnostic.at(self.global.interaction(node).span, "still in flight on one path only");
        }
        self.report(pair, diagnostic.help("receive it on every path, or send it on every path"));
    }

    fn close_loop(&mut self, id: LoopId, flight: &Flight) {
        let head = self.heads[&id].clone();
        let name = &self.global.loops[id.index()].name;
        for pair in head.keys().chain(flight.keys()).copied().collect::<BTreeSet<_>>() {
            let (before, after) = (self.labels(head.get(&pair)), self.labels(flight.get(&pair)));
            if before == after {
                continue;
            }
            let place = flight.get(&pair).or(head.get(&pair)).and_then(|queue| queue.back()).copied();
            let grows = after.len() > before.len();
            let cause = if grows { "grows by" } else { "changes; it loses or swaps" };
            let message = format!(
                "the loop `{name}` does not leave {} as it found it: each iteration it {cause} {}",
                self.channel(pair),
                if grows {
                    format!("{} message(s)", after.len() - before.len())
                } else {
                    "messages".to_owned()
                },
            );
            let mut diagnostic = Diagnostic::error("S205", message);
            if let Some(node) = place {
                diagnostic = diagnostic.at(self.global.interaction(node).span, "in flight here");
            }
            diagnostic = diagnostic
                .at(self.global.loops[id.index()].span, "this loop")
                .help("in each iteration receive on a channel as many messages as are sent on it, in the same order");
            self.report(pair, diagnostic);
        }
    }

    fn end(&mut self, flight: &Flight) {
        for (pair, queue) in flight {
            let send = self.global.interaction(queue[0]);
            let diagnostic = Diagnostic::error(
                "S206",
                format!("the message `{}` on {} is never received", send.label, self.channel(*pair)),
            )
            .at(send.span, "sent here")
            .help(format!(
                "add `recv {}(..) at {} from {};` after the send",
                send.label,
                self.global.role_name(pair.1),
                self.global.role_name(pair.0)
            ));
            self.report(*pair, diagnostic);
        }
    }

    fn interact(&mut self, node: NodeId, interaction: &'a Interaction, flight: &mut Flight) {
        let pair = (interaction.from, interaction.to);
        match interaction.phase {
            Phase::Send => {
                let queue = flight.entry(pair).or_default();
                queue.push_back(node);
                self.check_capacity(pair, interaction, queue.len());
            }
            Phase::Receive => self.receive(pair, interaction, flight),
            Phase::Whole => {
                if let Some(first) = flight.get(&pair).and_then(|queue| queue.front()) {
                    let first = self.global.interaction(*first);
                    let diagnostic = Diagnostic::error(
                        "S207",
                        format!("the message `{}` would overtake `{}` on {}", interaction.label, first.label, self.channel(pair)),
                    )
                    .at(interaction.span, "sent and received here")
                    .at(first.span, "still in flight")
                    .help("channels keep their order: receive the earlier message first, or send this one with `~>`");
                    self.report(pair, diagnostic);
                }
            }
        }
    }

    fn receive(&mut self, pair: Pair, interaction: &Interaction, flight: &mut Flight) {
        let Some(queue) = flight.get_mut(&pair) else {
            let (sender, receiver) = (self.global.role_name(pair.0), self.global.role_name(pair.1));
            let diagnostic = Diagnostic::error(
                "S204",
                format!("`{receiver}` receives `{}` from `{sender}` before it was sent", interaction.label),
            )
            .at(interaction.span, format!("nothing is in flight on {} here", self.channel(pair)))
            .help(format!("put `{}(..) from {sender} ~> {receiver};` before it", interaction.label));
            return self.report(pair, diagnostic);
        };
        let sent = queue.pop_front().expect("absent channels are removed");
        if queue.is_empty() {
            flight.remove(&pair);
        }
        let send = self.global.interaction(sent);
        let bases = |interaction: &'_ Interaction| -> Vec<String> {
            interaction.payload.iter().map(|payload| payload.base.clone()).collect()
        };
        if send.label != interaction.label || bases(send) != bases(interaction) {
            let diagnostic = Diagnostic::error(
                "S204",
                format!("the next message on {} is `{}`, not `{}`", self.channel(pair), send.label, interaction.label),
            )
            .at(interaction.span, format!("`{}` is expected here", interaction.label))
            .at(send.span, "this message arrives first")
            .help("channels keep their order: receive the messages in the order in which they are sent, with their payloads");
            self.report(pair, diagnostic);
        }
    }

    fn check_capacity(&mut self, pair: Pair, interaction: &Interaction, in_flight: usize) {
        let Some(&slots) = self.capacities.get(&pair) else { return };
        if in_flight <= slots {
            return;
        }
        let diagnostic = Diagnostic::error(
            "S208",
            format!("message {in_flight} in flight on {}, which holds {slots}", self.channel(pair)),
        )
        .at(interaction.span, "this send waits for a receive that comes after it")
        .help("raise the capacity in the header, or move a receive before this send");
        self.report(pair, diagnostic);
    }
}
