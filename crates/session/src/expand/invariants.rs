use std::collections::BTreeSet;

use crate::global::{GlobalType, LoopId, Node, NodeId, RoleId};

/// Checks what [`GlobalType`] promises about its arena: edges lead down, loops are nested regions
/// in the order of the text with the roles of their bodies, every index is valid and every node is reachable.
///
/// # Errors
/// One sentence about the first promise that is broken.
pub fn check_invariants(global: &GlobalType) -> Result<(), String> {
    let reachable = reachable(global)?;
    for (index, is_reachable) in reachable.iter().enumerate().skip(1) {
        if !is_reachable {
            return Err(format!("node {index} cannot be reached"));
        }
    }
    let names: BTreeSet<&str> = global.roles.iter().map(|role| role.name.as_str()).collect();
    if names.len() != global.roles.len() {
        return Err("two roles have the same name".to_owned());
    }
    (0..global.loops.len()).try_for_each(|index| check_loop(global, index))
}

/// Which nodes can be reached, if all edges and roles are valid.
fn reachable(global: &GlobalType) -> Result<Vec<bool>, String> {
    let mut reachable = vec![false; global.nodes.len()];
    *reachable.get_mut(global.root.index()).ok_or("the root is no node")? = true;
    for index in (0..global.nodes.len()).rev().filter(|index| *index <= global.root.index()) {
        let (targets, roles): (Vec<NodeId>, Vec<RoleId>) = match &global.nodes[index] {
            Node::End => (vec![], vec![]),
            Node::Continue(id) if id.index() < global.loops.len() => (vec![], vec![]),
            Node::Continue(_) => return Err(format!("node {index} continues no loop")),
            Node::Interaction(i) => (vec![i.next], vec![i.from, i.to]),
            Node::Choice { at, branches, .. } => (branches.iter().map(|b| b.first).collect(), vec![*at]),
            Node::Loop { body, exit, .. } => (vec![*body, *exit], vec![]),
        };
        if let Some(target) = targets.iter().find(|target| target.index() >= index) {
            return Err(format!("node {index} leads up to {}", target.index()));
        }
        if roles.iter().any(|role| role.index() >= global.roles.len()) {
            return Err(format!("node {index} names no role"));
        }
        if reachable[index] {
            targets.iter().for_each(|target| reachable[target.index()] = true);
        }
    }
    Ok(reachable)
}

fn check_loop(global: &GlobalType, index: usize) -> Result<(), String> {
    let record = &global.loops[index];
    let fault = |what: &str| Err(format!("loop {index} (`{}`): {what}", record.name));
    let Node::Loop { id, body, exit } = global.node(record.node) else { return fault("its node is no loop") };
    if id.index() != index {
        return fault("its node belongs to another loop");
    }
    if !(*exit < *body && *body < record.node) {
        return fault("its body does not lie between exit and head");
    }
    if record.parent.is_some_and(|parent| parent.index() >= index) {
        return fault("it comes before the loop around it");
    }
    if index > 0 && global.loops[index - 1].node <= record.node {
        return fault("it is out of the order of the text");
    }
    let mut roles = BTreeSet::new();
    let mut pending = vec![*body];
    let mut seen = BTreeSet::new();
    while let Some(node) = pending.pop() {
        if node == *exit || !seen.insert(node) {
            continue;
        }
        if node < *exit {
            return fault("a way out of its body misses the exit");
        }
        match global.node(node) {
            Node::End => return fault("a way through its body ends"),
            Node::Continue(target) => {
                let own = LoopId(u32::try_from(index).unwrap_or(u32::MAX));
                if !encloses(global, *target, index) && !encloses(global, own, target.index()) {
                    return fault("its body continues a loop that is not around");
                }
            }
            Node::Interaction(i) => {
                roles.extend([i.from, i.to]);
                pending.push(i.next);
            }
            Node::Choice { at, branches, .. } => {
                roles.insert(*at);
                pending.extend(branches.iter().map(|branch| branch.first));
            }
            Node::Loop { id, body, exit } => {
                if !encloses(global, LoopId(u32::try_from(index).unwrap_or(u32::MAX)), id.index()) {
                    return fault("a loop in its body names another loop around it");
                }
                pending.extend([*body, *exit]);
            }
        }
    }
    if record.roles.iter().copied().ne(roles) {
        return fault("its roles are not those of its body");
    }
    Ok(())
}

/// Whether a loop is, or is inside, another.
fn encloses(global: &GlobalType, outer: LoopId, inner: usize) -> bool {
    let mut around = Some(inner);
    while let Some(index) = around {
        if index == outer.index() {
            return true;
        }
        around = global.loops[index].parent.map(LoopId::index);
    }
    false
}
