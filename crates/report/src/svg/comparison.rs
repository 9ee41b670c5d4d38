//! Prediction against measurement: a row per case, both as a point with its spread.

use cost::Unit;

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, MARGIN, WIDTH, fitted, subtitle_height, text_width, titles};
use crate::{percent, quantity};

/// A value with the range around it, `low <= middle <= high`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Lower end.
    pub low: f64,
    /// The value itself.
    pub middle: f64,
    /// Upper end.
    pub high: f64,
}

/// One case that was predicted and measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// Name of the case.
    pub label: String,
    /// What else tells it apart; may be empty.
    pub detail: String,
    /// The prediction.
    pub predicted: Spread,
    /// The measurement.
    pub measured: Spread,
    /// Signed relative error of the prediction.
    pub error: f64,
}

/// Everything that the picture shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// First line.
    pub title: String,
    /// Lines below it: where, and with which costs.
    pub subtitle: Vec<String>,
    /// What is on the axis, without the unit.
    pub axis: String,
    /// Unit of all values.
    pub unit: Unit,
    /// What the two points and their ranges are, for the legend: `(predicted, measured)`.
    pub legend: (String, String),
    /// The cases, from top to bottom.
    pub points: Vec<Point>,
}

/// Where the rows begin, below a heading without subtitle.
const TOP: f64 = 102.0;
const ROW: f64 = 42.0;
const COLUMN: f64 = 92.0;

/// Draws prediction against measurement as an SVG document.
#[must_use]
pub fn figure(figure: &Figure) -> String {
    let start = TOP + subtitle_height(&figure.subtitle);
    let bottom = start + figure.points.iter().map(|_| ROW).sum::<f64>() + 4.0;
    let description = format!("{}. {}", figure.title, figure.subtitle.join(". "));
    let mut canvas = Canvas::new(WIDTH, bottom + 50.0, &figure.title, &description);
    let axis = axis(figure);
    heading(&mut canvas, figure, start);
    let mut top = start;
    for (index, _) in figure.points.iter().enumerate() {
        if index % 2 == 0 {
            canvas.rect(MARGIN - 8.0, top, WIDTH - 2.0 * MARGIN + 16.0, ROW, "lane", None);
        }
        top += ROW;
    }
    axis.draw(&mut canvas, start, bottom, &figure.axis);
    let mut top = start;
    for point in &figure.points {
        row(&mut canvas, &axis, figure, point, top);
        top += ROW;
    }
    canvas.finish()
}

fn label_room(figure: &Figure) -> f64 {
    let widths = figure.points.iter().map(|p| text_width(&p.label, 13.0).max(text_width(&p.detail, 11.0)));
    widths.fold(60.0, f64::max).min(230.0)
}

/// The axis fits the values themselves; a range that goes far beyond them is cut at its end.
fn axis(figure: &Figure) -> Axis {
    let both = || figure.points.iter().flat_map(|point| [point.predicted, point.measured]);
    let widest =
        1.5 * both().map(|spread| spread.middle).filter(|value| value.is_finite()).fold(0.0, f64::max);
    let values: Vec<f64> =
        both().flat_map(|spread| [spread.low, spread.middle, spread.high.min(widest)]).collect();
    let left = MARGIN + label_room(figure) + 16.0;
    Axis::fitting(&values, figure.unit, left, WIDTH - MARGIN - 3.0 * COLUMN - 4.0)
}

fn heading(canvas: &mut Canvas, figure: &Figure, start: f64) {
    let y = titles(canvas, &figure.title, &figure.subtitle);
    let half = (WIDTH - 2.0 * MARGIN) / 2.0 - 60.0;
    let (predicted, measured) = (fitted(&figure.legend.0, 12.0, half), fitted(&figure.legend.1, 12.0, half));
    canvas.rect(MARGIN, y - 8.0, 34.0, 8.0, "range", None);
    diamond(canvas, (MARGIN + 17.0, y - 4.0));
    canvas.text((MARGIN + 42.0, y), Anchor::Start, 12.0, "", &predicted);
    let x = MARGIN + 42.0 + text_width(&predicted, 12.0) + 24.0;
    canvas.line((x, y - 4.0), (x + 34.0, y - 4.0), "whisker");
    canvas.circle((x + 17.0, y - 4.0), 5.0, "measured");
    canvas.text((x + 42.0, y), Anchor::Start, 12.0, "", &measured);
    for (column, name) in ["error", "measured", "predicted"].iter().enumerate() {
        canvas.text((column_end(column), start - 10.0), Anchor::End, 12.0, "quiet", name);
    }
}

/// Right end of a column of numbers, counted from the right.
fn column_end(column: usize) -> f64 {
    WIDTH - MARGIN - (0..column).map(|_| COLUMN).sum::<f64>()
}

fn row(canvas: &mut Canvas, axis: &Axis, figure: &Figure, point: &Point, top: f64) {
    let room = label_room(figure);
    let middle = top + ROW / 2.0;
    let (first, second) =
        if point.detail.is_empty() { (middle + 5.0, middle) } else { (middle - 2.0, middle + 13.0) };
    canvas.text((MARGIN, first), Anchor::Start, 13.0, "", &fitted(&point.label, 13.0, room));
    if !point.detail.is_empty() {
        canvas.text((MARGIN, second), Anchor::Start, 11.0, "quiet", &fitted(&point.detail, 11.0, room));
    }
    let (above, below) = (middle - 7.0, middle + 7.0);
    let (low, high) = (axis.at(point.predicted.low), axis.at(point.predicted.high));
    canvas.rect(low, above - 4.0, (high - low).max(1.0), 8.0, "range", None);
    diamond(canvas, (axis.at(point.predicted.middle), above));
    canvas.line((axis.at(point.measured.low), below), (axis.at(point.measured.high), below), "whisker");
    canvas.circle((axis.at(point.measured.middle), below), 5.0, "measured");
    let numbers = [
        percent(point.error),
        quantity(point.measured.middle, figure.unit),
        quantity(point.predicted.middle, figure.unit),
    ];
    for (column, text) in numbers.iter().enumerate() {
        canvas.text((column_end(column), middle + 5.0), Anchor::End, 13.0, "", &fitted(text, 13.0, COLUMN));
    }
}

fn diamond(canvas: &mut Canvas, (x, y): (f64, f64)) {
    canvas.polygon(&[(x - 6.0, y), (x, y - 6.0), (x + 6.0, y), (x, y + 6.0)], "predicted");
}
