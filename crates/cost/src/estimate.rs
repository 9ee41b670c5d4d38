use serde::{Deserialize, Serialize};

/// Three estimators of one quantity, in one unit. Each lane is computed on its own: the mean lane of
/// a composition is the composition of the means, which for a maximum bounds the true mean from below.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Estimate {
    /// Smallest expected.
    pub min: f64,
    /// Mean.
    pub mean: f64,
    /// Largest expected.
    pub max: f64,
}

impl Estimate {
    /// The same value in all lanes.
    #[must_use]
    pub fn exactly(value: f64) -> Self {
        Self { min: value, mean: value, max: value }
    }

    /// Applies a function to each lane.
    #[must_use]
    pub fn map(self, function: impl Fn(f64) -> f64) -> Self {
        Self { min: function(self.min), mean: function(self.mean), max: function(self.max) }
    }

    /// Combines two estimates lane by lane.
    #[must_use]
    pub fn zip(self, other: Self, function: impl Fn(f64, f64) -> f64) -> Self {
        Self {
            min: function(self.min, other.min),
            mean: function(self.mean, other.mean),
            max: function(self.max, other.max),
        }
    }

    /// The lanes as `[min, mean, max]`.
    #[must_use]
    pub fn lanes(self) -> [f64; 3] {
        [self.min, self.mean, self.max]
    }
}

impl std::ops::Add for Estimate {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
}
