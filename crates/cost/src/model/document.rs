use diag::{Diagnostic, Source, Span};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::Formula;
use diag::spelling::nearest;

/// A value of a TOML document with its place.
pub(super) type Value<'t> = Spanned<DeValue<'t>>;

/// Reads the text of a sample file that a model names; an error is a reason for the reader.
pub(super) type SampleFiles<'f> = dyn FnMut(&str) -> Result<String, String> + 'f;

/// Typed access to a TOML document; what does not fit is reported and left out.
pub(super) struct Reader<'s> {
    pub(super) text: &'s str,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) files: &'s mut SampleFiles<'s>,
}

pub(super) fn span<T>(value: &Spanned<T>) -> Span {
    let range = value.span();
    Span::new(range.start, range.end)
}

impl Reader<'_> {
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    /// Reports C004 and gives nothing.
    pub(super) fn wrong_type<T>(&mut self, key: &str, value: &Value, wanted: &str) -> Option<T> {
        let found = match value.get_ref() {
            DeValue::String(_) => "a string",
            DeValue::Float(_) if !number(value.get_ref()).is_some_and(f64::is_finite) => "one without end",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "an array",
            DeValue::Table(_) => "a table",
        };
        self.report(
            Diagnostic::error("C004", format!("`{key}` must be {wanted}, not {found}"))
                .at(span(value), format!("this is {found}"))
                .help(format!("write {wanted} after `{key} =`")),
        );
        None
    }

    pub(super) fn string<'v>(&mut self, key: &str, value: &'v Value) -> Option<&'v str> {
        match value.get_ref() {
            DeValue::String(text) => Some(text),
            _ => self.wrong_type(key, value, "a string"),
        }
    }

    /// A finite number.
    pub(super) fn number(&mut self, key: &str, value: &Value) -> Option<f64> {
        match number(value.get_ref()) {
            Some(number) if number.is_finite() => Some(number),
            _ => self.wrong_type(key, value, "a finite number"),
        }
    }

    pub(super) fn array<'v, 't>(&mut self, key: &str, value: &'v Value<'t>) -> Option<&'v [Value<'t>]> {
        match value.get_ref() {
            DeValue::Array(items) => Some(items),
            _ => self.wrong_type(key, value, "an array"),
        }
    }

    pub(super) fn table<'v, 't>(&mut self, key: &str, value: &'v Value<'t>) -> Option<&'v DeTable<'t>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => self.wrong_type(key, value, "a table"),
        }
    }

    /// A formula in a string, or a number.
    pub(super) fn formula(&mut self, key: &str, value: &Value) -> Option<Formula> {
        let text = match value.get_ref() {
            DeValue::Integer(_) | DeValue::Float(_) => return self.number(key, value).map(Formula::number),
            DeValue::String(text) => text,
            _ => return self.wrong_type(key, value, "a formula in a string, or a number"),
        };
        match Formula::parse(text, 0) {
            Ok(formula) => Some(formula),
            Err(mut diagnostics) => {
                for label in diagnostics.iter_mut().flat_map(|diagnostic| &mut diagnostic.labels) {
                    label.span = self.inside(value, text, label.span);
                }
                self.diagnostics.append(&mut diagnostics);
                None
            }
        }
    }

    /// The place in the file of a part of a string. Where escapes make the string differ from its
    /// text in the file, that is the whole string.
    pub(super) fn inside(&self, value: &Value, text: &str, part: Span) -> Span {
        let whole = span(value);
        let raw = self.text.get(whole.range()).unwrap_or("");
        match raw.find(text) {
            Some(at) if !text.is_empty() => part.shift(whole.start as usize + at),
            _ => whole,
        }
    }

    /// Reports C003 at `place` if a key is missing.
    pub(super) fn required<'v, 't>(
        &mut self,
        table: &'v DeTable<'t>,
        key: &str,
        owner: &str,
        place: Span,
    ) -> Option<&'v Value<'t>> {
        let found = table.get(key);
        if found.is_none() {
            self.report(
                Diagnostic::error("C003", format!("{owner} needs the key `{key}`"))
                    .at(place, format!("`{key}` is missing"))
                    .help(format!("add `{key} = ..`")),
            );
        }
        found
    }

    /// Reports C002 for every key that is not among the known ones.
    pub(super) fn only(&mut self, table: &DeTable, known: &[&str], owner: &str) {
        for key in table.keys() {
            if !known.contains(&key.get_ref().as_ref()) {
                self.unknown_key(key.get_ref(), span(key), known, owner);
            }
        }
    }

    pub(super) fn unknown_key(&mut self, key: &str, place: Span, known: &[&str], owner: &str) {
        let help = match nearest(key, known.iter().copied()) {
            Some(candidate) => format!("did you mean `{candidate}`?"),
            None => format!("its keys are {}", known.join(", ")),
        };
        self.report(
            Diagnostic::error("C002", format!("{owner} has no key `{key}`"))
                .at(place, "unknown key")
                .help(help),
        );
    }
}

/// The number that a TOML value is, not necessarily finite.
pub(super) fn number(value: &DeValue) -> Option<f64> {
    match value {
        DeValue::Float(float) => float.as_str().parse().ok(),
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
        DeValue::Integer(integer) => {
            let value = u64::from_str_radix(integer.as_str(), integer.radix()).ok()?;
            #[expect(clippy::cast_precision_loss, reason = "numbers are floating point, as in formulas")]
            Some(value as f64)
        }
        _ => None,
    }
}

/// Reads a document; all syntax faults are C001, and what could be read is still given.
pub(super) fn document<'s>(source: &'s Source, diagnostics: &mut Vec<Diagnostic>) -> Spanned<DeTable<'s>> {
    let (table, errors) = DeTable::parse_recoverable(source.text());
    for error in errors {
        let range = error.span().unwrap_or(0..0);
        diagnostics.push(
            Diagnostic::error("C001", format!("this is no TOML: {}", error.message()))
                .at(Span::new(range.start, range.end), "not understood")
                .help(
                    "cost models are TOML files: key = value, texts in double quotes, [[operation]] tables",
                ),
        );
    }
    table
}
