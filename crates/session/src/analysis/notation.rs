//! Equations as text and LaTeX.

use std::fmt::Write as _;

use cost::Formula;
use cost::formula::Node as FormulaNode;

use super::charges::ChargeKind;
use super::equations::{Equations, Maximum, Start, Sum, Symbol};
use crate::global::RoleId;

/// How equations are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    /// Plain text: `max(send(P,Q,8) + c, ...)`.
    Text,
    /// LaTeX mathematics, without the surrounding dollar signs.
    Latex,
}

impl Equations {
    /// The right-hand side of equation number `index`.
    #[must_use]
    pub fn right(&self, index: usize, notation: Notation) -> String {
        self.maximum(&self.equations[index], notation)
    }

    /// The named subterms as `(name, right-hand side)`, in order of definition.
    #[must_use]
    pub fn named(&self, notation: Notation) -> Vec<(String, String)> {
        let define = |(index, maximum)| (subterm(index, notation), self.maximum(maximum, notation));
        self.definitions.iter().enumerate().map(define).collect()
    }

    /// Name of state variable `index` at the head of the loop.
    #[must_use]
    pub fn state(&self, index: usize, notation: Notation) -> String {
        match notation {
            Notation::Text => self.states[index].clone(),
            Notation::Latex => format!("\\mathit{{{}}}", escape(&self.states[index])),
        }
    }

    fn maximum(&self, maximum: &Maximum, notation: Notation) -> String {
        let sums: Vec<String> = maximum.iter().map(|sum| self.sum(sum, notation)).collect();
        match (sums.as_slice(), notation) {
            ([only], _) => only.clone(),
            (_, Notation::Text) => format!("max({})", sums.join(", ")),
            (_, Notation::Latex) => format!("\\max\\left({}\\right)", sums.join(", ")),
        }
    }

    fn sum(&self, sum: &Sum, notation: Notation) -> String {
        let mut parts = Vec::new();
        match sum.start {
            Start::Zero => {}
            Start::State(state) => parts.push(self.state(state as usize, notation)),
            Start::Named(index) => parts.push(subterm(index as usize, notation)),
        }
        for (symbol, count) in &sum.terms {
            parts.push(self.times(*count, &self.symbols[*symbol as usize], notation));
        }
        if parts.is_empty() { "0".to_owned() } else { parts.join(" + ") }
    }

    fn times(&self, count: u32, symbol: &Symbol, notation: Notation) -> String {
        let single = count == 1;
        let mut text = match symbol {
            Symbol::Transport(kind, from, to, size) => {
                let name = |role: &RoleId| self.roles[role.index()].as_str();
                transport(*kind, name(from), name(to), &formula(size, notation), notation)
            }
            Symbol::Compute(time) => {
                let text = formula(time, notation);
                let is_sum = matches!(time.node(), FormulaNode::Sum { .. } | FormulaNode::Negate(_));
                if is_sum && !single { format!("({text})") } else { text }
            }
        };
        if !single {
            text = match notation {
                Notation::Text => format!("{count}*{text}"),
                Notation::Latex => format!("{count} \\cdot {text}"),
            };
        }
        text
    }
}

fn subterm(index: usize, notation: Notation) -> String {
    match notation {
        Notation::Text => format!("t{}", index + 1),
        Notation::Latex => format!("t_{{{}}}", index + 1),
    }
}

fn formula(formula: &Formula, notation: Notation) -> String {
    match notation {
        Notation::Text => formula.to_string(),
        Notation::Latex => formula.to_latex(),
    }
}

fn transport(kind: ChargeKind, from: &str, to: &str, size: &str, notation: Notation) -> String {
    let operation = kind.operation();
    let mut text = String::new();
    match notation {
        Notation::Text => write!(text, "{operation}({from},{to},{size})"),
        Notation::Latex => {
            write!(
                text,
                "T_{{\\mathrm{{{operation}}}}}(\\mathit{{{}}}, \\mathit{{{}}}, {size})",
                escape(from),
                escape(to)
            )
        }
    }
    .expect("writing to a string succeeds");
    text
}

fn escape(name: &str) -> String {
    name.replace('_', "\\_")
}
