//! A calibration as a cost model.

use std::cmp::Ordering;

use cost::{Cost, Curve, Estimate, Formula, Model, Operation, Provenance, Unit};
use session::plan::Plan;

use super::{Point, TransportCalibration};
use crate::transport::Transport;

/// The party that stands for any role in the prices between roles that share a core: see [`share_cores`].
pub const SAME_CORE: &str = "same-core";

impl TransportCalibration {
    /// The prices as a model in seconds: `send`, `latency`, `wake` and `recv` by `size`, and `compute` by `work`.
    ///
    /// Each is valid between the smallest and the largest measured size. If roles that share a core were
    /// measured too, their prices go from [`SAME_CORE`] to [`SAME_CORE`].
    #[must_use]
    pub fn model(&self) -> Model {
        let mut model = Model::new(self.model_name(), Unit::Seconds, Provenance::Measured);
        model.environment = Some(self.environment.clone());
        model.date.clone_from(&self.date);
        model.comment = Some(
            "first percentile, mean and 99th percentile; the means of send, latency, wake and recv add up to the measured crossing".to_owned(),
        );
        model.operations = operations(&self.apart);
        let together = operations(&self.together).into_iter().map(|one| one.between(SAME_CORE, SAME_CORE));
        model.operations.extend(together);
        model.operations.push(compute(self.compute));
        model
    }

    fn model_name(&self) -> &'static str {
        match self.transport {
            Transport::Thread => "thread-queue",
            Transport::Tcp => "tcp-loopback",
            Transport::Unix => "unix-socket",
        }
    }
}

/// The model with the prices from [`SAME_CORE`] to [`SAME_CORE`] put on every pair of roles of the plan that
/// exchange messages and are bound to the same core.
#[must_use]
pub fn share_cores(model: &Model, plan: &Plan, cores: &[Option<usize>]) -> Model {
    let mut placed = model.clone();
    let shared: Vec<&Operation> =
        model.operations.iter().filter(|one| one.from == SAME_CORE && one.to == SAME_CORE).collect();
    for channel in &plan.channels {
        let core = |role: usize| cores.get(role).copied().flatten();
        if core(channel.from).is_some() && core(channel.from) == core(channel.to) {
            let (from, to) = (&plan.roles[channel.from].name, &plan.roles[channel.to].name);
            placed.operations.extend(shared.iter().map(|&one| one.clone().between(from, to)));
        }
    }
    placed
}

/// The four prices of a set of points.
fn operations(points: &[Point]) -> Vec<Operation> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let part = |name: &str, what: &str, value: fn(&Point) -> Estimate| {
        let (widest, spread) = spread(points, value);
        Operation::new(name, lanes(points, value))
            .valid("size", first.size as f64, last.size as f64)
            .comment(format!("{what}; 99 % within {spread:.2} times the mean (widest: {widest} B)"))
    };
    vec![
        part("send", "to a receiver that waits", |point| point.send),
        part("latency", "until a receiver that polls has it", |point| point.latency),
        part("wake", "what a receiver that sleeps needs beyond that", |point| point.wake),
        part("recv", "of a message that is there", |point| point.recv),
    ]
}

/// How far the 99th percentile lies above the mean, at most, and at which size.
fn spread(points: &[Point], value: fn(&Point) -> Estimate) -> (usize, f64) {
    let ratio = |point: &Point| {
        let estimate = value(point);
        if estimate.mean > 0.0 { estimate.max / estimate.mean } else { 1.0 }
    };
    let ratios = points.iter().map(|point| (point.size, ratio(point)));
    ratios.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 1.0))
}

fn lanes(points: &[Point], value: fn(&Point) -> Estimate) -> Cost {
    let lane = |number: fn(Estimate) -> f64| {
        let line: Vec<(f64, f64)> =
            points.iter().map(|point| (point.size as f64, number(value(point)))).collect();
        polyline(&line)
    };
    Cost::Lanes { min: lane(|one| one.min), mean: lane(|one| one.mean), max: lane(|one| one.max) }
}

/// The straight lines between neighbouring points, as one expression of the size.
///
/// No spline: sizes grow by factors and noise does not, so that a natural spline swings far out between two
/// large sizes, below zero even, because of a wobble between two small ones. And between sizes that are far
/// apart a message is copied byte by byte: the cost is a straight line.
fn polyline(points: &[(f64, f64)]) -> Curve {
    let mut sum = Formula::number(rounded(points[0].1));
    let mut slope = 0.0;
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        let change = (y1 - y0) / (x1 - x0) - slope;
        slope += change;
        let beyond = Formula::max(Formula::number(0.0), Formula::name("size") - Formula::number(x0));
        let bend = Formula::number(rounded(change.abs())) * beyond;
        sum = match change.total_cmp(&0.0) {
            Ordering::Greater => sum + bend,
            Ordering::Less => sum - bend,
            Ordering::Equal => sum,
        };
    }
    // Rounding must not make nothing less than nothing.
    Curve::Formula(Formula::max(Formula::number(0.0), sum))
}

/// To five significant digits: far finer than any clock, and still readable.
fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().expect("a number that was just printed")
}

fn compute(factor: Estimate) -> Operation {
    let times = |lane: f64| Curve::Formula(Formula::number(rounded(lane)) * Formula::name("work"));
    let lanes = Cost::Lanes { min: times(factor.min), mean: times(factor.mean), max: times(factor.max) };
    Operation::new("compute", lanes).comment("of a computation that would take `work` on an undisturbed core")
}

#[cfg(test)]
mod tests {
    use cost::{PriceError, PriceList, Prices, Request};
    use session::plan::{Channel, RolePlan};

    use super::*;

    fn point(size: usize, send: f64, wake: f64) -> Point {
        Point {
            size,
            send: Estimate { min: send / 2.0, mean: send, max: send * 3.0 },
            latency: Estimate::default(),
            wake: Estimate::exactly(wake),
            recv: Estimate::exactly(2e-6),
            ready_send: Estimate::exactly(send / 4.0),
            stream: send,
        }
    }

    fn calibration() -> TransportCalibration {
        TransportCalibration {
            transport: Transport::Tcp,
            apart: vec![point(1, 8e-6, 7e-6), point(1000, 9e-6, 0.0), point(5000, 17e-6, 0.0)],
            together: vec![point(1, 1e-6, 1e-6), point(5000, 2e-6, 1e-6)],
            compute: Estimate { min: 1.0, mean: 1.02, max: 1.5 },
            environment: "a test".to_owned(),
            date: Some("2026-11-30".to_owned()),
        }
    }

    fn prices(model: Model) -> Prices {
        Prices::new(vec![model]).unwrap()
    }

    #[test]
    fn the_model_goes_through_the_points_and_straight_in_between() {
        let prices = prices(calibration().model());
        let send = |size: f64| prices.price(&Request::new("send", &["P"], &["Q"]).with_size(size)).unwrap();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} is not {b}");
        for (size, mean) in [(1.0, 8e-6), (1000.0, 9e-6), (3000.0, 13e-6), (5000.0, 17e-6)] {
            close(send(size).mean, mean);
            close(send(size).max, 3.0 * mean);
        }
        let wake = prices.price(&Request::new("wake", &["P"], &["Q"]).with_size(4321.0)).unwrap();
        assert!((0.0..1e-9).contains(&wake.mean), "rounded, but never negative: {}", wake.mean);
        let work = [("work", 0.5)];
        close(
            prices.price(&Request::new("compute", &["P"], &["P"]).with_variables(&work)).unwrap().mean,
            0.51,
        );
    }

    #[test]
    fn sizes_that_were_not_measured_have_no_price() {
        let prices = prices(calibration().model());
        for size in [0.0, 5001.0] {
            let refused = prices.price(&Request::new("recv", &["P"], &["Q"]).with_size(size));
            assert!(matches!(refused, Err(PriceError::OutOfRange { .. })), "{refused:?}");
        }
    }

    #[test]
    fn roles_on_the_same_core_get_the_prices_measured_there() {
        let role =
            |name: &str| RolePlan { name: name.to_owned(), states: vec![], start: 0, decisions: vec![] };
        let channel = |from, to| Channel { from, to, capacity: None, largest: 1 };
        let plan = Plan {
            protocol: "Test".to_owned(),
            roles: vec![role("P"), role("Q"), role("R")],
            channels: vec![channel(0, 1), channel(0, 2)],
        };
        let prices = prices(share_cores(&calibration().model(), &plan, &[Some(0), Some(1), Some(0)]));
        let send = |to: &str| prices.price(&Request::new("send", &["P"], &[to]).with_size(1.0)).unwrap().mean;
        assert_eq!((send("Q"), send("R")), (8e-6, 1e-6));
        let unbound = share_cores(&calibration().model(), &plan, &[None; 3]);
        assert_eq!(unbound, calibration().model());
    }

    #[test]
    fn the_model_survives_its_file() {
        let model = calibration().model();
        let (read, diagnostics) = Model::parse(&diag::Source::new("tcp.toml", model.to_toml()));
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        assert_eq!(read, Some(model));
    }
}
