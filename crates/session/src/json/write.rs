use cost::Formula;
use serde_json::{Map, Value, json};

use crate::global::{Branch, GlobalType, Interaction, LoopId, Node, NodeId, Phase, RoleId};
use crate::structure::Joins;

/// Depth of blocks from which on they are kept short, so that the JSON can be read back.
const DEEP: usize = 200;

/// Writes a global type as JSON of the form that [`parse_json`](super::parse_json) reads.
///
/// Roles called `r` and a number keep it, others are numbered in order. Labels of plain messages,
/// payload types and the header are left out.
///
/// # Errors
/// A sentence naming the part that this form cannot express: work before sending, deadlines,
/// probabilities, and choices whose branches do not begin with bare labels to one receiver.
pub fn to_json(global: &GlobalType) -> Result<Value, String> {
    let numbers: Option<Vec<u32>> =
        global.roles.iter().map(|role| role.name.strip_prefix('r')?.parse().ok()).collect();
    let in_order = || (0..u32::try_from(global.roles.len()).unwrap_or(u32::MAX)).collect();
    let writer = Writer { global, joins: Joins::new(global), numbers: numbers.unwrap_or_else(in_order) };
    writer.block(global.root, None, 0).map(Value::Array)
}

struct Writer<'a> {
    global: &'a GlobalType,
    joins: Joins<'a>,
    numbers: Vec<u32>,
}

impl Writer<'_> {
    fn number(&self, role: RoleId) -> u32 {
        self.numbers[role.index()]
    }

    fn loop_name(&self, id: LoopId) -> String {
        let name = &self.global.loops[id.index()].name;
        let same = self.global.loops.iter().take(id.index()).filter(|earlier| earlier.name == *name).count();
        if same == 0 { name.clone() } else { format!("{name}_{}", same + 1) }
    }

    fn block(&self, mut id: NodeId, stop: Option<NodeId>, depth: usize) -> Result<Vec<Value>, String> {
        let mut steps = Vec::new();
        while stop.is_none_or(|stop| id > stop) {
            match self.global.node(id) {
                Node::End => break,
                Node::Continue(target) => {
                    steps.push(json!({ "var": self.loop_name(*target) }));
                    break;
                }
                Node::Interaction(interaction) => {
                    steps.push(self.message(interaction)?);
                    id = interaction.next;
                }
                Node::Loop { id: record, body, exit } => {
                    steps.push(self.rec(*record, self.block(*body, Some(*exit), depth + 1)?));
                    id = *exit;
                }
                Node::Choice { at, branches, .. } => {
                    let join = self.joins.after_choice(id, depth > DEEP);
                    steps.push(self.choice(*at, branches, join.or(stop), depth)?);
                    match join {
                        Some(join) => id = join,
                        None => break,
                    }
                }
            }
        }
        Ok(steps)
    }

    fn rec(&self, id: LoopId, body: Vec<Value>) -> Value {
        let mut step = Map::new();
        step.insert("rec".to_owned(), self.loop_name(id).into());
        if let Some(iterations) = &self.global.loops[id.index()].iterations {
            step.insert("n".to_owned(), formula(iterations));
        }
        step.insert("body".to_owned(), body.into());
        step.into()
    }

    fn message(&self, interaction: &Interaction) -> Result<Value, String> {
        if interaction.pre.is_some() || interaction.deadline.is_some() {
            return Err(format!(
                "`{}` has `pre` or `deadline`, which this JSON cannot say",
                interaction.label
            ));
        }
        let kind = match interaction.phase {
            Phase::Whole => "msg",
            Phase::Send => "send",
            Phase::Receive => "recv_from_to",
        };
        let mut step = Map::new();
        step.insert(kind.to_owned(), json!([self.number(interaction.from), self.number(interaction.to)]));
        let costs = [("size", &interaction.size), ("cost", &interaction.cost)];
        step.extend(
            costs.into_iter().filter_map(|(key, value)| Some((key.to_owned(), formula(value.as_ref()?)))),
        );
        Ok(step.into())
    }

    fn choice(
        &self,
        at: RoleId,
        branches: &[Branch],
        stop: Option<NodeId>,
        depth: usize,
    ) -> Result<Value, String> {
        let mut alternatives = Map::new();
        let mut receiver = None;
        for branch in branches {
            let label = match self.global.node(branch.first) {
                Node::Interaction(first) if is_bare_label(first, at) && branch.probability.is_none() => first,
                _ => return Err("a branch of a choice does not begin with a bare label".to_owned()),
            };
            if *receiver.get_or_insert(label.to) != label.to {
                return Err("the branches of a choice begin with labels to different roles".to_owned());
            }
            let rest = self.block(label.next, stop, depth + 1)?;
            if alternatives.insert(label.label.clone(), rest.into()).is_some() {
                return Err(format!("two branches of a choice begin with `{}`", label.label));
            }
        }
        let to = receiver.ok_or("a choice has no branches")?;
        Ok(json!({ "choice": [self.number(at), self.number(to)], "alts": alternatives }))
    }
}

fn is_bare_label(interaction: &Interaction, at: RoleId) -> bool {
    interaction.from == at
        && interaction.phase == Phase::Whole
        && interaction.payload.is_empty()
        && interaction.size.as_ref().is_some_and(|size| size.as_number() == Some(1.0))
        && [&interaction.cost, &interaction.pre, &interaction.deadline].iter().all(|cost| cost.is_none())
}

fn formula(formula: &Formula) -> Value {
    match formula.as_number() {
        Some(value) if value.fract() == 0.0 && value.abs() < 1e15 => {
            json!(format!("{value:.0}").parse::<i64>().ok())
        }
        Some(value) => json!(value),
        None => json!(formula.to_string()),
    }
}
