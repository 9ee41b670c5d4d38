//! What a run has measured.

use serde::{Deserialize, Serialize};
use session::global::LoopId;

use crate::repetition::Count;
use crate::timeline::Event;
use crate::transport::Transport;

/// The times of a run. All of them come from clocks, none from a cost model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Seconds from the common start to the last role's end, one per repetition.
    pub completion: Vec<f64>,
    /// Seconds from the common start to each role's end: the median over the repetitions, by role.
    pub ends: Vec<f64>,
    /// Times per iteration; `None` if the protocol has no loop.
    pub iteration: Option<IterationTimes>,
    /// What every role did in one extra repetition, by start; empty unless asked for.
    pub timeline: Vec<Event>,
    /// What went over each channel of the plan in one repetition.
    pub traffic: Vec<Count>,
    /// How messages travelled.
    pub transport: Transport,
    /// Cores, kernel, processor, transport and placement.
    pub environment: String,
}

/// How long the passes of the outermost loop took at the role that finished last.
///
/// If several outermost loops follow each other, the one in which most of the time passes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IterationTimes {
    /// The role: an index into [`session::plan::Plan::roles`].
    pub role: usize,
    /// The loop.
    pub id: LoopId,
    /// Seconds per iteration: differences of successive passages of the loop's head, over all repetitions. A
    /// loop longer than the rig keeps readings of is read every few passes; a sample is then their mean.
    pub samples: Vec<f64>,
}

/// Four numbers about a set of times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Smallest.
    pub min: f64,
    /// Mean.
    pub mean: f64,
    /// Median: the smallest sample that at least half of the samples do not exceed.
    pub p50: f64,
    /// The smallest sample that at least 99 % of the samples do not exceed.
    pub p99: f64,
}

impl Measurement {
    /// About the completion times; `None` without a repetition.
    #[must_use]
    pub fn completion_summary(&self) -> Option<Summary> {
        Summary::of(&self.completion)
    }

    /// About the times per iteration; `None` if the protocol has no loop.
    #[must_use]
    pub fn iteration_summary(&self) -> Option<Summary> {
        Summary::of(&self.iteration.as_ref()?.samples)
    }
}

impl Summary {
    /// About `samples`, in their unit; `None` if there are none.
    #[must_use]
    pub fn of(samples: &[f64]) -> Option<Self> {
        let sorted = sorted(samples);
        let (min, mean) = (*sorted.first()?, sorted.iter().sum::<f64>() / sorted.len() as f64);
        Some(Self { min, mean, p50: quantile(&sorted, 0.5), p99: quantile(&sorted, 0.99) })
    }
}

/// The samples in ascending order.
pub(crate) fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The smallest of the ascending `sorted` that at least the share `q` of them does not exceed.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let rank = (q * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_samples() {
        let samples: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let summary = Summary::of(&samples).unwrap();
        assert_eq!(summary, Summary { min: 1.0, mean: 50.5, p50: 50.0, p99: 99.0 });
        assert_eq!(Summary::of(&[7.0]).unwrap().p99, 7.0);
        assert_eq!(Summary::of(&[]), None);
    }
}
