//! Distributions of a cost, as histograms: sums by convolution, mixtures, quantiles.

use serde::{Deserialize, Serialize};

use crate::Estimate;

/// Up to so many values a histogram is kept as it is.
const EXACT: usize = 512;
/// A longer one is merged so that no bin holds more than `4 q (1 - q) / RESOLUTION` of the mass, where
/// `q` is the share of the mass below it: fine in the tails, where p99.9 is read, coarser in the middle.
const RESOLUTION: f64 = 100.0;
/// Less mass than this is never kept apart: no reported quantile can see it.
const NEGLIGIBLE: f64 = 1e-7;

/// A histogram: values in increasing order, each with its share of the mass. The shares sum to 1.
///
/// A merged bin stands at its mean, so that the mean of the whole is kept by every operation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
    values: Vec<f64>,
    masses: Vec<f64>,
}

/// The quantiles that predictions report, in one unit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// Median.
    pub p50: f64,
    /// 90 %.
    pub p90: f64,
    /// 99 %.
    pub p99: f64,
    /// 99.9 %.
    #[serde(rename = "p99.9")]
    pub p99_9: f64,
}

impl Distribution {
    /// One value, certain.
    #[must_use]
    pub fn exactly(value: f64) -> Self {
        Self { values: vec![value], masses: vec![1.0] }
    }

    /// The empirical distribution of samples; `None` without samples or if one is not finite.
    #[must_use]
    pub fn from_samples(samples: &[f64]) -> Option<Self> {
        Self::from_weights(samples.iter().map(|sample| (*sample, 1.0)).collect())
    }

    /// From `(value, weight)` pairs in any order; weights are scaled to sum 1, zero weights dropped.
    /// `None` if nothing is left, a weight is negative or a number is not finite.
    #[must_use]
    pub fn from_weights(mut pairs: Vec<(f64, f64)>) -> Option<Self> {
        if pairs.iter().any(|(value, weight)| !value.is_finite() || !weight.is_finite() || *weight < 0.0) {
            return None;
        }
        pairs.retain(|(_, weight)| *weight > 0.0);
        let total: f64 = pairs.iter().map(|(_, weight)| weight).sum();
        if pairs.is_empty() || !total.is_finite() {
            return None;
        }
        pairs.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        pairs.iter_mut().for_each(|(_, weight)| *weight /= total);
        pairs.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        if pairs.len() > EXACT {
            pairs = merge(&pairs);
        }
        let (values, masses) = pairs.into_iter().unzip();
        Some(Self { values, masses })
    }

    /// One of several, picked with the given weights. `None` under the conditions of [`Self::from_weights`].
    #[must_use]
    pub fn mixture(parts: &[(f64, &Distribution)]) -> Option<Self> {
        let total: f64 = parts.iter().map(|(weight, _)| weight).sum();
        let pairs = parts
            .iter()
            .flat_map(|(weight, part)| part.bins().map(move |(value, mass)| (value, mass * weight / total)));
        Self::from_weights(pairs.collect())
    }

    /// The sum of two independent quantities. Values too large for a 64-bit number saturate.
    #[must_use]
    pub fn convolve(&self, other: &Self) -> Self {
        let saturated = |sum: f64| sum.clamp(f64::MIN, f64::MAX);
        let pairs = self.bins().flat_map(|(value, mass)| {
            other.bins().map(move |(more, share)| (saturated(value + more), mass * share))
        });
        Self::from_weights(pairs.collect())
            .unwrap_or_else(|| Self::exactly(saturated(self.mean() + other.mean())))
    }

    /// Every value multiplied by a finite factor: for changes of unit.
    #[must_use]
    pub fn scale(&self, factor: f64) -> Self {
        let pairs = self.bins().map(|(value, mass)| (value * factor, mass)).collect();
        Self::from_weights(pairs).unwrap_or_else(|| self.clone())
    }

    /// The `(value, mass)` pairs in increasing order of value.
    pub fn bins(&self) -> impl Iterator<Item = (f64, f64)> + Clone {
        self.values.iter().copied().zip(self.masses.iter().copied())
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.bins().map(|(value, mass)| value * mass).sum()
    }

    /// Smallest value, mean and largest value.
    #[must_use]
    pub fn estimate(&self) -> Estimate {
        Estimate { min: self.values[0], mean: self.mean(), max: self.values[self.values.len() - 1] }
    }

    /// The smallest value that is not exceeded with probability `share`, from 0 to 1.
    #[must_use]
    pub fn quantile(&self, share: f64) -> f64 {
        // Rounding of sums must not move a quantile to the next bin.
        let wanted = share - 1e-12;
        let mut below = 0.0;
        for (value, mass) in self.bins() {
            below += mass;
            if below >= wanted {
                return value;
            }
        }
        self.values[self.values.len() - 1]
    }

    /// p50, p90, p99 and p99.9.
    #[must_use]
    pub fn quantiles(&self) -> Quantiles {
        Quantiles {
            p50: self.quantile(0.5),
            p90: self.quantile(0.9),
            p99: self.quantile(0.99),
            p99_9: self.quantile(0.999),
        }
    }
}

/// Merges neighbours while their common mass stays under the limit at their place; the first and the
/// last value stay as they are, so that the bounds are kept too.
fn merge(pairs: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let (first, last) = (pairs[0], pairs[pairs.len() - 1]);
    let mut merged = vec![first];
    let mut before = first.1;
    let (mut moment, mut mass) = (0.0, 0.0);
    for (value, share) in &pairs[1..pairs.len() - 1] {
        let middle: f64 = before + f64::midpoint(mass, mass + share);
        let limit = (4.0 * middle * (1.0 - middle) / RESOLUTION).max(NEGLIGIBLE);
        if mass > 0.0 && mass + share > limit {
            merged.push((moment / mass, mass));
            before += mass;
            (moment, mass) = (0.0, 0.0);
        }
        moment += value * share;
        mass += share;
    }
    merged.push((moment / mass, mass));
    merged.push(last);
    merged
}
