//! A role's plan, checked once and laid out for execution.

use std::collections::{BTreeMap, BTreeSet};

use session::global::{LoopId, NodeId};
use session::plan::{Channel, Input, Output, Plan, PlanState};

use crate::error::{Activity, RigError, Waiting};

/// A role's machine with channels and loops resolved to dense indices. States keep their numbers.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) role: usize,
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
    pub(crate) start: usize,
    pub(crate) decisions: Vec<u32>,
    /// Channels into which the role sends, as indices into the plan's channels, ascending.
    pub(crate) outgoing: Vec<usize>,
    /// Channels from which the role receives, likewise.
    pub(crate) incoming: Vec<usize>,
    /// Bytes of the largest message that the role sends.
    pub(crate) largest: usize,
    /// Number of distinct loops.
    pub(crate) loops: usize,
    /// Names of all roles, for messages.
    peers: Vec<String>,
}

/// One state.
#[derive(Debug)]
pub(crate) enum Step {
    End,
    Send(Vec<Emit>),
    Receive { slot: usize, smallest: usize, accepts: Vec<Accept> },
    Loop { slot: usize, id: LoopId, iterations: u64, body: usize, exit: usize, outermost: bool },
    Continue { slot: usize },
}

/// A message that a state may send.
#[derive(Debug)]
pub(crate) struct Emit {
    /// Index into [`Program::outgoing`].
    pub(crate) slot: usize,
    pub(crate) message: Message,
}

/// A message that a state may receive.
pub(crate) type Accept = Message;

/// What is known of a message, at either end.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) tag: u8,
    pub(crate) bytes: usize,
    /// Seconds before sending, or after receiving.
    pub(crate) compute: f64,
    pub(crate) origin: NodeId,
    pub(crate) next: usize,
    peer: usize,
    label: String,
}

impl Program {
    /// Lays out the machine of `role`.
    ///
    /// # Errors
    /// [`RigError::Plan`] if it refers to roles, channels, states or loops that do not exist, if a message is
    /// empty or larger than its channel allows, if a state's tags are not distinct, or if a cost is no time.
    pub(crate) fn new(plan: &Plan, role: usize) -> Result<Self, RigError> {
        let names = plan.roles.iter().map(|role| role.name.clone()).collect();
        let channels: BTreeMap<(usize, usize), (usize, &Channel)> =
            plan.channels.iter().enumerate().map(|(at, one)| ((one.from, one.to), (at, one))).collect();
        let machine = &plan.roles[role];
        let ids: BTreeSet<LoopId> = machine
            .states
            .iter()
            .filter_map(|state| if let PlanState::Loop { id, .. } = state { Some(*id) } else { None })
            .collect();
        let layout = Layout {
            plan,
            role,
            outgoing: used_channels(&channels, |from, _| from == role),
            incoming: used_channels(&channels, |_, to| to == role),
            channels,
            loops: ids.into_iter().enumerate().map(|(slot, id)| (id, slot)).collect(),
        };
        layout.check_state(machine.start)?;
        let steps: Vec<Step> =
            machine.states.iter().map(|state| layout.step(state)).collect::<Result<_, _>>()?;
        Ok(Self {
            role,
            name: machine.name.clone(),
            largest: layout.outgoing.iter().map(|&channel| plan.channels[channel].largest).max().unwrap_or(1),
            loops: layout.loops.len(),
            start: machine.start,
            decisions: machine.decisions.clone(),
            outgoing: layout.outgoing,
            incoming: layout.incoming,
            steps,
            peers: names,
        })
    }

    /// What the role waits for when it is at `activity` in `state`.
    pub(crate) fn waiting(&self, state: usize, activity: Activity) -> Waiting {
        let messages: Vec<&Message> = match self.steps.get(state) {
            Some(Step::Send(emits)) => emits.iter().map(|emit| &emit.message).collect(),
            Some(Step::Receive { accepts, .. }) => accepts.iter().collect(),
            _ => Vec::new(),
        };
        Waiting {
            role: self.name.clone(),
            state,
            activity,
            peer: messages.first().map_or_else(String::new, |message| self.peers[message.peer].clone()),
            labels: messages.iter().map(|message| message.label.clone()).collect(),
        }
    }

    /// What the role waits for when it sends the message `emit`.
    pub(crate) fn waiting_to_send(&self, state: usize, emit: &Emit) -> Waiting {
        Waiting {
            peer: self.peers[emit.message.peer].clone(),
            labels: vec![emit.message.label.clone()],
            ..self.waiting(state, Activity::Send)
        }
    }
}

fn used_channels(
    channels: &BTreeMap<(usize, usize), (usize, &Channel)>,
    wanted: impl Fn(usize, usize) -> bool,
) -> Vec<usize> {
    let mut used: Vec<usize> =
        channels.iter().filter(|((from, to), _)| wanted(*from, *to)).map(|(_, (at, _))| *at).collect();
    used.sort_unstable();
    used
}

/// What is needed to turn a plan's states into steps.
struct Layout<'a> {
    plan: &'a Plan,
    role: usize,
    channels: BTreeMap<(usize, usize), (usize, &'a Channel)>,
    outgoing: Vec<usize>,
    incoming: Vec<usize>,
    loops: BTreeMap<LoopId, usize>,
}

impl Layout<'_> {
    fn fault(&self, problem: String) -> RigError {
        RigError::Plan { role: self.plan.roles[self.role].name.clone(), problem }
    }

    fn check_state(&self, state: usize) -> Result<usize, RigError> {
        if state < self.plan.roles[self.role].states.len() {
            return Ok(state);
        }
        Err(self.fault(format!("state {state} does not exist")))
    }

    fn step(&self, state: &PlanState) -> Result<Step, RigError> {
        match state {
            PlanState::End => Ok(Step::End),
            PlanState::Send(outputs) => {
                if outputs.is_empty() {
                    return Err(self.fault("a send state has no output".to_owned()));
                }
                outputs.iter().map(|output| self.emit(output)).collect::<Result<_, _>>().map(Step::Send)
            }
            PlanState::Receive { from, inputs } => self.receive(*from, inputs),
            PlanState::Loop { id, iterations, body, exit, outermost } => Ok(Step::Loop {
                slot: self.loops[id],
                id: *id,
                iterations: *iterations,
                body: self.check_state(*body)?,
                exit: self.check_state(*exit)?,
                outermost: *outermost,
            }),
            PlanState::Continue(id) => match self.loops.get(id) {
                Some(&slot) => Ok(Step::Continue { slot }),
                None => Err(self.fault(format!("loop {} has no head", id.0))),
            },
        }
    }

    fn emit(&self, output: &Output) -> Result<Emit, RigError> {
        let message = Message {
            tag: output.tag,
            bytes: output.bytes,
            compute: output.compute,
            origin: output.origin,
            next: self.check_state(output.next)?,
            peer: output.to,
            label: output.label.clone(),
        };
        let channel = self.channel(self.role, output.to, &message)?;
        let slot = self.outgoing.binary_search(&channel).expect("the channel's sender is this role");
        Ok(Emit { slot, message })
    }

    fn receive(&self, from: usize, inputs: &[Input]) -> Result<Step, RigError> {
        let mut accepts: Vec<Accept> = Vec::with_capacity(inputs.len());
        let mut slot = None;
        for input in inputs {
            let message = Message {
                tag: input.tag,
                bytes: input.bytes,
                compute: input.compute,
                origin: input.origin,
                next: self.check_state(input.next)?,
                peer: from,
                label: input.label.clone(),
            };
            if let Some(twin) = accepts.iter().find(|accept| accept.tag == message.tag) {
                let problem = format!("{} and {} share the tag {}", twin.label, message.label, message.tag);
                return Err(self.fault(problem));
            }
            let channel = self.channel(from, self.role, &message)?;
            slot = Some(self.incoming.binary_search(&channel).expect("the channel's receiver is this role"));
            accepts.push(message);
        }
        let smallest = accepts.iter().map(|accept| accept.bytes).min();
        let (Some(slot), Some(smallest)) = (slot, smallest) else {
            return Err(self.fault("a receive state has no input".to_owned()));
        };
        Ok(Step::Receive { slot, smallest, accepts })
    }

    fn channel(&self, from: usize, to: usize, message: &Message) -> Result<usize, RigError> {
        let Message { label, bytes, compute, .. } = message;
        let Some((index, channel)) = self.channels.get(&(from, to)) else {
            return Err(self.fault(format!("{label} needs a channel from role {from} to role {to}")));
        };
        if *bytes == 0 || *bytes > channel.largest {
            let problem = format!("{label} has {bytes} bytes; its channel carries 1 to {}", channel.largest);
            return Err(self.fault(problem));
        }
        if !compute.is_finite() || *compute < 0.0 {
            return Err(self.fault(format!("{label} is to cost {compute} s")));
        }
        Ok(*index)
    }
}
