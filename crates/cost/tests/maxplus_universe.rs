//! The small universe: all 3x3 max-plus matrices over {-inf, 0, 1, 2}, judged by enumeration.

#![allow(clippy::needless_range_loop, reason = "matrices are written as in the textbook")]

use cost::expr::{Atom, Pool};
use cost::maxplus::{Matrix, Recurrence};

const VALUES: [f64; 4] = [f64::NEG_INFINITY, 0.0, 1.0, 2.0];

fn universe() -> impl Iterator<Item = Matrix> {
    (0..4usize.pow(9)).map(|code| {
        let entry = |position: usize| VALUES[code / 4usize.pow(u32::try_from(position).unwrap()) % 4];
        Matrix::from_rows(&[0, 1, 2].map(|i| (0..3).map(|j| entry(3 * i + j)).collect::<Vec<f64>>()))
    })
}

/// All elementary cycles of three nodes, as lists of nodes in order of time.
const CYCLES: [&[usize]; 8] = [&[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2], &[0, 2, 1]];

fn cycle_mean(a: &Matrix, cycle: &[usize]) -> f64 {
    let steps = cycle.iter().zip(cycle.iter().cycle().skip(1));
    steps.map(|(from, to)| a.get(*to, *from)).sum::<f64>() / cycle.len() as f64
}

fn reaches(a: &Matrix) -> [[bool; 3]; 3] {
    let mut reach = [[false; 3]; 3];
    for from in 0..3 {
        for to in 0..3 {
            reach[from][to] = from == to || a.get(to, from) > f64::NEG_INFINITY;
        }
    }
    for via in 0..3 {
        for from in 0..3 {
            for to in 0..3 {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    reach
}

/// The matrix as a recurrence over costs: `next[i] = max_j (x_j + a_ij)`.
fn recurrence(a: &Matrix) -> (Recurrence, Vec<f64>) {
    let mut pool = Pool::new();
    let mut costs = Vec::new();
    let states: Vec<_> = (0..3).map(|j| pool.state(j)).collect();
    let mut next = Vec::new();
    for i in 0..3 {
        let mut terms = Vec::new();
        for (j, state) in states.iter().enumerate() {
            if a.get(i, j) > f64::NEG_INFINITY {
                terms.push(pool.plus(*state, Atom(u32::try_from(costs.len()).unwrap())));
                costs.push(a.get(i, j));
            }
        }
        // A row without entries is a variable that is set once and for all: a constant.
        let zero = pool.zero();
        next.push(terms.into_iter().reduce(|x, y| pool.max(x, y)).unwrap_or(zero));
    }
    (Recurrence { pool, next }, costs)
}

#[test]
fn howard_karp_and_enumeration_agree() {
    for a in universe() {
        let means = CYCLES.map(|cycle| cycle_mean(&a, cycle));
        let best = means.into_iter().fold(f64::NEG_INFINITY, f64::max);
        let (recurrence, costs) = recurrence(&a);
        let solution = recurrence.solve(&costs);
        match solution.critical {
            None => {
                assert_eq!(best, f64::NEG_INFINITY, "{a:?}");
                assert_eq!(a.karp(), None, "{a:?}");
            }
            Some(critical) => {
                assert!((critical.ratio - best).abs() < 1e-12, "{a:?}: {critical:?} against {best}");
                assert!((a.karp().unwrap() - best).abs() < 1e-12, "{a:?}");
                let weight: f64 = critical.atoms.iter().map(|atom| costs[atom.0 as usize]).sum();
                assert!((weight / f64::from(critical.tokens) - best).abs() < 1e-12, "{a:?}");
            }
        }
        let reach = reaches(&a);
        for (i, rate) in solution.rates.iter().enumerate() {
            let upstream = CYCLES.iter().zip(means).filter(|(cycle, _)| reach[cycle[0]][i]);
            let expected = upstream.map(|(_, mean)| mean).fold(f64::NEG_INFINITY, f64::max);
            let expected = if expected.is_finite() { expected } else { 0.0 };
            assert!((rate - expected).abs() < 1e-12, "{a:?}: role {i} {rate} against {expected}");
        }
    }
}

#[test]
fn certificates_hold_for_every_iteration_count() {
    for a in universe() {
        let (recurrence, costs) = recurrence(&a);
        if (0..3).any(|i| (0..3).all(|j| a.get(i, j) == f64::NEG_INFINITY)) {
            continue; // a row without entries is a constant; the certificate speaks of linear maps
        }
        let certificate = recurrence.solve(&costs).certificate;
        let mut state = vec![0.0, 1.0, 0.5];
        let initial = state.clone();
        for iterations in 0..8 {
            for (i, value) in state.iter().enumerate() {
                let limit = certificate.limit(i, iterations, &initial);
                assert!(*value <= limit + 1e-12, "{a:?}: {value} over {limit} after {iterations}");
            }
            state = a.apply(&state);
        }
        let critical = recurrence.solve(&costs).critical.unwrap();
        assert!(certificate.bound - critical.ratio < 1e-12, "{a:?}: the bound is not tight");
    }
}
