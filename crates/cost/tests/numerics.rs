//! Splines against an independent solver, distributions by their laws.

use cost::{Distribution, Spline};
use proptest::collection::vec;
use proptest::prelude::*;

/// The spline of the definition: on each interval a cubic a + b t + c t^2 + d t^3 (t from its left end),
/// through both points, slopes and curvatures equal inside, curvatures 0 at both ends: one dense
/// linear system of 4 unknowns per interval, solved by elimination with pivoting.
fn by_definition(points: &[(f64, f64)], at: f64) -> f64 {
    let intervals = points.len() - 1;
    let size = 4 * intervals;
    let mut rows: Vec<Vec<f64>> = Vec::new();
    let mut row = |entries: &[(usize, f64)], right: f64| {
        let mut row = vec![0.0; size + 1];
        entries.iter().for_each(|(column, value)| row[*column] = *value);
        row[size] = right;
        rows.push(row);
    };
    for i in 0..intervals {
        let h = points[i + 1].0 - points[i].0;
        row(&[(4 * i, 1.0)], points[i].1);
        row(&[(4 * i, 1.0), (4 * i + 1, h), (4 * i + 2, h * h), (4 * i + 3, h * h * h)], points[i + 1].1);
        let next = 4 * (i + 1);
        if i + 1 < intervals {
            row(&[(4 * i + 1, 1.0), (4 * i + 2, 2.0 * h), (4 * i + 3, 3.0 * h * h), (next + 1, -1.0)], 0.0);
            row(&[(4 * i + 2, 2.0), (4 * i + 3, 6.0 * h), (next + 2, -2.0)], 0.0);
        } else {
            row(&[(4 * i + 2, 2.0), (4 * i + 3, 6.0 * h)], 0.0);
        }
    }
    row(&[(2, 2.0)], 0.0);
    let c = solve(rows);
    let i = points[1..intervals].iter().filter(|(x, _)| *x <= at).count();
    let t = at - points[i].0;
    c[4 * i] + t * (c[4 * i + 1] + t * (c[4 * i + 2] + t * c[4 * i + 3]))
}

fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let size = rows.len();
    for column in 0..size {
        let pivot = (column..size)
            .max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))
            .expect("rows are left");
        rows.swap(column, pivot);
        let pivot = rows[column].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            let factor = row[column] / pivot[column];
            if index != column && factor != 0.0 {
                row.iter_mut().zip(&pivot).for_each(|(value, above)| *value -= factor * above);
            }
        }
    }
    (0..size).map(|i| rows[i][size] / rows[i][i]).collect()
}

fn points() -> impl Strategy<Value = Vec<(f64, f64)>> {
    vec((0.1..5.0, -10.0..10.0), 2..10).prop_map(|steps| {
        let mut x = -3.0;
        let climb = |(step, y): (f64, f64)| {
            x += step;
            (x, y)
        };
        steps.into_iter().map(climb).collect()
    })
}

fn histogram() -> impl Strategy<Value = Distribution> {
    vec((0.0..100.0, 0.01..1.0), 1..8).prop_map(|pairs| Distribution::from_weights(pairs).expect("weights"))
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

proptest! {
    #[test]
    fn splines_are_those_of_the_definition(points in points(), share in 0.0..1.0_f64) {
        let spline = Spline::new(points.clone()).unwrap();
        let (low, high) = spline.domain();
        let at = (low + share * (high - low)).clamp(low, high);
        let (got, wanted) = (spline.value(at).unwrap(), by_definition(&points, at));
        prop_assert!((got - wanted).abs() <= 1e-7 * (1.0 + wanted.abs()), "{} is not {}", got, wanted);
        for (x, y) in points {
            prop_assert_eq!(spline.value(x), Some(y));
        }
    }

    #[test]
    fn mass_is_one_and_means_add(a in histogram(), b in histogram(), weight in 0.0..1.0) {
        let sum = a.convolve(&b);
        let mixture = Distribution::mixture(&[(weight, &a), (1.0 - weight, &b)]).unwrap();
        for distribution in [&a, &b, &sum, &mixture] {
            prop_assert!(close(distribution.bins().map(|(_, mass)| mass).sum(), 1.0));
            let values: Vec<f64> = distribution.bins().map(|(value, _)| value).collect();
            prop_assert!(values.is_sorted_by(|a, b| a < b));
        }
        prop_assert!(close(sum.mean(), a.mean() + b.mean()));
        prop_assert!(close(mixture.mean(), weight * a.mean() + (1.0 - weight) * b.mean()));
        prop_assert!(close(sum.estimate().min, a.estimate().min + b.estimate().min));
        prop_assert!(close(sum.estimate().max, a.estimate().max + b.estimate().max));
        prop_assert!(close(a.scale(3.0).mean(), 3.0 * a.mean()));
    }

    /// Few values are added exactly: each quantile is the one by enumeration.
    #[test]
    fn small_sums_are_exact(a in histogram(), b in histogram(), share in 0.01..0.99) {
        let mut pairs: Vec<(f64, f64)> =
            a.bins().flat_map(|(x, p)| b.bins().map(move |(y, q)| (x + y, p * q)).collect::<Vec<_>>()).collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut below = 0.0;
        let exact = pairs.iter().find(|(_, mass)| {
            below += mass;
            below >= share
        });
        let found = a.convolve(&b).quantile(share);
        prop_assert!(close(found, exact.map_or(f64::NAN, |(value, _)| *value)));
    }
}

/// The sum of twelve uniform quantities has mean 6, variance 1 and nearly the quantiles of a normal law.
#[test]
fn long_sums_stay_small_and_keep_their_shape() {
    let uniform =
        Distribution::from_samples(&(0..500).map(|i| (f64::from(i) + 0.5) / 500.0).collect::<Vec<_>>())
            .unwrap();
    let sum = (1..12).fold(uniform.clone(), |sum, _| sum.convolve(&uniform));
    assert!(sum.bins().count() < 1500, "{} bins", sum.bins().count());
    assert!((sum.mean() - 6.0).abs() < 1e-9);
    let variance: f64 = sum.bins().map(|(value, mass)| mass * (value - 6.0).powi(2)).sum();
    assert!((variance - 1.0).abs() < 0.01, "{variance}");
    assert!((sum.quantile(0.5) - 6.0).abs() < 0.03);
    // Irwin-Hall with n = 12: P(X <= 8.24) = 0.9873.., P(X <= 9) = 0.99889..
    assert!((sum.quantile(0.998_89) - 9.0).abs() < 0.05, "{}", sum.quantile(0.998_89));
}

#[test]
fn no_distribution_of_nothing() {
    assert_eq!(Distribution::from_samples(&[]), None);
    assert_eq!(Distribution::from_samples(&[1.0, f64::NAN]), None);
    assert_eq!(Distribution::from_weights(vec![(1.0, -1.0)]), None);
    assert_eq!(Distribution::from_weights(vec![(1.0, 0.0)]), None);
    assert_eq!(Distribution::mixture(&[]), None);
    let extreme = Distribution::exactly(f64::MAX);
    assert_eq!(extreme.convolve(&extreme).mean(), f64::MAX);
}
