//! Roles that calls bring along: ordered and named by the text, not by the order of expansion.

use std::collections::BTreeMap;

use super::arena::Parts;
use super::inline::Expander;
use crate::global::{Node, RoleId};

impl Expander<'_> {
    /// Puts the new roles in the order in which they take part, and numbers those of equal names:
    /// `C`, `C_2`, `C_3`.
    pub(super) fn name_new_roles(&mut self, parts: &mut Parts) {
        let declared = self.role_names.len();
        if self.roles.len() == declared {
            return;
        }
        let mut order: Vec<usize> = Vec::new();
        let mut position: Vec<Option<RoleId>> = vec![None; self.roles.len()];
        let mut place = |role: usize| {
            if position[role].is_none() {
                position[role] = Some(RoleId(u32::try_from(order.len()).expect("roles are limited")));
                order.push(role);
            }
        };
        (0..declared).for_each(&mut place);
        for node in parts.nodes.iter().rev() {
            match node {
                Node::Interaction(interaction) => {
                    place(interaction.from.index());
                    place(interaction.to.index());
                }
                Node::Choice { at, .. } => place(at.index()),
                _ => {}
            }
        }
        (0..self.roles.len()).for_each(place);
        let moved = |role: RoleId| position[role.index()].unwrap_or(role);
        for node in &mut parts.nodes {
            match node {
                Node::Interaction(interaction) => {
                    interaction.from = moved(interaction.from);
                    interaction.to = moved(interaction.to);
                }
                Node::Choice { at, .. } => *at = moved(*at),
                _ => {}
            }
        }
        for record in &mut parts.loops {
            record.roles.iter_mut().for_each(|role| *role = moved(*role));
            record.roles.sort_unstable();
        }
        self.roles = order.iter().map(|old| self.roles[*old].clone()).collect();
        self.number_names(declared);
    }

    /// Gives every role from an index on a name that no other has.
    fn number_names(&mut self, from: usize) {
        let mut copies: BTreeMap<String, u64> = BTreeMap::new();
        for index in from..self.roles.len() {
            let base = self.roles[index].name.clone();
            let mut name = base.clone();
            let copy = copies.entry(base.clone()).or_insert(1);
            while self.role_names.contains_key(&name) {
                *copy += 1;
                name = format!("{base}_{copy}");
            }
            let id = RoleId(u32::try_from(index).expect("roles are limited"));
            self.role_names.insert(name.clone(), id);
            self.roles[index].name = name;
        }
    }
}
