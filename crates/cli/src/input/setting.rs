//! `NAME=VALUE` and percentages, as given on the command line.

use std::collections::BTreeMap;

use cost::{Environment, Formula, Unit};

use crate::output::Failure;

/// A parameter given on the command line: `NAME=VALUE`, the value a number or arithmetic over numbers.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Given {
    name: String,
    value: Formula,
    text: String,
}

impl Given {
    /// As it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

/// Parses `NAME=VALUE` for the command line; the error is a sentence.
pub(crate) fn given(text: &str) -> Result<Given, String> {
    let Some((name, value)) = text.split_once('=') else {
        return Err("write NAME=VALUE, such as n=64".to_owned());
    };
    let name = name.trim();
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '\'';
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') || !name.chars().all(letters) {
        return Err(format!("`{name}` is no name of a parameter"));
    }
    let value = Formula::parse(value, 0).map_err(|diagnostics| match diagnostics.first() {
        Some(first) => format!("`{value}`: {}", first.message),
        None => format!("`{value}` is no number"),
    })?;
    Ok(Given { name: name.to_owned(), value, text: text.to_owned() })
}

/// The values of the settings, quantities such as `5us` in `unit`. A name given twice keeps the later value.
pub(crate) fn parameters(settings: &[Given], unit: Option<Unit>) -> Result<BTreeMap<String, f64>, Failure> {
    let nothing = Environment { values: BTreeMap::new(), unit };
    let mut values = BTreeMap::new();
    for one in settings {
        let value = one
            .value
            .evaluate(&nothing)
            .map_err(|error| Failure::new(format!("--set {}: {error}", one.text)))?;
        values.insert(one.name.clone(), value);
    }
    Ok(values)
}

/// Parses a share such as `15%` or `0.15` for the command line.
pub(crate) fn share(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let (digits, scale) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 100.0));
    match digits.trim().parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value / scale),
        _ => Err("write a percentage such as 15%, or a fraction such as 0.15".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_names_with_arithmetic() {
        let all = [given("n=2^10").unwrap(), given("c1 = 5us").unwrap(), given("n=3").unwrap()];
        let values = parameters(&all, Some(Unit::Nanoseconds)).unwrap_or_else(|_| panic!("evaluates"));
        assert_eq!(values, BTreeMap::from([("n".to_owned(), 3.0), ("c1".to_owned(), 5000.0)]));
        for bad in ["n", "=3", "n=", "2n=3", "n=1+", "a b=3"] {
            assert!(given(bad).is_err(), "{bad}");
        }
        assert!(parameters(&[given("n=m").unwrap()], None).is_err(), "names mean nothing here");
        assert!(parameters(&[given("n=1/0").unwrap()], None).is_err());
    }

    #[test]
    fn shares_are_percentages_or_fractions() {
        assert_eq!(share("15%"), Ok(0.15));
        assert_eq!(share("0.15"), Ok(0.15));
        for bad in ["", "%", "x", "-5%", "inf", "nan"] {
            assert!(share(bad).is_err(), "{bad}");
        }
    }
}
