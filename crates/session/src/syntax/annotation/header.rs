use std::collections::BTreeSet;

use cost::Formula;
use diag::Diagnostic;

use super::piece::{Piece, is_word};
use super::{given_twice, malformed, not_ours};
use crate::syntax::ast::{At, Name};
use diag::spelling::{nearest, suggestion};

/// First words of the items of a header.
const ITEMS: [&str; 6] = ["param", "iter", "place", "cores", "capacity", "sizeof"];

/// What the string of a protocol says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Header {
    /// `param n=64, c1`: parameters with their defaults.
    pub parameters: Vec<Setting>,
    /// `iter X=1000`: how often loops run.
    pub iterations: Vec<Setting>,
    /// `sizeof int=8`: bytes of payload types.
    pub sizes: Vec<Setting>,
    /// `place P,Q=a R=b`: which node each role runs on.
    pub placements: Vec<Placement>,
    /// `cores a=2`: processors of nodes.
    pub cores: Vec<(Name, u32)>,
    /// `capacity P->Q=2`: bounded channels.
    pub capacities: Vec<SlotCount>,
}

/// A name and the formula given to it, if any.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting {
    /// The parameter, loop or type.
    pub name: Name,
    /// Its value.
    pub value: Option<Formula>,
}

/// `P, Q = a`.
#[derive(Debug, Clone, PartialEq)]
pub struct Placement {
    /// The roles.
    pub roles: Vec<RolePattern>,
    /// The node they run on.
    pub node: Name,
}

/// `P -> Q = 2`.
#[derive(Debug, Clone, PartialEq)]
pub struct SlotCount {
    /// The senders.
    pub from: RolePattern,
    /// The receivers.
    pub to: RolePattern,
    /// Messages that fit.
    pub slots: u32,
}

/// A role, or members of an array: `W`, `W[3]`, `W[1..2]`.
#[derive(Debug, Clone, PartialEq)]
pub struct RolePattern {
    /// The name.
    pub name: Name,
    /// First and last member; `None` means the role, or all members.
    pub members: Option<(i64, i64)>,
}

/// Reads the string of a protocol: items separated by semicolons.
///
/// Codes S010 to S014, and C1xx for formulas.
#[must_use]
pub fn parse_header(text: &str, offset: usize) -> (Header, Vec<Diagnostic>) {
    let whole = Piece::new(text, offset);
    let items: Vec<Piece<'_>> = whole.split(b';').into_iter().filter(|item| !item.text.is_empty()).collect();
    let ours = items.iter().any(|item| nearest(item.first_word().0.text, ITEMS).is_some());
    let mut reader = Reader { header: Header::default(), diagnostics: Vec::new() };
    if ours {
        items.into_iter().for_each(|item| reader.item(item));
        reader.check_repetitions();
    } else if !items.is_empty() {
        reader.diagnostics.push(not_ours(text, offset, text.contains('=')));
    }
    (reader.header, reader.diagnostics)
}

struct Reader {
    header: Header,
    diagnostics: Vec<Diagnostic>,
}

impl Reader {
    fn item(&mut self, item: Piece<'_>) {
        let (word, rest) = item.first_word();
        match word.text {
            "param" => {
                let settings = self.settings(rest, false, "param n=64, c1");
                self.header.parameters.extend(settings);
            }
            "iter" => {
                let settings = self.settings(rest, true, "iter X=1000");
                self.header.iterations.extend(settings);
            }
            "sizeof" => {
                let settings = self.settings(rest, true, "sizeof int=8, string=64");
                self.header.sizes.extend(settings);
            }
            "place" => self.placements(rest),
            "cores" => self.cores(rest),
            "capacity" => self.capacities(rest),
            _ => {
                let shown = if word.text.is_empty() { item } else { word };
                self.diagnostics.push(
                    Diagnostic::error("S010", format!("there is no header item `{}`", shown.text))
                        .at(shown.span(), "unknown item")
                        .help(suggestion(shown.text, &ITEMS, "items")),
                );
            }
        }
    }

    /// `name=formula, name=formula`; the formula may be left out unless `must_have_value`.
    fn settings(&mut self, rest: Piece<'_>, must_have_value: bool, example: &str) -> Vec<Setting> {
        let help = format!("for example `{example}`");
        let mut settings = Vec::new();
        for part in rest.split(b',') {
            let assignment = part.assignment().filter(|(_, value)| !value.text.is_empty());
            match assignment {
                Some((name, value)) => {
                    if let Some(formula) = value.formula(&mut self.diagnostics) {
                        settings.push(Setting { name: named(name), value: Some(formula) });
                    }
                }
                None if is_word(part.text) && !must_have_value => {
                    settings.push(Setting { name: named(part), value: None });
                }
                None => self.diagnostics.push(malformed("expected `name=formula`", part.span(), &help)),
            }
        }
        settings
    }

    /// `left=word left=word`, separated by spaces or commas; `left` may hold commas itself.
    fn assignments<'a>(&mut self, rest: Piece<'a>, example: &str) -> Vec<(Piece<'a>, Piece<'a>)> {
        let mut assignments = Vec::new();
        let mut rest = rest;
        while !rest.text.is_empty() {
            let Some(equals) = rest.text.find('=') else { break };
            let (left, after) = rest.cut(equals);
            let end = after.text.find([' ', ',', '\t']).unwrap_or(after.text.len());
            let right = Piece::new(&after.text[..end], after.offset);
            if left.text.is_empty() || right.text.is_empty() {
                break;
            }
            assignments.push((left, right));
            let behind = after.text[end..].trim_start_matches([' ', ',', '\t']);
            rest = Piece::new(behind, after.offset + after.text.len() - behind.len());
        }
        if !rest.text.is_empty() || assignments.is_empty() {
            let help = format!("for example `{example}`");
            self.diagnostics.push(malformed("expected `name=value`", rest.span(), &help));
        }
        assignments
    }

    fn placements(&mut self, rest: Piece<'_>) {
        for (left, right) in self.assignments(rest, "place P,Q=a R=b") {
            let roles = left.split(b',').into_iter().filter_map(|role| self.role(role)).collect();
            self.header.placements.push(Placement { roles, node: named(right) });
        }
    }

    fn cores(&mut self, rest: Piece<'_>) {
        for (left, right) in self.assignments(rest, "cores a=2 b=1") {
            if let Some(count) = self.count(right) {
                self.header.cores.push((named(left), count));
            }
        }
    }

    fn capacities(&mut self, rest: Piece<'_>) {
        for (left, right) in self.assignments(rest, "capacity P->Q=2") {
            let Some(arrow) = left.text.find("->") else {
                self.diagnostics.push(malformed(
                    "expected `P->Q`",
                    left.span(),
                    "for example `capacity P->Q=2`",
                ));
                continue;
            };
            let (from, to) = left.cut(arrow);
            let to = Piece::new(&to.text[1..], to.offset + 1);
            if let (Some(from), Some(to), Some(slots)) = (self.role(from), self.role(to), self.count(right)) {
                self.header.capacities.push(SlotCount { from, to, slots });
            }
        }
    }

    /// `W`, `W[3]` or `W[1..2]`.
    fn role(&mut self, piece: Piece<'_>) -> Option<RolePattern> {
        let (name, rest) = piece.first_word();
        let members = match rest.text {
            "" => Some(None),
            bracketed => member_range(bracketed).map(Some),
        };
        if name.text.is_empty() || members.is_none() {
            self.diagnostics.push(malformed(
                "expected a role",
                piece.span(),
                "roles read `P`, `W[3]` or `W[1..2]`",
            ));
            return None;
        }
        Some(RolePattern { name: named(name), members: members? })
    }

    fn count(&mut self, piece: Piece<'_>) -> Option<u32> {
        let count = piece.text.parse().ok().filter(|count| *count > 0);
        if count.is_none() {
            self.diagnostics.push(
                Diagnostic::error("S014", format!("`{}` is not a count", piece.text))
                    .at(piece.span(), "expected a whole number from 1 on"),
            );
        }
        count
    }

    fn check_repetitions(&mut self) {
        let header = &self.header;
        for (what, settings) in [
            ("the parameter", &header.parameters),
            ("the loop", &header.iterations),
            ("the type", &header.sizes),
        ] {
            let mut seen = BTreeSet::new();
            let again = settings.iter().filter(|setting| !seen.insert(setting.name.text.as_str()));
            self.diagnostics.extend(again.map(|s| given_twice(what, &s.name.text, s.name.at.0)));
        }
        let mut seen = BTreeSet::new();
        let again = header.cores.iter().filter(|(node, _)| !seen.insert(node.text.as_str()));
        self.diagnostics.extend(again.map(|(node, _)| given_twice("the node", &node.text, node.at.0)));
    }
}

/// The members that `[3]` or `[1..2]` names.
fn member_range(bracketed: &str) -> Option<(i64, i64)> {
    let inner = bracketed.strip_prefix('[')?.strip_suffix(']')?;
    let (first, last) = inner.split_once("..").unwrap_or((inner, inner));
    Some((first.trim().parse().ok()?, last.trim().parse().ok()?))
}

fn named(piece: Piece<'_>) -> Name {
    Name { text: piece.text.to_owned(), at: At(piece.span()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_items_are_read() {
        let text = "param n=max(1, 2), c1; iter X=1000, Y=n; place P,Q=a R = b, W[1..2]=c; cores a=2 b=1; \
                    capacity P->Q=2, W->W[3]=1; sizeof int=8";
        let (header, diagnostics) = parse_header(text, 0);
        assert_eq!(diagnostics, []);
        assert_eq!((header.parameters.len(), header.iterations.len(), header.sizes.len()), (2, 2, 1));
        assert_eq!((header.placements.len(), header.cores.len(), header.capacities.len()), (3, 2, 2));
        assert_eq!(header.placements[0].roles.len(), 2);
        assert_eq!(header.placements[2].roles[0].members, Some((1, 2)));
        assert_eq!(header.capacities[1].to.members, Some((3, 3)));
    }

    #[test]
    fn faults_are_reported_together() {
        let (_, diagnostics) =
            parse_header("parm n; iter X; place P a; cores a=0; capacity P=1; param k, k=2", 0);
        let codes: Vec<&str> = diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, ["S010", "S012", "S012", "S014", "S012", "S011"]);
    }
}
