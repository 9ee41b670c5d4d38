use std::collections::{BTreeMap, BTreeSet};

use diag::{Diagnostic, Source, Span};
use toml::de::{DeTable, DeValue};

use super::document::{Reader, Value, document, span};
use super::entry::{Marks, Scope};
use super::{FORMAT_VERSION, Model, Operation, Provenance, VARIABLES};
use crate::Unit;
use crate::formula::is_name;
use diag::spelling::suggestion;

impl Model {
    /// Reads a cost model. Sample files cannot be reached: see [`Self::parse_with`].
    ///
    /// The model is given unless one of the diagnostics is an error. Codes C001 to C022 and C101 to C109.
    #[must_use]
    pub fn parse(source: &Source) -> (Option<Self>, Vec<Diagnostic>) {
        Self::parse_with(source, &mut |_| Err("sample files cannot be read here".to_owned()))
    }

    /// Reads a cost model whose entries may name files of samples: `files` gives the text of a file by
    /// its name as written, or a reason why not. It is called once per mention.
    pub fn parse_with(
        source: &Source,
        files: &mut dyn FnMut(&str) -> Result<String, String>,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        let mut reader = Reader { text: source.text(), diagnostics: Vec::new(), files };
        let document = document(source, &mut reader.diagnostics);
        let broken = !reader.diagnostics.is_empty();
        let root = document.get_ref();
        reader.only(root, &["model", "parameters", "operation"], "a cost model");
        let header = reader.header(root);
        let parameters = reader.parameters(root);
        let mut variables: BTreeSet<String> = VARIABLES.map(str::to_owned).into();
        variables.extend(parameters.keys().cloned());
        variables.extend(header.variables.iter().cloned());
        let scope = Scope { unit: header.unit, variables, parameters: &parameters };
        let operations = reader.operations(root, &scope);
        let mut diagnostics = reader.diagnostics;
        if broken {
            without_consequences(source, &mut diagnostics);
        }
        diag::sort(&mut diagnostics);
        let usable = !diag::has_errors(&diagnostics);
        let model = header.model().filter(|_| usable);
        (model.map(|model| Model { parameters, operations, ..model }), diagnostics)
    }
}

/// The table `[model]`, as far as it was understood.
#[derive(Default)]
struct Header {
    name: Option<String>,
    unit: Option<Unit>,
    source: Option<Provenance>,
    environment: Option<String>,
    date: Option<String>,
    comment: Option<String>,
    variables: BTreeSet<String>,
}

impl Header {
    /// A model without prices, if all that it needs is there.
    fn model(self) -> Option<Model> {
        let Self { environment, date, comment, variables, .. } = self;
        Some(Model {
            environment,
            date,
            comment,
            variables,
            ..Model::new(&self.name?, self.unit?, self.source?)
        })
    }
}

impl Reader<'_> {
    fn header(&mut self, root: &DeTable) -> Header {
        let value = self.required(root, "model", "a cost model", Span::new(0, 0));
        let Some((table, place)) = value.and_then(|value| Some((self.table("model", value)?, span(value))))
        else {
            return Header::default();
        };
        let known = ["name", "unit", "source", "environment", "date", "comment", "version", "variables"];
        self.only(table, &known, "[model]");
        let required = |reader: &mut Self, key| reader.required(table, key, "[model]", place);
        let name = required(self, "name").and_then(|value| self.string("name", value));
        let unit = required(self, "unit").and_then(|value| self.unit(value));
        let source = required(self, "source").and_then(|value| self.provenance(value));
        table.get("version").and_then(|value| self.version(value));
        Header {
            name: name.map(str::to_owned),
            unit,
            source,
            date: table.get("date").and_then(|value| self.date(value)),
            variables: table.get("variables").map(|value| self.variables(value)).unwrap_or_default(),
            environment: self.optional_string(table, "environment"),
            comment: self.optional_string(table, "comment"),
        }
    }

    pub(super) fn optional_string(&mut self, table: &DeTable, key: &str) -> Option<String> {
        self.string(key, table.get(key)?).map(str::to_owned)
    }

    fn unit(&mut self, value: &Value) -> Option<Unit> {
        let symbol = self.string("unit", value)?;
        let unit = Unit::from_symbol(symbol);
        if unit.is_none() {
            self.report(
                Diagnostic::error("C005", format!("there is no unit `{symbol}`"))
                    .at(span(value), "unknown unit")
                    .help(suggestion(symbol, &Unit::ALL.map(Unit::symbol), "units")),
            );
        }
        unit
    }

    fn provenance(&mut self, value: &Value) -> Option<Provenance> {
        let word = self.string("source", value)?;
        let source = Provenance::ALL.into_iter().find(|source| source.word() == word);
        if source.is_none() {
            self.report(
                Diagnostic::error("C006", format!("`{word}` is no source of numbers"))
                    .at(span(value), "unknown source")
                    .help(suggestion(word, &Provenance::ALL.map(Provenance::word), "sources")),
            );
        }
        source
    }

    fn date(&mut self, value: &Value) -> Option<String> {
        let text = match value.get_ref() {
            DeValue::Datetime(date) => date.to_string(),
            _ => self.string("date", value)?.to_owned(),
        };
        if is_date(&text) {
            return Some(text);
        }
        self.report(
            Diagnostic::error("C007", format!("`{text}` is no date"))
                .at(span(value), "not understood")
                .help("dates are written \"2026-11-30\": year, month, day"),
        );
        None
    }

    fn version(&mut self, value: &Value) -> Option<()> {
        let version = self.number("version", value)?;
        #[expect(clippy::cast_precision_loss, reason = "format versions are small")]
        if version != FORMAT_VERSION as f64 {
            self.report(
                Diagnostic::error("C008", format!("this file has version {version} of the format"))
                    .at(span(value), "unknown version")
                    .help(format!(
                        "this program reads version {FORMAT_VERSION}; leaving the key out means it"
                    )),
            );
        }
        Some(())
    }

    fn variables(&mut self, value: &Value) -> BTreeSet<String> {
        let items = self.array("variables", value).unwrap_or_default();
        let mut names = BTreeSet::new();
        for item in items {
            if let Some(name) = self.string("variables", item)
                && self.is_variable(name, span(item))
            {
                names.insert(name.to_owned());
            }
        }
        names
    }

    /// Reports C022 if a text cannot stand in formulas as a variable.
    pub(super) fn is_variable(&mut self, name: &str, place: Span) -> bool {
        let fits = is_name(name);
        if !fits {
            self.report(
                Diagnostic::error("C022", format!("`{name}` cannot be used in formulas"))
                    .at(place, "no name of a variable")
                    .help("names consist of letters, digits and underscores and begin with a letter"),
            );
        }
        fits
    }

    fn parameters(&mut self, root: &DeTable) -> BTreeMap<String, f64> {
        let Some(value) = root.get("parameters") else { return BTreeMap::new() };
        let Some(table) = self.table("parameters", value) else { return BTreeMap::new() };
        let mut parameters = BTreeMap::new();
        for (key, value) in table {
            let name = key.get_ref();
            if self.is_variable(name, span(key))
                && let Some(number) = self.number(name, value)
            {
                parameters.insert(name.to_string(), number);
            }
        }
        parameters
    }

    fn operations(&mut self, root: &DeTable, scope: &Scope) -> Vec<Operation> {
        let Some(value) = root.get("operation") else {
            self.report(
                Diagnostic::warning("C019", "this cost model prices nothing")
                    .at(Span::new(0, 0), "no [[operation]] in the file")
                    .help("add an entry: [[operation]] with a name and a mean"),
            );
            return Vec::new();
        };
        let DeValue::Array(items) = value.get_ref() else {
            self.report(
                Diagnostic::error("C004", "`operation` must be a list of tables")
                    .at(span(value), "this is a single one")
                    .help("write [[operation]] with two brackets"),
            );
            return Vec::new();
        };
        let mut entries = Vec::new();
        for item in items.iter() {
            if let Some(table) = self.table("operation", item) {
                entries.extend(self.operation(table, span(item), scope));
            }
        }
        self.repetitions(&entries);
        entries.into_iter().map(|(operation, _)| operation).collect()
    }

    /// Warns (C017) of entries that an equal later one hides.
    fn repetitions(&mut self, entries: &[(Operation, Marks)]) {
        let mut seen: BTreeMap<String, Span> = BTreeMap::new();
        for (operation, marks) in entries {
            let key =
                format!("{:?}", (&operation.name, &operation.from, &operation.to, &operation.attributes));
            if let Some(earlier) = seen.insert(key, marks.name) {
                self.report(
                    Diagnostic::warning(
                        "C017",
                        format!("`{}` is priced twice for the same parties", operation.name),
                    )
                    .at(marks.name, "this entry is used")
                    .at(earlier, "this one never is")
                    .help("remove one of them, or give them different `from`, `to` or attributes"),
                );
            }
        }
    }
}

/// Drops what may only follow from faults of the syntax: keys missing because their line was not read,
/// and whatever is said about a line that is no TOML.
fn without_consequences(source: &Source, diagnostics: &mut Vec<Diagnostic>) {
    let line = |diagnostic: &Diagnostic| diagnostic.span().map(|span| source.position(span.start).line);
    let broken: Vec<_> = diagnostics.iter().filter(|d| d.code == "C001").map(line).collect();
    diagnostics.retain(|diagnostic| match diagnostic.code {
        "C001" => true,
        "C003" | "C009" | "C019" => false,
        _ => !broken.contains(&line(diagnostic)),
    });
}

/// Whether a text is a date `YYYY-MM-DD` of the Gregorian calendar.
fn is_date(text: &str) -> bool {
    let digits = |range: std::ops::Range<usize>| -> Option<u32> {
        let part = text.get(range)?;
        part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok())?
    };
    let shape = text.len() == 10 && text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    let (Some(year), Some(month), Some(day)) = (digits(0..4), digits(5..7), digits(8..10)) else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => 0,
    };
    shape && (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use super::is_date;

    #[test]
    fn dates() {
        assert!(is_date("2026-11-30") && is_date("2024-02-29") && is_date("2000-02-29"));
        for wrong in
            ["2026-11-31", "2023-02-29", "1900-02-29", "2026-13-01", "26-11-30", "2026/11/30", "+026-1-30"]
        {
            assert!(!is_date(wrong), "{wrong}");
        }
    }
}
