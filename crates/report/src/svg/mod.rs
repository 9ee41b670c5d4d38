//! Pictures as SVG text: no script, no external font, readable on light and on dark grounds.

mod axis;
mod canvas;
mod comparison;
mod timeline;

pub use comparison::{Figure, Point, Spread, figure};
pub use timeline::{Activity, Interval, Message, Timeline, Trace, timeline};
