//! stub
use crate::output::{Answer, Failure};
use clap::Args;
/// x
#[derive(Debug, Args)]
pub(crate) struct DemoArguments {}
pub(crate) fn run(_: &DemoArguments) -> Answer {
    Err(Failure::new("x"))
}
