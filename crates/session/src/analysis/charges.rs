//! What each interaction costs, as a table of charges that every evaluation shares.

use std::sync::Arc;

use cost::{Environment, Formula};

use crate::global::{GlobalType, Interaction, Node, NodeId, Phase, RoleId};

/// What a charge pays for. The names are the operations of a cost model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChargeKind {
    /// Computation at the sender before sending.
    Pre,
    /// Handing the message to the transport: `o_send`, or `T_send` of the paper.
    Send,
    /// From the transport's taking the message to its arrival.
    Latency,
    /// Waking a receiver that waits; paid on the edge, so only when the receiver has to wait.
    Wake,
    /// Taking a message that is there: `o_recv`, or `T_recv` of the paper.
    Receive,
    /// Computation at the receiver after receiving.
    Compute,
}

impl ChargeKind {
    /// Name of the operation in a cost model.
    #[must_use]
    pub fn operation(self) -> &'static str {
        match self {
            ChargeKind::Pre | ChargeKind::Compute => "compute",
            ChargeKind::Send => "send",
            ChargeKind::Latency => "latency",
            ChargeKind::Wake => "wake",
            ChargeKind::Receive => "recv",
        }
    }

    /// Whether the charge is a computation, given by the protocol, and not a step of the transport.
    #[must_use]
    pub fn is_computation(self) -> bool {
        matches!(self, ChargeKind::Pre | ChargeKind::Compute)
    }
}

/// One cost of one interaction.
#[derive(Debug, Clone, PartialEq)]
pub struct Charge {
    /// What for.
    pub kind: ChargeKind,
    /// The interaction.
    pub site: NodeId,
    /// The sender.
    pub from: RoleId,
    /// The receiver.
    pub to: RoleId,
    /// For a computation its time, for a step of the transport the size in bytes; `None` for a
    /// payload whose size nobody stated. Parameters with known values are filled in.
    pub amount: Option<Arc<Formula>>,
}

impl Charge {
    /// The role that spends the time; for charges on the edge the receiver, who waits for it.
    #[must_use]
    pub fn payer(&self) -> RoleId {
        match self.kind {
            ChargeKind::Pre | ChargeKind::Send => self.from,
            _ => self.to,
        }
    }
}

/// The charges of one interaction, as indices into [`Charges::list`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Steps {
    /// [`ChargeKind::Pre`].
    pub pre: Option<u32>,
    /// [`ChargeKind::Send`].
    pub send: Option<u32>,
    /// [`ChargeKind::Latency`].
    pub latency: Option<u32>,
    /// [`ChargeKind::Wake`].
    pub wake: Option<u32>,
    /// [`ChargeKind::Receive`].
    pub receive: Option<u32>,
    /// [`ChargeKind::Compute`].
    pub compute: Option<u32>,
}

/// Which steps of a transport a cost model tells apart. Sending and receiving always have a price.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// The model prices the edge.
    pub latency: bool,
    /// The model prices waking.
    pub wake: bool,
}

/// All charges of a protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Charges {
    /// The charges, in order of the arena.
    pub list: Vec<Charge>,
    steps: Vec<Steps>,
}

impl Charges {
    /// Lists the charges of a protocol. Parameters that `environment` knows are filled in.
    #[must_use]
    pub fn new(global: &GlobalType, vocabulary: Vocabulary, environment: &Environment) -> Self {
        let mut charges = Self { list: Vec::new(), steps: Vec::with_capacity(global.nodes.len()) };
        for (index, node) in global.nodes.iter().enumerate() {
            let steps = match node {
                Node::Interaction(interaction) => {
                    let site = NodeId(u32::try_from(index).expect("node count fits u32"));
                    charges.charge(site, interaction, vocabulary, environment)
                }
                _ => Steps::default(),
            };
            charges.steps.push(steps);
        }
        charges
    }

    /// The charges of an interaction.
    #[must_use]
    pub fn steps(&self, site: NodeId) -> Steps {
        self.steps[site.index()]
    }

    fn charge(
        &mut self,
        site: NodeId,
        interaction: &Interaction,
        vocabulary: Vocabulary,
        environment: &Environment,
    ) -> Steps {
        let fill = |formula: &Option<Formula>| {
            formula.as_ref().map(|formula| Arc::new(formula.substitute(environment)))
        };
        let (size, pre, compute) = (fill(&interaction.size), fill(&interaction.pre), fill(&interaction.cost));
        let mut add = |kind: ChargeKind, amount: Option<Arc<Formula>>| {
            let index = u32::try_from(self.list.len()).expect("charge count fits u32");
            self.list.push(Charge { kind, site, from: interaction.from, to: interaction.to, amount });
            Some(index)
        };
        let mut steps = Steps::default();
        let free = |amount: &Arc<Formula>| amount.as_number() == Some(0.0);
        if interaction.phase != Phase::Receive {
            if let Some(time) = pre.filter(|time| !free(time)) {
                steps.pre = add(ChargeKind::Pre, Some(time));
            }
            steps.send = add(ChargeKind::Send, size.clone());
            if vocabulary.latency {
                steps.latency = add(ChargeKind::Latency, size.clone());
            }
            if vocabulary.wake {
                steps.wake = add(ChargeKind::Wake, size.clone());
            }
        }
        if interaction.phase != Phase::Send {
            steps.receive = add(ChargeKind::Receive, size);
            if let Some(time) = compute.filter(|time| !free(time)) {
                steps.compute = add(ChargeKind::Compute, Some(time));
            }
        }
        steps
    }
}
