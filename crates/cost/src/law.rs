//! Probability laws by which a cost model may describe a cost.

use crate::{Distribution, Estimate};

/// A law with parameters of type `P`: formulas in a cost model, numbers once a request is known.
///
/// Means and deviations are those of the cost itself, except for the normal law: there they are those
/// before it is truncated at zero.
#[derive(Debug, Clone, PartialEq)]
pub enum Law<P> {
    /// Always the same.
    Constant {
        /// The value.
        value: P,
    },
    /// Any value between two bounds, all equally likely.
    Uniform {
        /// Smallest.
        low: P,
        /// Largest.
        high: P,
    },
    /// Waiting without memory.
    Exponential {
        /// Mean.
        mean: P,
    },
    /// Normal, truncated at zero.
    Normal {
        /// Mean before truncation, not negative.
        mean: P,
        /// Standard deviation before truncation.
        deviation: P,
    },
    /// The logarithm is normal: a heavy tail to the right.
    Lognormal {
        /// Mean of the cost.
        mean: P,
        /// Standard deviation of the cost.
        deviation: P,
    },
}

/// Names of the laws with the names of their parameters.
pub(crate) const KINDS: [(&str, &[&str]); 5] = [
    ("constant", &["value"]),
    ("uniform", &["low", "high"]),
    ("exponential", &["mean"]),
    ("normal", &["mean", "deviation"]),
    ("lognormal", &["mean", "deviation"]),
];

impl<P> Law<P> {
    /// The law of a name with its parameters in the order of [`KINDS`].
    pub(crate) fn from_parameters(kind: &str, parameters: Vec<P>) -> Option<Self> {
        let mut parameters = parameters.into_iter();
        let first = parameters.next()?;
        match (kind, first, parameters.next()) {
            ("constant", value, None) => Some(Law::Constant { value }),
            ("uniform", low, Some(high)) => Some(Law::Uniform { low, high }),
            ("exponential", mean, None) => Some(Law::Exponential { mean }),
            ("normal", mean, Some(deviation)) => Some(Law::Normal { mean, deviation }),
            ("lognormal", mean, Some(deviation)) => Some(Law::Lognormal { mean, deviation }),
            _ => None,
        }
    }

    /// Its name in cost models.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Law::Constant { .. } => "constant",
            Law::Uniform { .. } => "uniform",
            Law::Exponential { .. } => "exponential",
            Law::Normal { .. } => "normal",
            Law::Lognormal { .. } => "lognormal",
        }
    }

    /// Its parameters with their names in cost models.
    #[must_use]
    pub fn parameters(&self) -> Vec<(&'static str, &P)> {
        match self {
            Law::Constant { value } => vec![("value", value)],
            Law::Uniform { low, high } => vec![("low", low), ("high", high)],
            Law::Exponential { mean } => vec![("mean", mean)],
            Law::Normal { mean, deviation } | Law::Lognormal { mean, deviation } => {
                vec![("mean", mean), ("deviation", deviation)]
            }
        }
    }

    /// The same law with other parameters.
    ///
    /// # Errors
    /// The first error of `function`.
    pub fn try_map<Q, E>(&self, mut function: impl FnMut(&P) -> Result<Q, E>) -> Result<Law<Q>, E> {
        Ok(match self {
            Law::Constant { value } => Law::Constant { value: function(value)? },
            Law::Uniform { low, high } => Law::Uniform { low: function(low)?, high: function(high)? },
            Law::Exponential { mean } => Law::Exponential { mean: function(mean)? },
            Law::Normal { mean, deviation } => {
                Law::Normal { mean: function(mean)?, deviation: function(deviation)? }
            }
            Law::Lognormal { mean, deviation } => {
                Law::Lognormal { mean: function(mean)?, deviation: function(deviation)? }
            }
        })
    }
}

impl Law<f64> {
    /// Why the parameters make no law of a cost; `None` if they do. They are taken to be finite.
    #[must_use]
    pub fn fault(&self) -> Option<&'static str> {
        match *self {
            Law::Constant { value } if value < 0.0 => Some("`value` is negative"),
            Law::Uniform { low, .. } if low < 0.0 => Some("`low` is negative"),
            Law::Uniform { low, high } if low > high => Some("`low` is larger than `high`"),
            Law::Exponential { mean } if mean < 0.0 => Some("`mean` is negative"),
            Law::Normal { mean, .. } if mean < 0.0 => Some("`mean` is negative"),
            Law::Lognormal { mean, .. } if mean <= 0.0 => Some("`mean` is not positive"),
            Law::Normal { deviation, .. } | Law::Lognormal { deviation, .. } if deviation < 0.0 => {
                Some("`deviation` is negative")
            }
            _ => None,
        }
    }

    /// The mean of the cost (after truncation).
    #[must_use]
    pub fn mean(&self) -> f64 {
        match *self {
            Law::Constant { value } => value,
            Law::Uniform { low, high } => f64::midpoint(low, high),
            Law::Normal { mean, deviation } if deviation > 0.0 => {
                let cut = -mean / deviation;
                mean + deviation * normal_density(cut) / (1.0 - normal_below(cut))
            }
            Law::Exponential { mean } | Law::Normal { mean, .. } | Law::Lognormal { mean, .. } => mean,
        }
    }

    /// Probability of a value of at most `x`.
    #[must_use]
    pub fn below(&self, x: f64) -> f64 {
        let step = |at: f64| if x >= at { 1.0 } else { 0.0 };
        match *self {
            Law::Constant { value } => step(value),
            Law::Uniform { low, high } if low == high => step(low),
            Law::Uniform { low, high } => ((x - low) / (high - low)).clamp(0.0, 1.0),
            Law::Exponential { mean: 0.0 } => step(0.0),
            Law::Normal { mean, deviation } | Law::Lognormal { mean, deviation } if deviation == 0.0 => {
                step(mean)
            }
            _ if x <= 0.0 => 0.0,
            Law::Exponential { mean } => -(-x / mean).exp_m1(),
            Law::Normal { mean, deviation } => {
                let cut = normal_below(-mean / deviation);
                (normal_below((x - mean) / deviation) - cut) / (1.0 - cut)
            }
            Law::Lognormal { mean, deviation } => {
                let variance = (deviation / mean).powi(2).ln_1p();
                normal_below((x.ln() - mean.ln() + variance / 2.0) / variance.sqrt())
            }
        }
    }

    /// The value not exceeded with probability `share`, strictly between 0 and 1.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        match *self {
            Law::Constant { value } => value,
            Law::Uniform { low, high } => low + share * (high - low),
            Law::Exponential { mean } => -mean * (-share).ln_1p(),
            Law::Normal { mean, deviation } | Law::Lognormal { mean, deviation } if deviation == 0.0 => mean,
            _ => self.bisect(share),
        }
    }

    fn bisect(&self, share: f64) -> f64 {
        let mut high = self.mean();
        while self.below(high) < share && high < f64::MAX / 2.0 {
            high *= 2.0;
        }
        let mut low = 0.0;
        // 64 halvings exhaust the digits between 0 and `high`.
        for _ in 0..64 {
            let middle = f64::midpoint(low, high);
            if self.below(middle) < share { low = middle } else { high = middle }
        }
        high
    }

    /// Mean, and bounds: those of the law, or where it has none the values that one cost in a thousand
    /// falls below or exceeds.
    #[must_use]
    pub fn estimate(&self) -> Estimate {
        match *self {
            Law::Uniform { low, high } => Estimate { min: low, mean: self.mean(), max: high },
            _ => Estimate { min: self.quantile(0.001), mean: self.mean(), max: self.quantile(0.999) },
        }
    }

    /// The law as a histogram with the same mean.
    #[must_use]
    pub fn distribution(&self) -> Distribution {
        // Equal steps of the logit: as fine at p99.9 as in the middle.
        const STEPS: i32 = 400;
        let share_at = |step: i32| 1.0 / (1.0 + (-12.0 + 24.0 * f64::from(step) / f64::from(STEPS)).exp());
        let edges: Vec<f64> = (0..=STEPS).rev().map(share_at).collect();
        let mass = |pair: &[f64]| (self.quantile(f64::midpoint(pair[0], pair[1])), pair[1] - pair[0]);
        let histogram = Distribution::from_weights(edges.windows(2).map(mass).collect());
        let mean = self.mean();
        match histogram {
            Some(histogram) if histogram.mean() > 0.0 => histogram.scale(mean / histogram.mean()),
            _ => Distribution::exactly(mean),
        }
    }
}

fn normal_density(x: f64) -> f64 {
    (-x * x / 2.0).exp() / std::f64::consts::TAU.sqrt()
}

/// The standard normal distribution function, to about 1e-15 absolute.
///
/// The series x + x^3/3 + x^5/(3*5) + .. of Marsaglia, "Evaluating the Normal Distribution", 2004.
fn normal_below(x: f64) -> f64 {
    if x.abs() > 8.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut sum, mut term, mut odd) = (x, x, 1.0);
    while term.abs() > 1e-17 * sum.abs() {
        odd += 2.0;
        term *= x * x / odd;
        sum += term;
    }
    (0.5 + sum * normal_density(x)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1e-300), "{a} is not {b}");
    }

    /// Against the tables: Phi(1) and Phi(1.959963984540054).
    #[test]
    fn normal_distribution_function() {
        close(normal_below(0.0), 0.5, 1e-15);
        close(normal_below(1.0), 0.841_344_746_068_542_9, 1e-14);
        close(normal_below(1.959_963_984_540_054), 0.975, 1e-14);
        close(normal_below(-3.0), 0.001_349_898_031_630_094_6, 1e-11);
    }

    /// Half of a normal law around 0: mean sqrt(2/pi), median 0.6744897501960817.
    #[test]
    fn truncated_normal() {
        let half = Law::Normal { mean: 0.0, deviation: 1.0 };
        close(half.mean(), (2.0 / std::f64::consts::PI).sqrt(), 1e-14);
        close(half.quantile(0.5), 0.674_489_750_196_081_7, 1e-12);
    }

    #[test]
    fn lognormal_and_exponential_quantiles() {
        let law = Law::Lognormal { mean: 2.0, deviation: 1.0 };
        // The median is mean / sqrt(1 + (deviation / mean)^2).
        close(law.quantile(0.5), 2.0 / 1.25_f64.sqrt(), 1e-12);
        close(Law::Exponential { mean: 3.0 }.quantile(0.5), 3.0 * 2.0_f64.ln(), 1e-14);
    }

    #[test]
    fn histograms_follow_their_law() {
        let laws = [
            Law::Constant { value: 3.0 },
            Law::Uniform { low: 1.0, high: 3.0 },
            Law::Exponential { mean: 2.0 },
            Law::Normal { mean: 5.0, deviation: 2.0 },
            Law::Lognormal { mean: 2.0, deviation: 3.0 },
            Law::Exponential { mean: 0.0 },
        ];
        for law in laws {
            let histogram = law.distribution();
            assert!((histogram.mean() - law.mean()).abs() <= 1e-12 * law.mean(), "{law:?}");
            for share in [0.5, 0.9, 0.99, 0.999] {
                let (got, exact) = (histogram.quantile(share), law.quantile(share));
                assert!((got - exact).abs() <= 0.03 * exact, "{law:?} at {share}: {got}, not {exact}");
            }
        }
    }
}
