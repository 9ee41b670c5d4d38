//! Local computation: a busy loop that spends a stated time.
//!
//! The loop counts; it does not look at the clock. A clock-watching loop would count time in which another
//! role holds the core as work done, so that two roles could compute at once on one core. Counted work takes
//! twice as long there, as real work does.
//!
//! Each step of the loop is one multiplication and one addition that need the result of the step before: a
//! chain whose speed depends on the core's clock rate and on nothing else (no memory, no free execution slots
//! that a second hardware thread could take).

use std::hint::black_box;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::clock;

/// Steps in one try of a measurement: about 0.2 ms, short enough to fall between two timer ticks.
const STEPS: u64 = 200_000;

/// Tries in one measurement. Disturbances only ever lengthen a try, so the shortest is the nearest to the
/// truth; one in 16 is undisturbed even on a machine with other work.
const TRIES: u32 = 16;

/// Relative change of the rate that counts as drift.
const DRIFT: f64 = 0.01;

/// Further measurements before a slower rate is believed, and the pause before each.
const CONFIRMATIONS: u32 = 4;
const PAUSE: Duration = Duration::from_millis(2);

/// How fast this machine spins.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SpinRate {
    /// Steps of the busy loop per second.
    steps_per_second: f64,
}

impl SpinRate {
    /// Measures the rate on the core that the caller runs on; takes about 4 ms.
    #[must_use]
    pub fn measure() -> Self {
        let mut shortest = f64::INFINITY;
        for _ in 0..TRIES {
            let begun = clock::now();
            spin(STEPS);
            shortest = shortest.min(clock::seconds(begun, clock::now()));
        }
        Self { steps_per_second: STEPS as f64 / shortest }
    }

    /// Measures again and keeps this rate unless the new one tells of a drift of more than one percent:
    /// the core's clock rate moves with temperature, load and its neighbours.
    ///
    /// A slower rate is believed only after several measurements some time apart, since a machine with other
    /// work slows down for moments; takes 4 ms if there is no drift, up to 30 ms if there is.
    #[must_use]
    pub fn refreshed(self) -> Self {
        let mut fresh = Self::measure();
        for _ in 0..CONFIRMATIONS {
            if fresh.steps_per_second > self.steps_per_second * (1.0 - DRIFT) {
                break;
            }
            std::thread::sleep(PAUSE);
            fresh.steps_per_second = fresh.steps_per_second.max(Self::measure().steps_per_second);
        }
        let change = (fresh.steps_per_second / self.steps_per_second - 1.0).abs();
        if change > DRIFT { fresh } else { self }
    }

    /// Steps that take `seconds` on an idle core, to the nearest; 0 for a negative time.
    #[must_use]
    pub fn steps(self, seconds: f64) -> u64 {
        // A float to integer cast saturates, so neither sign nor size can go wrong here.
        (seconds * self.steps_per_second + 0.5) as u64
    }

    /// Keeps the core busy for `seconds`: within about 2 % from 1 us to 10 ms on an idle core.
    pub fn spend(self, seconds: f64) {
        spin(self.steps(seconds));
    }
}

/// Takes `steps` steps of the busy loop.
fn spin(steps: u64) {
    let mut value = steps | 1;
    for _ in 0..steps {
        // Multiplier of Knuth's MMIX generator: any odd number would do. The black box keeps the compiler from
        // computing the end of the chain in closed form, and from vectorising it.
        value = black_box(value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    }
    black_box(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortest(rate: SpinRate, seconds: f64) -> f64 {
        let tries = (0..50).map(|_| {
            let begun = clock::now();
            rate.spend(seconds);
            clock::seconds(begun, clock::now())
        });
        tries.fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn longer_costs_take_longer_and_about_as_long_as_asked() {
        let rate = SpinRate::measure().refreshed();
        let times: Vec<f64> = [1e-5, 1e-4, 1e-3].iter().map(|&seconds| shortest(rate, seconds)).collect();
        assert!(times[0] < times[1] && times[1] < times[2], "{times:?}");
        // The shortest of many tries is free of preemption; the clock rate itself may still move a little.
        for (time, asked) in times.iter().zip([1e-5, 1e-4, 1e-3]) {
            assert!((0.2..5.0).contains(&(time / asked)), "asked {asked}, took {time}");
        }
    }

    #[test]
    fn steps_are_rounded_and_never_negative() {
        let rate = SpinRate { steps_per_second: 1e9 };
        assert_eq!(rate.steps(1.4e-9), 1);
        assert_eq!(rate.steps(1.6e-9), 2);
        assert_eq!(rate.steps(-1.0), 0);
        assert_eq!(rate.steps(f64::NAN), 0);
    }

    #[test]
    fn a_rate_that_is_far_off_is_replaced() {
        let rate = SpinRate::measure();
        for factor in [0.01, 100.0] {
            let off = SpinRate { steps_per_second: rate.steps_per_second * factor };
            let change = off.refreshed().steps_per_second / rate.steps_per_second;
            assert!((0.1..10.0).contains(&change), "{factor} became {change}");
        }
    }
}
