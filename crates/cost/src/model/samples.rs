use diag::{Diagnostic, Span};
use toml::de::DeValue;

use super::document::{Reader, Value, span};
use super::entry::Scope;
use super::{Cost, Curve};
use crate::Spline;

impl Reader<'_> {
    /// `samples`: a list of numbers, a file with one number per line, or `{ file = .., over = .. }`: a
    /// file with two numbers per line, a variable's value and a cost.
    pub(super) fn samples(&mut self, value: &Value, scope: &Scope) -> Option<Cost> {
        match value.get_ref() {
            DeValue::Array(items) => {
                let samples: Vec<Option<f64>> =
                    items.iter().map(|item| self.number("samples", item)).collect();
                let samples = samples.into_iter().collect::<Option<Vec<f64>>>()?;
                self.usable(&samples, span(value)).then_some(Cost::Samples(samples))
            }
            DeValue::String(file) => {
                let samples: Vec<f64> = self.rows::<1>(file, span(value))?.into_iter().map(|[y]| y).collect();
                self.usable(&samples, span(value)).then_some(Cost::Samples(samples))
            }
            DeValue::Table(table) => {
                self.only(table, &["file", "over"], "`samples`");
                let over = self.required(table, "over", "`samples` as a table", span(value));
                let over = over.and_then(|over| self.variable("over", over, scope));
                let file = self.required(table, "file", "`samples` as a table", span(value))?;
                let name = self.string("file", file)?;
                let rows = self.rows::<2>(name, span(file))?;
                let costs: Vec<f64> = rows.iter().map(|[_, cost]| *cost).collect();
                let usable = self.usable(&costs, span(file));
                let cost = self.measured_curve(rows, over?, span(file));
                cost.filter(|_| usable)
            }
            _ => self.wrong_type("samples", value, "a list of numbers, a file name or a table"),
        }
    }

    /// Reports C011 if there are no samples or a negative one.
    fn usable(&mut self, samples: &[f64], place: Span) -> bool {
        let fault = match samples.iter().find(|sample| **sample < 0.0) {
            Some(negative) => format!("{negative} is less than nothing"),
            None if samples.is_empty() => "there are none".to_owned(),
            None => return true,
        };
        self.report(
            Diagnostic::error("C011", format!("these samples are no costs: {fault}"))
                .at(place, fault)
                .help("give at least one measured cost, none negative"),
        );
        false
    }

    /// The numbers of a sample file: `N` per line, separated by commas, semicolons or blanks; empty
    /// lines, lines that begin with `#` and a first line of headings are skipped.
    fn rows<const N: usize>(&mut self, file: &str, place: Span) -> Option<Vec<[f64; N]>> {
        let text = match (self.files)(file) {
            Ok(text) => text,
            Err(reason) => {
                self.report(
                    Diagnostic::error("C021", format!("the sample file `{file}` cannot be read: {reason}"))
                        .at(place, "named here")
                        .help("give a path relative to the cost model, or write the samples as a list"),
                );
                return None;
            }
        };
        let lines =
            text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        let mut rows = Vec::new();
        for (position, (index, line)) in lines.enumerate() {
            let fields = line.split([',', ';', ' ', '\t', '\r']).filter(|field| !field.is_empty());
            let numbers: Option<Vec<f64>> =
                fields.map(|field| field.parse().ok().filter(|number: &f64| number.is_finite())).collect();
            let headings = numbers.is_none() && position == 0;
            match numbers.and_then(|numbers| <[f64; N]>::try_from(numbers).ok()) {
                Some(row) => rows.push(row),
                None if headings => {}
                None => {
                    self.report(bad_line(file, index + 1, N, place));
                    return None;
                }
            }
        }
        Some(rows)
    }

    /// Splines through minimum, mean and maximum of the costs at each value of the variable.
    fn measured_curve(&mut self, mut rows: Vec<[f64; 2]>, over: String, place: Span) -> Option<Cost> {
        rows.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
        let groups: Vec<(f64, Vec<f64>)> = rows
            .chunk_by(|a, b| a[0] == b[0])
            .map(|group| (group[0][0], group.iter().map(|[_, cost]| *cost).collect()))
            .collect();
        let lane = |choose: fn(&[f64]) -> f64| {
            Spline::new(groups.iter().map(|(x, costs)| (*x, choose(costs))).collect())
                .map(|spline| Curve::Spline { over: over.clone(), spline })
        };
        #[expect(clippy::cast_precision_loss, reason = "sample counts are far below 2^53")]
        let mean = |costs: &[f64]| costs.iter().sum::<f64>() / costs.len() as f64;
        match (lane(|costs| costs[0]), lane(mean), lane(|costs| costs[costs.len() - 1])) {
            (Ok(min), Ok(mean), Ok(max)) => Some(Cost::Lanes { min, mean, max }),
            _ => {
                self.report(
                    Diagnostic::error("C010", format!("no spline goes through these samples of `{over}`"))
                        .at(place, "fewer than two different values")
                        .help(format!("measure at two or more values of `{over}`")),
                );
                None
            }
        }
    }
}

fn bad_line(file: &str, line: usize, numbers: usize, place: Span) -> Diagnostic {
    let wanted = if numbers == 1 { "one number" } else { "two numbers" };
    Diagnostic::error("C021", format!("line {line} of the sample file `{file}` is not {wanted}"))
        .at(place, "named here")
        .help(format!("each line holds {wanted}; comments begin with `#`"))
}
