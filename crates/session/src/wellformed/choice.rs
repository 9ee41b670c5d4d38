//! Choices must be announced: every branch starts with a message of the role that chooses, and no
//! two branches start with the same label to the same role.

use diag::Diagnostic;

use crate::global::{GlobalType, Interaction, Node, NodeId, RoleId};

/// The first messages of a choice's branches, nested choices of the same role opened up.
pub(super) fn openings(global: &GlobalType, at: RoleId, branch: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut open = vec![branch];
    while let Some(node) = open.pop() {
        match global.node(node) {
            Node::Choice { at: inner, branches, .. } if *inner == at => {
                open.extend(branches.iter().rev().map(|branch| branch.first));
            }
            _ => found.push(node),
        }
    }
    found
}

pub(super) fn check(global: &GlobalType) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for node in &global.nodes {
        let Node::Choice { at, branches, span } = node else { continue };
        let mut seen: Vec<&Interaction> = Vec::new();
        for opening in branches.iter().flat_map(|branch| openings(global, *at, branch.first)) {
            let chooser = global.role_name(*at);
            match global.node(opening) {
                Node::Interaction(first) if first.from == *at && first.phase != crate::global::Phase::Receive => {
                    let same = |other: &&Interaction| other.label == first.label && other.to == first.to;
                    if let Some(earlier) = seen.iter().copied().find(same) {
                        diagnostics.push(ambiguous(global, first, earlier, *span));
                    }
                    seen.push(first);
                }
                Node::Interaction(first) => diagnostics.push(
                    Diagnostic::error("S202", format!("a branch of the choice at `{chooser}` does not start with a message of `{chooser}`"))
                        .at(first.span, format!("this branch starts with a step of `{}`", acting(global, first)))
                        .at(*span, format!("`{chooser}` chooses here"))
                        .help(format!("start every branch with a message from `{chooser}`, or let `{}` choose", acting(global, first))),
                ),
                other => diagnostics.push(
                    Diagnostic::error("S202", format!("a branch of the choice at `{chooser}` does not start with a message of `{chooser}`"))
                        .at(*span, format!("one branch starts with {}", what(global, other)))
                        .help(format!("start every branch with a message from `{chooser}` that tells the others what was chosen")),
                ),
            }
        }
    }
    diagnostics
}

fn acting<'a>(global: &'a GlobalType, interaction: &Interaction) -> &'a str {
    let role =
        if interaction.phase == crate::global::Phase::Receive { interaction.to } else { interaction.from };
    global.role_name(role)
}

fn what(global: &GlobalType, node: &Node) -> String {
    match node {
        Node::End => "nothing at all".to_owned(),
        Node::Choice { at, .. } => format!("a choice at `{}`", global.role_name(*at)),
        Node::Loop { id, .. } => format!("the loop `{}`", global.loops[id.index()].name),
        Node::Continue(id) => format!("`continue {}`", global.loops[id.index()].name),
        Node::Interaction(_) => "a message".to_owned(),
    }
}

fn ambiguous(
    global: &GlobalType,
    first: &Interaction,
    earlier: &Interaction,
    choice: diag::Span,
) -> Diagnostic {
    let receiver = global.role_name(first.to);
    Diagnostic::error(
        "S203",
        format!("two branches start with the message `{}` to `{receiver}`", first.label),
    )
    .at(first.span, "second branch with this message")
    .at(earlier.span, "first branch with this message")
    .at(choice, format!("`{receiver}` could not tell which branch of this choice was taken"))
    .help("give the branches different labels")
}
