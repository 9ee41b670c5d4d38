use std::collections::BTreeMap;

use cost::{Environment, Formula, Unit};
use diag::Diagnostic;

use super::decide::decisions;
use super::{Channel, Input, Output, Plan, PlanState, RolePlan};
use crate::analysis::{Setting, amount};
use crate::global::{GlobalType, LoopId, NodeId};
use crate::local::{Action, LocalState, LocalType};

/// Largest message that a plan may contain, in bytes.
pub const MESSAGE_LIMIT: usize = 1 << 30;

/// Makes a protocol concrete: sizes in bytes, computations in seconds, branches decided by `seed`.
///
/// `unit` is the unit in which plain numbers in the protocol's costs are meant; costs with a unit of
/// their own (`40us`) need none. `locals` is the result of [`crate::project`] without errors.
///
/// # Errors
/// S301 parameters without a value, S302 messages without a size, S307 sizes and costs that are none,
/// S313 costs in cycles, S314 messages over 1 GiB or more than 256 labels on a channel, and the errors
/// of the loop bounds.
pub fn plan(
    global: &GlobalType,
    locals: &[LocalType],
    setting: &Setting,
    unit: Unit,
    seed: u64,
) -> Result<(Plan, Vec<Diagnostic>), Vec<Diagnostic>> {
    let environment = setting.environment(global, Some(unit))?;
    let (iterations, warnings) = setting.iterations(global, &environment)?;
    let mut builder =
        Builder { global, environment: &environment, unit, iterations, faults: BTreeMap::new() };
    let tags = builder.tags(locals);
    let mut roles: Vec<RolePlan> = locals.iter().map(|local| builder.role(local, &tags)).collect();
    let mut faults: Vec<Diagnostic> = builder.faults.into_values().collect();
    if faults.is_empty() {
        for (role, picked) in
            roles.iter_mut().zip(decisions(global, &environment, &builder.iterations, seed)?)
        {
            role.decisions = picked;
        }
        let channels = channels(global, &roles);
        return Ok((Plan { protocol: global.name.clone(), roles, channels }, warnings));
    }
    diag::sort(&mut faults);
    Err(faults)
}

/// For each channel its labels in order of the alphabet; the position is the tag.
type Tags = BTreeMap<(usize, usize), BTreeMap<String, u8>>;

struct Builder<'a> {
    global: &'a GlobalType,
    environment: &'a Environment,
    unit: Unit,
    iterations: Vec<u64>,
    faults: BTreeMap<String, Diagnostic>,
}

impl Builder<'_> {
    fn fault(&mut self, diagnostic: Diagnostic) {
        self.faults.entry(diagnostic.message.clone()).or_insert(diagnostic);
    }

    fn span(&self, origin: NodeId) -> diag::Span {
        self.global.interaction(origin).span
    }

    fn tags(&mut self, locals: &[LocalType]) -> Tags {
        let mut labels: BTreeMap<(usize, usize), BTreeMap<String, NodeId>> = BTreeMap::new();
        for local in locals {
            for state in &local.states {
                let (LocalState::Send(actions) | LocalState::Receive(actions)) = state else { continue };
                let sends = matches!(state, LocalState::Send(_));
                for action in actions {
                    let (me, peer) = (local.role.index(), action.peer.index());
                    let channel = if sends { (me, peer) } else { (peer, me) };
                    labels.entry(channel).or_default().insert(action.label.clone(), action.origin);
                }
            }
        }
        let mut tags = Tags::new();
        for (channel, known) in labels {
            if let Some((label, origin)) = known.iter().nth(256) {
                let diagnostic = Diagnostic::error(
                    "S314",
                    format!("more than 256 labels on one channel (`{label}` is the 257th)"),
                )
                .at(self.span(*origin), "the label is the first byte of a message")
                .help("spread the messages over more roles, or use fewer labels");
                self.fault(diagnostic);
            }
            let numbered = known.into_keys().zip(0u8..=255).collect();
            tags.insert(channel, numbered);
        }
        tags
    }

    fn role(&mut self, local: &LocalType, tags: &Tags) -> RolePlan {
        let me = local.role.index();
        let states = local.states.iter().map(|state| self.state(me, state, tags)).collect();
        RolePlan {
            name: self.global.role_name(local.role).to_owned(),
            states,
            start: local.root.index(),
            decisions: Vec::new(),
        }
    }

    fn state(&mut self, me: usize, state: &LocalState, tags: &Tags) -> PlanState {
        match state {
            LocalState::End => PlanState::End,
            LocalState::Continue(id) => PlanState::Continue(*id),
            LocalState::Loop { id, body, exit } => PlanState::Loop {
                id: *id,
                iterations: self.iterations[id.index()],
                body: body.index(),
                exit: exit.index(),
                outermost: self.is_outermost(*id),
            },
            LocalState::Send(actions) => {
                PlanState::Send(actions.iter().map(|action| self.output(me, action, tags)).collect())
            }
            LocalState::Receive(actions) => PlanState::Receive {
                from: actions[0].peer.index(),
                inputs: actions.iter().map(|action| self.input(me, action, tags)).collect(),
            },
        }
    }

    fn is_outermost(&self, id: LoopId) -> bool {
        self.global.loops[id.index()].parent.is_none()
    }

    fn output(&mut self, me: usize, action: &Action, tags: &Tags) -> Output {
        Output {
            to: action.peer.index(),
            tag: tags[&(me, action.peer.index())].get(&action.label).copied().unwrap_or(0),
            label: action.label.clone(),
            bytes: self.bytes(action),
            compute: self.seconds(action),
            origin: action.origin,
            next: action.next.index(),
        }
    }

    fn input(&mut self, me: usize, action: &Action, tags: &Tags) -> Input {
        Input {
            tag: tags[&(action.peer.index(), me)].get(&action.label).copied().unwrap_or(0),
            label: action.label.clone(),
            bytes: self.bytes(action),
            compute: self.seconds(action),
            origin: action.origin,
            next: action.next.index(),
        }
    }

    fn bytes(&mut self, action: &Action) -> usize {
        let Some(size) = &action.size else {
            let diagnostic = Diagnostic::error("S302", format!("the size of `{}` is not known", action.label))
                .at(self.span(action.origin), "needed here")
                .help("say how large it is: @\"size=..\" after the message, or `sizeof` of its payload in the header");
            self.fault(diagnostic);
            return 1;
        };
        let value = self.value(action, size, "the size of");
        if value > MESSAGE_LIMIT as f64 {
            let diagnostic = Diagnostic::error(
                "S314",
                format!("`{}` would have {value:e} bytes, too many for a run", action.label),
            )
            .at(self.span(action.origin), "too large to be sent for real")
            .help(format!("messages of a run have at most {MESSAGE_LIMIT} bytes"));
            self.fault(diagnostic);
        }
        (value.ceil() as usize).clamp(1, MESSAGE_LIMIT)
    }

    fn seconds(&mut self, action: &Action) -> f64 {
        let Some(time) = &action.compute else { return 0.0 };
        let value = self.value(action, time, "the cost of");
        if value == 0.0 {
            return 0.0;
        }
        Unit::Seconds.convert_from(value, self.unit).unwrap_or_else(|| {
            let diagnostic = Diagnostic::error("S313", "costs in cycles cannot be spent in a run")
                .at(self.span(action.origin), "a computation in cycles")
                .help("use a cost model in units of time, or give the cost a unit: `cost=40us`");
            self.fault(diagnostic);
            0.0
        })
    }

    /// The value, or 0 beside a fault that makes the whole plan an error.
    fn value(&mut self, action: &Action, formula: &Formula, what: &str) -> f64 {
        let interaction = self.global.interaction(action.origin);
        amount(interaction, formula, what, self.environment).unwrap_or_else(|fault| {
            self.fault(fault);
            0.0
        })
    }
}

fn channels(global: &GlobalType, roles: &[RolePlan]) -> Vec<Channel> {
    let mut largest: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    for (me, role) in roles.iter().enumerate() {
        for state in &role.states {
            let PlanState::Send(outputs) = state else { continue };
            for output in outputs {
                let known = largest.entry((me, output.to)).or_default();
                *known = (*known).max(output.bytes);
            }
        }
    }
    let capacity = |from: usize, to: usize| {
        let same = |c: &&crate::global::Capacity| c.from.index() == from && c.to.index() == to;
        global.capacities.iter().find(same).map(|capacity| capacity.slots)
    };
    largest
        .into_iter()
        .map(|((from, to), largest)| Channel { from, to, capacity: capacity(from, to), largest })
        .collect()
}
