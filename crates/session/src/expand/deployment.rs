//! Placement and channel bounds of the header, with names resolved.

use std::collections::{BTreeMap, BTreeSet};

use diag::{Diagnostic, Span};

use super::inline::Expander;
use crate::global::{Capacity, RoleId};
use crate::syntax::annotation::{RolePattern, SlotCount};

impl Expander<'_> {
    /// `place` and `capacity` of the outermost header. Roles placed twice and channels bounded twice
    /// are reported (S011).
    pub(super) fn deployment(&mut self) -> (Vec<(RoleId, String)>, Vec<Capacity>) {
        let Some(header) = self.frame().header() else { return (Vec::new(), Vec::new()) };
        let mut placement = BTreeMap::new();
        for placed in &header.placements {
            for pattern in &placed.roles {
                for role in self.members(pattern) {
                    if placement.insert(role, placed.node.text.clone()).is_some() {
                        self.given_twice(
                            "the place of role",
                            self.roles[role.index()].name.clone(),
                            pattern.name.at.0,
                        );
                    }
                }
            }
        }
        let capacities = self.capacities(&header.capacities);
        (placement.into_iter().collect(), capacities)
    }

    /// Bounds of channels. Between arrays only those channels are meant that carry messages.
    fn capacities(&mut self, declared: &[SlotCount]) -> Vec<Capacity> {
        let used = if declared.is_empty() { BTreeSet::new() } else { self.arena.channels() };
        let mut bounded = BTreeSet::new();
        let mut capacities = Vec::new();
        for SlotCount { from, to, slots } in declared {
            let span = from.name.at.0.to(to.name.at.0);
            let (senders, receivers) = (self.members(from), self.members(to));
            let channels: Vec<(RoleId, RoleId)> = match (&senders[..], &receivers[..]) {
                ([from], [to]) => vec![(*from, *to)],
                _ => {
                    let (senders, receivers): (BTreeSet<_>, BTreeSet<_>) =
                        (senders.into_iter().collect(), receivers.into_iter().collect());
                    let meant =
                        |(from, to): &&(RoleId, RoleId)| senders.contains(from) && receivers.contains(to);
                    used.iter().filter(meant).copied().collect()
                }
            };
            for (from, to) in channels {
                if bounded.insert((from, to)) {
                    capacities.push(Capacity { from, to, slots: *slots, span });
                } else {
                    let [from, to] = [from, to].map(|role| self.roles[role.index()].name.as_str());
                    self.given_twice("the capacity of", format!("{from}->{to}"), span);
                }
            }
        }
        capacities
    }

    /// The roles that a pattern names; an index out of range is reported (S114).
    fn members(&mut self, pattern: &RolePattern) -> Vec<RoleId> {
        let binding = self.frame().roles[pattern.name.text.as_str()].clone();
        let Some((first, last)) = pattern.members else { return binding.members };
        let found: Option<Vec<RoleId>> = match binding.member(first).and(binding.member(last)) {
            Some(_) => (first..=last).map(|index| binding.member(index)).collect(),
            None => None,
        };
        found.unwrap_or_else(|| {
            let (name, low, high) = (&pattern.name.text, binding.first, binding.last());
            self.report(
                Diagnostic::error("S114", format!("`{name}` runs from {low} to {high}"))
                    .at(pattern.name.at.0, format!("{first} to {last} is out of range")),
            );
            Vec::new()
        })
    }

    fn given_twice(&mut self, what: &str, name: String, span: Span) {
        self.report(
            Diagnostic::error("S011", format!("{what} `{name}` is given twice")).at(span, "given again"),
        );
    }
}
