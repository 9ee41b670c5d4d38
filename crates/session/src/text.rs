//! A global type back to protocol text.

use std::collections::BTreeSet;
use std::fmt::Write;

use cost::Formula;

use crate::global::{GlobalType, Interaction, LoopId, Node, NodeId, Phase};
use crate::structure::Joins;

/// Depth of blocks from which on they are kept short, to be legible.
const DEEP: usize = 24;

/// Writes a global type as protocol text: plain nuScr, costs in annotation strings, halves of
/// messages in our own notation.
///
/// Reading the text gives the same protocol: loops of the same name are told apart by numbers, and ways that meet
/// elsewhere than behind a choice are written out once each. A message of a role to itself, which
/// only JSON can express, is written but cannot be read back.
#[must_use]
pub fn print_global(global: &GlobalType) -> String {
    let mut printer = Printer {
        global,
        joins: Joins::new(global),
        loops: loop_names(global),
        text: String::new(),
        depth: 1,
    };
    let roles: Vec<String> = global.roles.iter().map(|role| format!("role {}", role.name)).collect();
    let header = printer.header();
    let header = if header.is_empty() { header } else { format!(" @\"{header}\"") };
    printer.write(&format!("global protocol {}({}){header} {{\n", global.name, roles.join(", ")));
    printer.block(global.root, None, None);
    printer.write("}\n");
    printer.text
}

/// A name for each loop, different from all others.
fn loop_names(global: &GlobalType) -> Vec<String> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut names = Vec::new();
    for record in &global.loops {
        let mut name = record.name.clone();
        let mut number = 2;
        while !taken.insert(name.clone()) {
            name = format!("{}_{number}", record.name);
            number += 1;
        }
        names.push(name);
    }
    names
}

struct Printer<'a> {
    global: &'a GlobalType,
    joins: Joins<'a>,
    loops: Vec<String>,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    fn write(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn line(&mut self, text: &str) {
        let width = 2 * self.depth;
        writeln!(self.text, "{:width$}{text}", "").expect("writing to a string cannot fail");
    }

    fn loop_name(&self, id: LoopId) -> &str {
        &self.loops[id.index()]
    }

    fn header(&self) -> String {
        let global = self.global;
        let set = |name: &str, value: Option<&Formula>| match value {
            Some(value) => format!("{name}={value}"),
            None => name.to_owned(),
        };
        let role = |id| global.role_name(id);
        let mut items = Vec::new();
        let mut item = |word: &str, entries: Vec<String>, separator: &str| {
            if !entries.is_empty() {
                items.push(format!("{word} {}", entries.join(separator)));
            }
        };
        item("param", global.parameters.iter().map(|p| set(&p.name, p.default.as_ref())).collect(), ", ");
        let bounded = global.loops.iter().zip(&self.loops).filter(|(record, _)| record.iterations.is_some());
        item("iter", bounded.map(|(record, name)| set(name, record.iterations.as_ref())).collect(), ", ");
        item(
            "place",
            global.placement.iter().map(|(id, node)| format!("{}={node}", role(*id))).collect(),
            " ",
        );
        item("cores", global.cores.iter().map(|(node, count)| format!("{node}={count}")).collect(), " ");
        let capacities = global.capacities.iter();
        item(
            "capacity",
            capacities.map(|c| format!("{}->{}={}", role(c.from), role(c.to), c.slots)).collect(),
            " ",
        );
        items.join("; ")
    }

    /// The statements from a node up to `stop` or to an end.
    fn block(&mut self, mut id: NodeId, stop: Option<NodeId>, probability: Option<&Formula>) {
        let mut probability = probability;
        while stop.is_none_or(|stop| id > stop) {
            match self.global.node(id) {
                Node::End => return,
                Node::Continue(target) => {
                    let statement = format!("continue {};", self.loop_name(*target));
                    return self.line(&statement);
                }
                Node::Interaction(interaction) => {
                    self.message(interaction, probability.take());
                    id = interaction.next;
                }
                Node::Loop { id: record, body, exit } => {
                    let head = format!("rec {} {{", self.loop_name(*record));
                    self.line(&head);
                    self.indented(|printer| printer.block(*body, Some(*exit), probability));
                    self.line("}");
                    id = *exit;
                    probability = None;
                }
                Node::Choice { at, branches, .. } => {
                    let join = self.joins.after_choice(id, self.depth > DEEP);
                    for (index, branch) in branches.iter().enumerate() {
                        let at = self.global.role_name(*at);
                        let head =
                            if index == 0 { format!("choice at {at} {{") } else { "} or {".to_owned() };
                        self.line(&head);
                        let stop = join.or(stop);
                        self.indented(|printer| {
                            printer.block(branch.first, stop, branch.probability.as_ref())
                        });
                    }
                    self.line("}");
                    match join {
                        Some(join) => id = join,
                        None => return,
                    }
                    probability = None;
                }
            }
        }
    }

    fn indented(&mut self, write: impl FnOnce(&mut Self)) {
        self.depth += 1;
        write(self);
        self.depth -= 1;
    }

    fn message(&mut self, interaction: &Interaction, probability: Option<&Formula>) {
        let global = self.global;
        let (from, to) = (global.role_name(interaction.from), global.role_name(interaction.to));
        let payload: Vec<String> = interaction.payload.iter().map(ToString::to_string).collect();
        let what = format!("{}({})", interaction.label, payload.join(", "));
        let mut statement = match interaction.phase {
            Phase::Whole => format!("{what} from {from} to {to};"),
            Phase::Send => format!("{what} from {from} ~> {to};"),
            Phase::Receive => format!("recv {what} at {to} from {from};"),
        };
        // A bare label has size 1 unless something else is said.
        let is_default =
            payload.is_empty() && interaction.size.as_ref().is_some_and(|size| size.as_number() == Some(1.0));
        let costs = [
            ("size", interaction.size.as_ref().filter(|_| !is_default)),
            ("cost", interaction.cost.as_ref()),
            ("pre", interaction.pre.as_ref()),
            ("prob", probability),
            ("deadline", interaction.deadline.as_ref()),
        ];
        let said: Vec<String> =
            costs.iter().filter_map(|(key, value)| value.map(|value| format!("{key}={value}"))).collect();
        if !said.is_empty() {
            write!(statement, " @\"{}\"", said.join(", ")).expect("writing to a string cannot fail");
        }
        self.line(&statement);
    }
}
