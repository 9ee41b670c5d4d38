//! The test rig: runs protocols for real and times them, and measures what the transports cost.
//!
//! [`run`] executes a [`session::plan::Plan`]: one thread or process per role, real messages of the stated
//! [`cost::Model`], from which other runs are predicted.
//!
//! This is the one library of the project that reads clocks, opens sockets and starts threads. It prints
//! nothing.

mod affinity;
mod awake;
mod board;
mod calibrate;
mod clock;
mod environment;
mod error;
mod limits;
mod measurement;
mod program;
mod repetition;
mod role;
mod run;
mod spin;
mod timeline;
mod transport;

pub use affinity::{Placement, allowed_cores};
pub use awake::KeepAwake;
pub use calibrate::{
    CalibrateOptions, Point, SAME_CORE, TransportCalibration, calibrate_transport, measure_transport,
    share_cores,
};
pub use environment::environment;
pub use error::{Activity, RigError, Waiting};
pub use measurement::{IterationTimes, Measurement, Summary};
pub use repetition::Count;
pub use run::{RunOptions, run, serve_role};
pub use spin::SpinRate;
pub use timeline::{Event, EventKind};
pub use transport::Transport;
