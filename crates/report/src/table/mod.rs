//! A table of results and the four forms in which it is printed.

mod latex;

pub use latex::latex_escaped;

use cost::Unit;
use serde_json::{Map, Value, json};

use crate::number;

/// The form in which results are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Aligned columns for a terminal.
    Text,
    /// Comma-separated values (RFC 4180): full precision, units in the header.
    Csv,
    /// One JSON document: full precision.
    Json,
    /// A plain LaTeX `tabular` that needs no package.
    Latex,
}

/// On which side the text of a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Flush left: words.
    Left,
    /// Flush right: numbers.
    Right,
}

/// What the numbers of a column measure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// No numbers: words.
    Words,
    /// Pure numbers: counts, ratios.
    Number,
    /// Times or cycles, given in this unit.
    Quantity(Unit),
    /// Fractions that people read as a percentage.
    Fraction,
}

/// Head of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name, unique in the table: the key in JSON.
    pub name: String,
    /// What its numbers measure.
    pub measure: Measure,
    /// Where its cells stand.
    pub align: Align,
}

impl Column {
    /// A column of words, flush left.
    pub fn words(name: impl Into<String>) -> Self {
        Self { name: name.into(), measure: Measure::Words, align: Align::Left }
    }

    /// A column of pure numbers, flush right.
    pub fn number(name: impl Into<String>) -> Self {
        Self { name: name.into(), measure: Measure::Number, align: Align::Right }
    }

    /// A column of quantities in `unit`, flush right.
    pub fn quantity(name: impl Into<String>, unit: Unit) -> Self {
        Self { name: name.into(), measure: Measure::Quantity(unit), align: Align::Right }
    }

    /// A column of fractions, flush right: `0.05` reads `5.0 %`.
    pub fn fraction(name: impl Into<String>) -> Self {
        Self { name: name.into(), measure: Measure::Fraction, align: Align::Right }
    }

    /// The name with its unit, for forms whose cells are bare numbers.
    fn with_unit(&self) -> String {
        match self.measure {
            Measure::Quantity(unit) => format!("{} ({unit})", self.name),
            _ => self.name.clone(),
        }
    }
}

/// One field of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Nothing known.
    Missing,
    /// Words.
    Words(String),
    /// A formula, as plain text and in LaTeX's math mode.
    Formula {
        /// Plain text.
        text: String,
        /// The same for LaTeX, without the dollar signs.
        latex: String,
    },
    /// A number in the unit of its column.
    Number(f64),
}

impl From<&str> for Cell {
    fn from(words: &str) -> Self {
        Self::Words(words.to_owned())
    }
}

impl From<String> for Cell {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Self::Missing, Self::Number)
    }
}

/// Rows of results under named columns. Every row has as many cells as there are columns.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// An empty table under these columns.
    #[must_use]
    pub fn new(columns: Vec<Column>) -> Self {
        Self { columns, rows: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// When the row has not as many cells as the table has columns.
    pub fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(row.len(), self.columns.len(), "a row has one cell per column");
        self.rows.push(row);
    }

    /// The rows so far.
    #[must_use]
    pub fn rows(&self) -> &[Vec<Cell>] {
        &self.rows
    }

    /// The table in one of its forms, with a line end after the last line.
    #[must_use]
    pub fn render(&self, form: Form) -> String {
        match form {
            Form::Text => self.to_text(),
            Form::Csv => self.to_csv(),
            Form::Json => format!("{:#}\n", self.to_json()),
            Form::Latex => self.to_latex(),
        }
    }

    /// Aligned columns, two spaces apart, with a rule under the head; no spaces at line ends.
    #[must_use]
    pub fn to_text(&self) -> String {
        let head: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
        let body: Vec<Vec<String>> = self.rows.iter().map(|row| self.for_people(row)).collect();
        let widths: Vec<usize> = (0..self.columns.len())
            .map(|at| body.iter().map(|row| width(&row[at])).max().unwrap_or(0).max(width(&head[at])))
            .collect();
        let rule: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        let mut out = String::new();
        for line in [&head, &rule].into_iter().chain(&body) {
            out.push_str(self.aligned(line, &widths).trim_end());
            out.push('\n');
        }
        out
    }

    fn aligned(&self, cells: &[String], widths: &[usize]) -> String {
        let padded = self.columns.iter().zip(cells).zip(widths).map(|((column, cell), full)| {
            let gap = " ".repeat(full - width(cell));
            match column.align {
                Align::Left => format!("{cell}{gap}"),
                Align::Right => format!("{gap}{cell}"),
            }
        });
        padded.collect::<Vec<_>>().join("  ")
    }

    fn for_people(&self, row: &[Cell]) -> Vec<String> {
        self.columns.iter().zip(row).map(|(column, cell)| one_line(&rounded(column.measure, cell))).collect()
    }

    /// RFC 4180: CRLF line ends, fields quoted where they must be, a header line with units. Formulas
    /// and words as they are, numbers exactly, missing values empty.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let head: Vec<String> = self.columns.iter().map(Column::with_unit).collect();
        let body = self.rows.iter().map(|row| row.iter().map(exact_text).collect());
        let mut out = String::new();
        for line in std::iter::once(head).chain(body) {
            let fields: Vec<String> = line.iter().map(|field| csv_field(field)).collect();
            out.push_str(&fields.join(","));
            out.push_str("\r\n");
        }
        out
    }

    /// `{"columns": [{"name", "unit"}], "rows": [{name: value}]}`; numbers exactly, missing and
    /// non-finite values null.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let columns: Vec<Value> =
            self.columns.iter().map(|c| json!({"name": c.name, "unit": unit_of(c)})).collect();
        let rows: Vec<Value> = self.rows.iter().map(|row| self.row_to_json(row)).collect();
        json!({"columns": columns, "rows": rows})
    }

    fn row_to_json(&self, row: &[Cell]) -> Value {
        let pairs = self.columns.iter().zip(row).map(|(column, cell)| {
            let value = match cell {
                Cell::Missing => Value::Null,
                Cell::Words(text) | Cell::Formula { text, .. } => json!(text),
                Cell::Number(number) => json!(number),
            };
            (column.name.clone(), value)
        });
        Value::Object(pairs.collect::<Map<String, Value>>())
    }
}

fn unit_of(column: &Column) -> Value {
    match column.measure {
        Measure::Quantity(unit) => json!(unit.symbol()),
        _ => Value::Null,
    }
}

/// A cell as people read it.
fn rounded(measure: Measure, cell: &Cell) -> String {
    match cell {
        Cell::Missing => "-".to_owned(),
        Cell::Words(text) | Cell::Formula { text, .. } => text.clone(),
        Cell::Number(value) => match measure {
            Measure::Words | Measure::Number => number::plain(*value),
            Measure::Quantity(unit) => number::quantity(*value, unit),
            Measure::Fraction => number::percent(*value),
        },
    }
}

/// A cell as programs read it.
fn exact_text(cell: &Cell) -> String {
    match cell {
        Cell::Missing => String::new(),
        Cell::Words(text) | Cell::Formula { text, .. } => text.clone(),
        Cell::Number(value) => number::exact(*value),
    }
}

/// Control characters would break the alignment (and could drive the terminal).
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn csv_field(field: &str) -> String {
    if field.contains(['"', ',', '\r', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}
