use cost::Unit;

use super::canvas::{Anchor, Canvas, text_width};

/// Which way values grow along an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Growth {
    Linear,
    Logarithmic,
}

/// A horizontal axis: values in a unit, mapped to pixels.
pub(super) struct Axis {
    growth: Growth,
    low: f64,
    high: f64,
    left: f64,
    right: f64,
    /// Values are divided by this before they are written at the ticks.
    scale: f64,
    symbol: &'static str,
}

impl Axis {
    /// A linear axis from zero to `high`.
    pub(super) fn linear(high: f64, unit: Unit, left: f64, right: f64) -> Self {
        let high = if high.is_finite() && high > 0.0 { high } else { 1.0 };
        let (scale, symbol) = prefix(high, unit);
        Self { growth: Growth::Linear, low: 0.0, high, left, right, scale, symbol }
    }

    /// An axis that suits these values: logarithmic where they are positive and span more than a
    /// factor of twenty, else linear from zero.
    pub(super) fn fitting(values: &[f64], unit: Unit, left: f64, right: f64) -> Self {
        let finite = || values.iter().copied().filter(|value| value.is_finite());
        let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(0.0, f64::max));
        if low > 0.0 && high > 20.0 * low {
            let (scale, symbol) = prefix((low * high).sqrt(), unit);
            let (low, high) = (low / 1.25, high * 1.25);
            return Self { growth: Growth::Logarithmic, low, high, left, right, scale, symbol };
        }
        Self::linear(high * 1.08, unit, left, right)
    }

    /// The pixel of the axis's right end.
    pub(super) fn right(&self) -> f64 {
        self.right
    }

    /// The pixel of a value; values outside are moved to the nearer end.
    pub(super) fn at(&self, value: f64) -> f64 {
        let share = match self.growth {
            Growth::Linear => (value - self.low) / (self.high - self.low),
            Growth::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        let share = if share.is_nan() { 0.0 } else { share.clamp(0.0, 1.0) };
        self.left + share * (self.right - self.left)
    }

    /// Round values to mark, in order, far enough apart for their labels.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let wanted = ((self.right - self.left) / 90.0).max(2.0);
        match self.growth {
            Growth::Linear => self.linear_ticks(wanted),
            Growth::Logarithmic => self.logarithmic_ticks(wanted),
        }
    }

    fn linear_ticks(&self, wanted: f64) -> Vec<f64> {
        // In label units, so that the labels are round whatever the unit of the values.
        let high = self.high / self.scale;
        let rough = high / wanted;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(10.0 * power);
        (0..)
            .map(|k| f64::from(k) * step)
            .take_while(|value| *value <= high * 1.000_001)
            .map(|v| v * self.scale)
            .collect()
    }

    fn logarithmic_ticks(&self, wanted: f64) -> Vec<f64> {
        let (low, high) = (self.low / self.scale, self.high / self.scale);
        let decades = (high / low).log10();
        let steps: &[f64] = if decades * 3.0 <= 1.5 * wanted { &[1.0, 2.0, 5.0] } else { &[1.0] };
        #[expect(clippy::cast_possible_truncation, reason = "decimal exponents of finite f64 values")]
        let powers = low.log10().floor() as i32..=high.log10().ceil() as i32;
        powers
            .flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)))
            .filter(|value| (low..=high).contains(value))
            .map(|value| value * self.scale)
            .collect()
    }

    /// Draws grid lines from `top` to `bottom`, the axis at `bottom`, tick labels and `title` below:
    /// 40 pixels in all.
    pub(super) fn draw(&self, canvas: &mut Canvas, top: f64, bottom: f64, title: &str) {
        let mut free_from = f64::NEG_INFINITY;
        for value in self.ticks() {
            let x = self.at(value);
            canvas.line((x, top), (x, bottom + 4.0), "grid");
            let label = tick_label(value / self.scale);
            let half = text_width(&label, 11.0) / 2.0;
            if x - half > free_from {
                canvas.text((x, bottom + 17.0), Anchor::Middle, 11.0, "quiet", &label);
                free_from = x + half + 4.0;
            }
        }
        canvas.line((self.left, bottom), (self.right, bottom), "axis");
        let middle = f64::midpoint(self.left, self.right);
        canvas.text((middle, bottom + 36.0), Anchor::Middle, 12.0, "", &format!("{title} ({})", self.symbol));
    }
}

/// Ticks are round: nine digits print them without the noise of binary fractions.
fn tick_label(value: f64) -> String {
    let rounded: f64 = format!("{value:.8e}").parse().unwrap_or(value);
    crate::exact(rounded)
}

/// How many of `unit` make one of the label's unit, and the label's unit.
fn prefix(typical: f64, unit: Unit) -> (f64, &'static str) {
    let Some(seconds) = Unit::Seconds.convert_from(typical, unit) else { return (1.0, unit.symbol()) };
    let candidates = [Unit::Seconds, Unit::Milliseconds, Unit::Microseconds];
    let fitting =
        candidates.into_iter().find(|u| u.convert_from(seconds, Unit::Seconds).is_some_and(|v| v >= 1.0));
    let chosen = fitting.unwrap_or(Unit::Nanoseconds);
    (unit.convert_from(1.0, chosen).unwrap_or(1.0), chosen.symbol())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_in_the_unit_shown() {
        let axis = Axis::linear(1.23e-4, Unit::Seconds, 0.0, 900.0);
        assert_eq!(axis.symbol, "us");
        let labels: Vec<String> = axis.ticks().iter().map(|value| tick_label(value / axis.scale)).collect();
        assert_eq!(labels, ["0", "20", "40", "60", "80", "100", "120"]);
        assert_eq!((axis.at(0.0), axis.at(1.23e-4), axis.at(9.0)), (0.0, 900.0, 900.0));
    }

    #[test]
    fn wide_ranges_are_logarithmic() {
        let axis = Axis::fitting(&[2e-6, 5e-3], Unit::Seconds, 0.0, 500.0);
        let labels: Vec<String> = axis.ticks().iter().map(|value| tick_label(value / axis.scale)).collect();
        assert_eq!((axis.symbol, labels.join(" ")), ("us", "10 100 1000".to_owned()));
        assert!(axis.at(2e-6) > 0.0 && axis.at(5e-3) < 500.0);
        let even = axis.at(1e-3) - axis.at(1e-4) - (axis.at(1e-4) - axis.at(1e-5));
        assert!(even.abs() < 1e-9, "decades are equally wide");
    }

    #[test]
    fn degenerate_ranges_still_make_an_axis() {
        for values in [&[][..], &[0.0], &[f64::NAN, f64::INFINITY], &[1e-300, 2e-300]] {
            let axis = Axis::fitting(values, Unit::Seconds, 10.0, 300.0);
            assert!(!axis.ticks().is_empty());
            assert!(axis.ticks().iter().all(|value| (10.0..=300.0).contains(&axis.at(*value))));
        }
    }
}
