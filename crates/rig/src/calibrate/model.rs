//! A calibration as a cost model.

use std::cmp::Ordering;

use cost::{Cost, Curve, Estimate, Formula, Model, Operation, Provenance, Unit};
use session::plan::Plan;

use super::statistics::median;
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
            "min and max are the first and the 99th percentile, means leave out the largest 5 % of the samples; the means of send, latency, wake and recv add up to the measured crossing".to_owned(),
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

/// Deviation from the measured points that is allowed for the sake of a shorter expression, as a share of the
/// whole crossing.
const TOLERANCE: f64 = 0.02;

/// The four prices of a set of points.
fn operations(points: &[Point]) -> Vec<Operation> {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return Vec::new() };
    let part = |name: &str, what: &str, value: fn(&Point) -> Estimate| {
        Operation::new(name, lanes(points, value))
            .valid("size", first.size as f64, last.size as f64)
            .comment(what.to_owned())
    };
    vec![
        part("send", "to a receiver that waits", |point| point.send),
        part("latency", "until a receiver that polls has it", |point| point.latency),
        part("wake", "what a receiver that sleeps needs beyond that", |point| point.wake),
        part("recv", "of a message that is there", |point| point.recv),
    ]
}

/// The mean as a function of the size, and the spread as a factor of it: how far single percentiles lie from the
/// mean is too uncertain to be told for each size.
fn lanes(points: &[Point], value: fn(&Point) -> Estimate) -> Cost {
    let factor = |lane: fn(Estimate) -> f64| {
        let means =
            points.iter().map(|point| (value(point), value(point).mean)).filter(|(_, mean)| *mean > 0.0);
        let ratios: Vec<f64> = means.map(|(estimate, mean)| lane(estimate) / mean).collect();
        if ratios.is_empty() { 1.0 } else { median(ratios) }
    };
    let mean = polyline(&sparse(points, value));
    let times = |factor: f64| match factor == 1.0 {
        true => Curve::Formula(mean.clone()),
        false => Curve::Formula(Formula::number(rounded(factor)) * mean.clone()),
    };
    Cost::Lanes {
        min: times(factor(|estimate| estimate.min).min(1.0)),
        max: times(factor(|estimate| estimate.max).max(1.0)),
        mean: Curve::Formula(mean),
    }
}

/// Sizes and means, without the points that the straight line between others tells well enough.
fn sparse(points: &[Point], value: fn(&Point) -> Estimate) -> Vec<(f64, f64)> {
    let line: Vec<(f64, f64)> = points.iter().map(|point| (point.size as f64, value(point).mean)).collect();
    let mut kept = vec![0, line.len() - 1];
    let mut at = 0;
    while at + 1 < kept.len() {
        let (low, high) = (kept[at], kept[at + 1]);
        let ((x0, y0), (x1, y1)) = (line[low], line[high]);
        let deviation = |index: usize| {
            let (x, y) = line[index];
            (y - (y0 + (y1 - y0) * (x - x0) / (x1 - x0))).abs() / points[index].crossing().mean
        };
        let worst = (low + 1..high).max_by(|&a, &b| deviation(a).total_cmp(&deviation(b)));
        match worst.filter(|&index| deviation(index) > TOLERANCE) {
            Some(index) => kept.insert(at + 1, index),
            None => at += 1,
        }
    }
    kept.into_iter().map(|index| line[index]).collect()
}

/// The straight lines between neighbouring points, as one expression of the size.
///
/// No spline: sizes grow by factors and noise does not, so that a natural spline swings far out between two
/// large sizes, below zero even, because of a wobble between two small ones. And between sizes that are far
/// apart a message is copied byte by byte: the cost is a straight line.
fn polyline(points: &[(f64, f64)]) -> Formula {
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
    if sum.as_number().is_some() {
        return sum;
    }
    // Rounding must not make nothing less than nothing.
    Formula::max(Formula::number(0.0), sum)
}

/// To six significant digits: finer than any clock even where steep lines nearly cancel, and still readable.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().expect("a number that was just printed")
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
    fn points_that_lie_on_a_line_are_left_out() {
        let bent = |size: usize| point(size, if size > 1000 { 9e-6 } else { 8e-6 }, 7e-6);
        let points: Vec<Point> = [1, 64, 256, 1000, 1001, 4000, 9000].into_iter().map(bent).collect();
        let sizes: Vec<f64> = sparse(&points, |point| point.send).into_iter().map(|(size, _)| size).collect();
        assert_eq!(sizes, [1.0, 1000.0, 1001.0, 9000.0]);
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
