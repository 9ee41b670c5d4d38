//! `cargo xtask demo`: from a fresh clone to a prediction beside a measurement.

use crate::{Failure, setup, shell};

/// Runs the task; the arguments go to `lagcast demo`.
///
/// # Errors
/// When the build fails or the demo ends with another status than 0.
pub fn run(arguments: &[String]) -> Result<(), Failure> {
    setup::run(&[])?;
    shell::execute(&mut shell::cargo(&["build", "--release", "--package", "lagcast"]))?;
    let mut command = shell::cargo(&["run", "--release", "--quiet", "--package", "lagcast", "--", "demo"]);
    shell::execute(command.args(arguments))
}
