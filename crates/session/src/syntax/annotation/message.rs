use cost::Formula;
use diag::Diagnostic;

use super::piece::Piece;
use super::{given_twice, malformed, not_ours};
use diag::spelling::{nearest, suggestion};

/// What the string of a message can say.
pub const MESSAGE_KEYS: [&str; 5] = ["size", "cost", "pre", "prob", "deadline"];

/// Sizes and costs of a message.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MessageCosts {
    /// Bytes on the wire, label included.
    pub size: Option<Formula>,
    /// Computation at the receiver after receiving.
    pub cost: Option<Formula>,
    /// Computation at the sender before sending.
    pub pre: Option<Formula>,
    /// Probability of the branch that the message begins.
    pub prob: Option<Formula>,
    /// Latest completion.
    pub deadline: Option<Formula>,
}

impl MessageCosts {
    fn slot(&mut self, key: &str) -> Option<&mut Option<Formula>> {
        match key {
            "size" => Some(&mut self.size),
            "cost" => Some(&mut self.cost),
            "pre" => Some(&mut self.pre),
            "prob" => Some(&mut self.prob),
            "deadline" => Some(&mut self.deadline),
            _ => None,
        }
    }

    /// What is said, by key, in the order of [`MESSAGE_KEYS`].
    pub fn entries(&self) -> impl Iterator<Item = (&'static str, &Formula)> {
        let values = [&self.size, &self.cost, &self.pre, &self.prob, &self.deadline];
        MESSAGE_KEYS.into_iter().zip(values).filter_map(|(key, value)| Some((key, value.as_ref()?)))
    }
}

/// Reads the string of a message: `size=8*n, cost=c1, prob=0.99`.
///
/// Codes S010 to S013, and C1xx for formulas.
#[must_use]
pub fn parse_message(text: &str, offset: usize) -> (MessageCosts, Vec<Diagnostic>) {
    let mut costs = MessageCosts::default();
    let whole = Piece::new(text, offset);
    if whole.text.is_empty() {
        return (costs, Vec::new());
    }
    let parts = whole.split(b',');
    let keys: Vec<&str> = parts.iter().filter_map(|part| Some(part.assignment()?.0.text)).collect();
    if !keys.iter().any(|key| nearest(key, MESSAGE_KEYS).is_some()) {
        return (costs, vec![not_ours(text, offset, !keys.is_empty())]);
    }
    let mut diagnostics = Vec::new();
    for part in parts {
        read_part(part, &mut costs, &mut diagnostics);
    }
    (costs, diagnostics)
}

fn read_part(part: Piece<'_>, costs: &mut MessageCosts, diagnostics: &mut Vec<Diagnostic>) {
    let help = "entries read `key=formula` and are separated by commas";
    let Some((key, value)) = part.assignment() else {
        diagnostics.push(malformed("this entry has no `key=`", part.span(), help));
        return;
    };
    let Some(slot) = costs.slot(key.text) else {
        diagnostics.push(
            Diagnostic::error("S010", format!("there is no key `{}`", key.text))
                .at(key.span(), "unknown key")
                .help(suggestion(key.text, &MESSAGE_KEYS, "keys")),
        );
        return;
    };
    if slot.is_some() {
        diagnostics.push(given_twice("the key", key.text, key.span()));
    } else if value.text.is_empty() {
        diagnostics.push(malformed(format!("`{}` has no value", key.text), part.span(), help));
    } else {
        *slot = value.formula(diagnostics);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Vec<(&'static str, u32)>) {
        let (costs, diagnostics) = parse_message(text, 100);
        let said: Vec<String> = costs.entries().map(|(key, value)| format!("{key}={value}")).collect();
        let faults = diagnostics.iter().map(|d| (d.code, d.span().map_or(0, |span| span.start))).collect();
        (said.join(", "), faults)
    }

    #[test]
    fn commas_inside_parentheses_belong_to_the_formula() {
        assert_eq!(read(" size = max(8*n, 64),cost=c1 "), ("size=max(8*n, 64), cost=c1".to_owned(), vec![]));
    }

    #[test]
    fn faults_point_into_the_file() {
        assert_eq!(
            read("size=1, czst=2, size=3, cost, pre=").1,
            [("S010", 108), ("S011", 116), ("S012", 124), ("S012", 130)]
        );
    }

    #[test]
    fn assertions_of_old_files_are_left_alone() {
        assert_eq!(read("ts_rac > ts_rab").1, [("S013", 100)]);
        assert_eq!(read("p3=p4").1, [("S013", 100)]);
        assert_eq!(read("").1, []);
    }
}
