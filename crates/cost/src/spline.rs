//! Natural cubic splines through measured points.

use std::fmt::{Display, Formatter};

/// The natural cubic spline through points: twice continuously differentiable, second derivative 0 at
/// both ends, exact at every point. It has no value outside its points: nothing is extrapolated.
///
/// Equal when the points are.
#[derive(Debug, Clone)]
pub struct Spline {
    points: Vec<(f64, f64)>,
    /// Second derivatives at the points.
    curvature: Vec<f64>,
}

impl PartialEq for Spline {
    fn eq(&self, other: &Self) -> bool {
        self.points == other.points
    }
}

/// Why points carry no spline. Indices count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SplineError {
    /// Fewer than two points.
    TooFew,
    /// The point's abscissa is not larger than the one before it.
    NotIncreasing(usize),
    /// A coordinate of the point is infinite or not a number.
    NotFinite(usize),
}

impl Display for SplineError {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            SplineError::TooFew => f.write_str("a spline needs at least two points"),
            SplineError::NotIncreasing(index) => {
                write!(f, "point {} does not lie to the right of the one before it", index + 1)
            }
            SplineError::NotFinite(index) => write!(f, "point {} is not a pair of finite numbers", index + 1),
        }
    }
}

impl std::error::Error for SplineError {}

impl Spline {
    /// The spline through `(abscissa, value)` points with increasing abscissas.
    ///
    /// # Errors
    /// The first point that does not fit, or that there are fewer than two.
    pub fn new(points: Vec<(f64, f64)>) -> Result<Self, SplineError> {
        if let Some(index) = points.iter().position(|(x, y)| !x.is_finite() || !y.is_finite()) {
            return Err(SplineError::NotFinite(index));
        }
        if let Some(index) = points.windows(2).position(|pair| pair[1].0 <= pair[0].0) {
            return Err(SplineError::NotIncreasing(index + 1));
        }
        if points.len() < 2 {
            return Err(SplineError::TooFew);
        }
        let curvature = curvature(&points);
        Ok(Self { points, curvature })
    }

    /// The points it goes through.
    #[must_use]
    pub fn points(&self) -> &[(f64, f64)] {
        &self.points
    }

    /// The first and the last abscissa.
    #[must_use]
    pub fn domain(&self) -> (f64, f64) {
        (self.points[0].0, self.points[self.points.len() - 1].0)
    }

    /// Its value; `None` outside its domain.
    #[must_use]
    pub fn value(&self, at: f64) -> Option<f64> {
        let (low, high) = self.domain();
        if !(low..=high).contains(&at) {
            return None;
        }
        let right = self.points.partition_point(|(x, _)| *x <= at).clamp(1, self.points.len() - 1);
        let ((x0, y0), (x1, y1)) = (self.points[right - 1], self.points[right]);
        let (m0, m1) = (self.curvature[right - 1], self.curvature[right]);
        let h = x1 - x0;
        let (a, b) = ((x1 - at) / h, (at - x0) / h);
        let bend = (a * a * a - a) * m0 + (b * b * b - b) * m1;
        Some(a * y0 + b * y1 + bend * h * h / 6.0)
    }
}

/// Second derivatives of the natural spline: the tridiagonal system of its continuity conditions,
/// solved by elimination without pivoting (it is diagonally dominant).
fn curvature(points: &[(f64, f64)]) -> Vec<f64> {
    let last = points.len() - 1;
    let step = |i: usize| points[i + 1].0 - points[i].0;
    let slope = |i: usize| (points[i + 1].1 - points[i].1) / step(i);
    let mut diagonal = vec![0.0; last];
    let mut right = vec![0.0; last];
    for i in 1..last {
        let below = if i > 1 { step(i - 1) / diagonal[i - 1] } else { 0.0 };
        diagonal[i] = 2.0 * (step(i - 1) + step(i)) - below * step(i - 1);
        right[i] = 6.0 * (slope(i) - slope(i - 1)) - below * right[i - 1];
    }
    let mut curvature = vec![0.0; last + 1];
    for i in (1..last).rev() {
        curvature[i] = (right[i] - step(i) * curvature[i + 1]) / diagonal[i];
    }
    curvature
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_it_cannot_go_through() {
        assert_eq!(Spline::new(vec![(1.0, 1.0)]), Err(SplineError::TooFew));
        assert_eq!(Spline::new(vec![(1.0, 1.0), (1.0, 2.0)]), Err(SplineError::NotIncreasing(1)));
        assert_eq!(Spline::new(vec![(1.0, 1.0), (2.0, f64::NAN)]), Err(SplineError::NotFinite(1)));
    }

    #[test]
    fn two_points_make_a_line_and_nothing_is_extrapolated() {
        let line = Spline::new(vec![(0.0, 1.0), (10.0, 21.0)]).unwrap();
        assert_eq!(line.value(5.0), Some(11.0));
        assert_eq!(line.value(10.0), Some(21.0));
        assert_eq!(line.value(10.0 + 1e-9), None);
        assert_eq!(line.value(f64::NAN), None);
    }

    /// By hand: through (0,0), (1,1), (2,0) the middle curvature m solves 4m = 6(-1-1), so m = -3.
    #[test]
    fn known_values() {
        let spline = Spline::new(vec![(0.0, 0.0), (1.0, 1.0), (2.0, 0.0)]).unwrap();
        assert_eq!(spline.curvature, [0.0, -3.0, 0.0]);
        assert_eq!(spline.value(0.5), Some(0.6875));
        assert_eq!(spline.value(1.5), Some(0.6875));
    }
}
