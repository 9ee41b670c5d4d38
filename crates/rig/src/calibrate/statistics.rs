//! From samples to the numbers of a model.

use cost::Estimate;

use crate::measurement::{quantile, sorted};

/// Share of the largest samples that the mean leaves out: those in which something else had the core.
const OUTLIERS: f64 = 0.05;

/// Middle value; 0 of no values.
pub(super) fn median(values: Vec<f64>) -> f64 {
    if values.is_empty() { 0.0 } else { quantile(&sorted(&values), 0.5) }
}

/// Mean of the samples without the largest ones.
fn trimmed_mean(sorted: &[f64]) -> f64 {
    let kept = sorted.len() - (sorted.len() as f64 * OUTLIERS) as usize;
    sorted[..kept].iter().sum::<f64>() / kept as f64
}

/// First percentile, mean and 99th percentile, each the middle one of several rounds; 0 of no samples.
pub(super) fn estimate(rounds: &[Vec<f64>]) -> Estimate {
    let rounds: Vec<Vec<f64>> =
        rounds.iter().filter(|round| !round.is_empty()).map(|one| sorted(one)).collect();
    let middle = |lane: &dyn Fn(&[f64]) -> f64| median(rounds.iter().map(|round| lane(round)).collect());
    Estimate {
        min: middle(&|round| quantile(round, 0.01)),
        mean: middle(&trimmed_mean),
        max: middle(&|round| quantile(round, 0.99)),
    }
}

/// The parts of a crossing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Parts {
    pub(super) send: Estimate,
    pub(super) ready_send: Estimate,
    pub(super) latency: Estimate,
    pub(super) wake: Estimate,
    pub(super) recv: Estimate,
}

/// Divides crossings that take `total` into sending, latency, waking and receiving.
///
/// `send` is the sending call of such a crossing, `ready` that to a busy receiver, `take` the receipt of a message
/// that is there (`None`: no message fits the channel before the receiver takes it), `polled` a crossing to a
/// receiver that does not sleep (0: unknown). The parts are not
/// negative, their lanes are in order, and their means add up to the mean of the total:
/// - The sending call cannot count in full where the woken receiver runs before it returns: on a core that both
///   share, the call even contains the receipt. Then it counts as far as there is room for receiving after it,
///   but for no less than a call that wakes nobody.
/// - If there is less room still, receiving is what is left.
pub(super) fn split(
    send: Estimate,
    total: Estimate,
    ready: Estimate,
    take: Option<Estimate>,
    polled: Estimate,
) -> Parts {
    // A message that does not fit is sent while it is received: all of the crossing belongs to the two ends.
    let take = take.unwrap_or_else(|| ordered(total.zip(send, |total, send| total - send)));
    let ready_send = ordered(ready.zip(send, f64::min).zip(total, f64::min));
    let room = total.zip(take, |total, take| total - take);
    let send = ordered(send.zip(room, f64::min).zip(ready_send, f64::max));
    let recv = ordered(take.zip(total.zip(send, |total, send| total - send), f64::min));
    let edge = ordered(total.zip(send + recv, |total, ends| total - ends));
    // The flight is short and the difference of large numbers: only its mean means something.
    let flight = (polled.mean - ready_send.mean - recv.mean).max(0.0);
    let share = if edge.mean > 0.0 { (flight / edge.mean).min(1.0) } else { 0.0 };
    let (latency, wake) = (edge.map(|lane| share * lane), edge.map(|lane| (1.0 - share) * lane));
    Parts { send, ready_send, latency, wake, recv }
}

/// The estimate with its outer lanes moved to its mean if they lie on the wrong side of it, and nothing below 0.
fn ordered(estimate: Estimate) -> Estimate {
    let mean = estimate.mean.max(0.0);
    Estimate { min: estimate.min.clamp(0.0, mean), mean, max: estimate.max.max(mean) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(send: f64, total: f64, ready: f64, take: f64, polled: f64) -> [f64; 5] {
        let [send, total, ready, take, polled] = [send, total, ready, take, polled].map(Estimate::exactly);
        let parts = split(send, total, ready, Some(take), polled);
        [parts.ready_send, parts.send, parts.latency, parts.wake, parts.recv].map(|part| part.mean)
    }

    #[test]
    fn crossings_are_divided_without_remainder() {
        // Between cores: waking costs the sender 12 and the receiver 5.
        assert_eq!(parts(14.0, 24.0, 2.0, 4.0, 7.0), [2.0, 14.0, 1.0, 5.0, 4.0]);
        // On one core: the receiver ran within the sending call.
        assert_eq!(parts(6.0, 4.0, 1.5, 1.5, 0.0), [1.5, 2.5, 0.0, 0.0, 1.5]);
        // A crossing shorter than a sending and a receipt apart.
        assert_eq!(parts(6.0, 2.0, 1.5, 1.5, 0.0), [1.5, 1.5, 0.0, 0.0, 0.5]);
        assert_eq!(parts(6.0, 1.0, 1.5, 1.5, 9.0), [1.0, 1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn a_message_that_does_not_fit_costs_only_its_ends() {
        let [send, total] = [20.0, 26.0].map(Estimate::exactly);
        let parts = split(send, total, send, None, Estimate::default());
        assert_eq!((parts.send.mean, parts.recv.mean, parts.wake.mean), (20.0, 6.0, 0.0));
    }

    #[test]
    fn a_disturbed_round_does_not_count() {
        let calm: Vec<f64> = (1..=100).map(f64::from).collect();
        let disturbed: Vec<f64> = calm.iter().map(|sample| sample * 50.0).collect();
        let estimate = estimate(&[calm.clone(), disturbed, calm]);
        assert_eq!(estimate, Estimate { min: 1.0, mean: 48.0, max: 99.0 });
    }

    #[test]
    fn lanes_stay_in_order() {
        // Differences of lanes need not be in order: here 9, 1, 4 for the edge.
        let lanes = |min, mean, max| Estimate { min, mean, max };
        let (send, total) = (lanes(1.0, 9.0, 16.0), lanes(11.0, 12.0, 22.0));
        let parts = split(send, total, send, Some(lanes(1.0, 2.0, 2.0)), Estimate::default());
        assert_eq!(parts.wake, lanes(1.0, 1.0, 4.0));
        assert_eq!((parts.send, parts.recv), (send, lanes(1.0, 2.0, 2.0)));
    }

    #[test]
    fn no_samples_cost_nothing() {
        assert_eq!(estimate(&[]), Estimate::default());
        assert_eq!(estimate(&[Vec::new()]), Estimate::default());
        assert_eq!(median(Vec::new()), 0.0);
    }
}
