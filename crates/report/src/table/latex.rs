//! The LaTeX form of tables.

use super::{Align, Cell, Measure, Table, rounded};

impl Table {
    /// A `tabular` with rules by `\hline`; everything that LaTeX would interpret is escaped.
    #[must_use]
    pub fn to_latex(&self) -> String {
        let places: String =
            self.columns.iter().map(|c| if c.align == Align::Left { 'l' } else { 'r' }).collect();
        let head: Vec<String> = self.columns.iter().map(|column| latex_escaped(&column.name)).collect();
        let mut out =
            format!("\\begin{{tabular}}{{{places}}}\n\\hline\n{} \\\\\n\\hline\n", head.join(" & "));
        for row in &self.rows {
            let cells: Vec<String> =
                self.columns.iter().zip(row).map(|(c, cell)| latex_cell(c.measure, cell)).collect();
            out.push_str(&cells.join(" & "));
            out.push_str(" \\\\\n");
        }
        out.push_str("\\hline\n\\end{tabular}\n");
        out
    }
}

fn latex_cell(measure: Measure, cell: &Cell) -> String {
    match cell {
        Cell::Formula { latex, .. } => format!("${latex}$"),
        Cell::Missing => "--".to_owned(),
        // A micro sign is what a printed table is expected to show.
        Cell::Number(_) if matches!(measure, Measure::Quantity(_)) => {
            latex_escaped(&rounded(measure, cell)).replace(" us", "\\,$\\mu$s").replace(' ', "\\,")
        }
        _ => latex_escaped(&rounded(measure, cell)),
    }
}

/// Escapes the ten characters that LaTeX gives a meaning.
#[must_use]
pub fn latex_escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => {
                out.push('\\');
                out.push(character);
            }
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
