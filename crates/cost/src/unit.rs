use serde::{Deserialize, Serialize};

/// Unit of time of a cost model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Unit {
    /// Seconds.
    #[serde(rename = "s")]
    Seconds,
    /// Milliseconds.
    #[serde(rename = "ms")]
    Milliseconds,
    /// Microseconds.
    #[serde(rename = "us")]
    Microseconds,
    /// Nanoseconds.
    #[serde(rename = "ns")]
    Nanoseconds,
    /// Processor cycles: cannot be turned into seconds without a clock rate.
    #[serde(rename = "cycles")]
    Cycles,
}

impl Unit {
    /// All units, in the order in which help texts list them.
    pub const ALL: [Unit; 5] =
        [Unit::Seconds, Unit::Milliseconds, Unit::Microseconds, Unit::Nanoseconds, Unit::Cycles];

    /// Its symbol: `s ms us ns cycles`.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Unit::Seconds => "s",
            Unit::Milliseconds => "ms",
            Unit::Microseconds => "us",
            Unit::Nanoseconds => "ns",
            Unit::Cycles => "cycles",
        }
    }

    /// The unit of a symbol.
    #[must_use]
    pub fn from_symbol(symbol: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.symbol() == symbol)
    }

    /// How many of this unit are in one second; `None` for cycles.
    #[must_use]
    pub fn per_second(self) -> Option<f64> {
        match self {
            Unit::Seconds => Some(1.0),
            Unit::Milliseconds => Some(1e3),
            Unit::Microseconds => Some(1e6),
            Unit::Nanoseconds => Some(1e9),
            Unit::Cycles => None,
        }
    }

    /// A value in this unit, given in `other`; `None` between time and cycles.
    #[must_use]
    pub fn convert_from(self, value: f64, other: Unit) -> Option<f64> {
        if self == other {
            return Some(value);
        }
        Some(value * self.per_second()? / other.per_second()?)
    }
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.symbol())
    }
}
