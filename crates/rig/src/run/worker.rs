//! A role between repetitions: waits for its cue, works, reports.

use std::sync::mpsc::Receiver;

use serde::{Deserialize, Serialize};

use crate::error::RigError;
use crate::repetition::{Count, Repetition};
use crate::role::Role;
use crate::spin::SpinRate;
use crate::timeline::{Event, Silent, Timeline};
use crate::transport::Address;

/// What a role is told to do next.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Cue {
    /// Run the machine once.
    Repeat {
        /// Clock reading at which everybody starts.
        start: u64,
        /// How fast the busy loop is at the moment.
        rate: SpinRate,
        /// Whether to record events: such a repetition is not measured.
        timeline: bool,
    },
    /// Take what was sent but not received off these channels of the plan.
    Discard(Vec<(usize, Count)>),
    /// Where the receivers of the outgoing channels can be reached, with the channels' indices.
    Dial(Vec<(usize, Address)>),
}

/// What a role tells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Report {
    /// Its door is open at this address.
    Listening(Address),
    /// Its channels are connected.
    Ready,
    /// A repetition is over.
    Finished(Repetition, Vec<Event>),
    /// What was to be discarded is.
    Discarded,
    /// It cannot go on.
    Failed(RigError),
    /// Where it is: a [`crate::board::Position`] as a word.
    At(u64),
    /// It is gone without a word.
    Gone,
}

/// Follows cues until they end or the role fails. `limit` bounds the clock readings per loop.
pub(crate) fn work(
    mut role: Role,
    index: usize,
    limit: usize,
    cues: &Receiver<Cue>,
    report: impl Fn(Report),
) {
    report(Report::Ready);
    while let Ok(cue) = cues.recv() {
        match follow(&mut role, index, limit, cue) {
            Ok(answer) => report(answer),
            Err(error) => {
                report(Report::Failed(error));
                return;
            }
        }
    }
}

fn follow(role: &mut Role, index: usize, limit: usize, cue: Cue) -> Result<Report, RigError> {
    match cue {
        Cue::Repeat { start, rate, timeline: false } => {
            let repetition = role.repeat(start, rate, limit, &mut Silent)?;
            Ok(Report::Finished(repetition, Vec::new()))
        }
        Cue::Repeat { start, rate, timeline: true } => {
            let mut record = Timeline::new(index, start);
            let repetition = role.repeat(start, rate, limit, &mut record)?;
            Ok(Report::Finished(repetition, record.into_events()))
        }
        Cue::Discard(leftovers) => {
            for (channel, count) in leftovers {
                role.discard(channel, count)?;
            }
            Ok(Report::Discarded)
        }
        Cue::Dial(_) => Ok(Report::Ready),
    }
}
