//! What can go wrong in the world while a protocol runs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A run or a calibration that could not be brought to its end.
///
/// Every variant names the object it is about; its [`Display`](fmt::Display) text also says what to try.
/// The values travel between processes, so system errors are kept as text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum RigError {
    /// The plan contradicts itself.
    Plan {
        /// The role whose machine is at fault.
        role: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The options ask for something that cannot be done.
    Options {
        /// What cannot be done.
        problem: String,
        /// What to ask for instead.
        remedy: String,
    },
    /// The operating system refused.
    System {
        /// What was being done, to which object.
        doing: String,
        /// The system's reason.
        reason: String,
        /// What to try.
        remedy: String,
    },
    /// The other end of a channel is gone.
    PeerClosed {
        /// Who noticed, where, and over which message.
        waiting: Waiting,
        /// How it showed.
        reason: String,
    },
    /// A message arrived that the receiver's state does not accept.
    Unexpected {
        /// The receiver, its state and what it would have accepted.
        waiting: Waiting,
        /// What came instead.
        found: String,
    },
    /// No role made progress for longer than the watchdog allows: a deadlock, or a message that does not
    /// fit the buffers of its channel.
    Stalled {
        /// Seconds without progress.
        seconds: f64,
        /// The roles that wait, and for whom.
        waiting: Vec<Waiting>,
    },
    /// The process of a role ended before its work was done.
    RoleDied {
        /// The role.
        role: String,
        /// How its process ended.
        status: String,
    },
}

/// What a role is busy with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Activity {
    /// It spends a local cost.
    Compute,
    /// It sends, or waits for room to send.
    Send,
    /// It receives, or waits for a message.
    Receive,
    /// It has reached the end of the repetition.
    Done,
}

/// A role that waits for another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waiting {
    /// Who waits.
    pub role: String,
    /// Its state: an index into [`session::plan::RolePlan::states`].
    pub state: usize,
    /// What it is trying to do.
    pub activity: Activity,
    /// For whom it waits.
    pub peer: String,
    /// The messages that would let it go on.
    pub labels: Vec<String>,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let labels = self.labels.join(" or ");
        let Waiting { role, state, peer, .. } = self;
        match self.activity {
            Activity::Send => write!(f, "{role} (state {state}) sends {labels} to {peer}"),
            Activity::Receive => write!(f, "{role} (state {state}) waits for {labels} from {peer}"),
            Activity::Compute => write!(f, "{role} (state {state}) computes"),
            Activity::Done => write!(f, "{role} is done"),
        }
    }
}

impl fmt::Display for RigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RigError::Plan { role, problem } => {
                write!(
                    f,
                    "the plan of role {role} cannot be executed: {problem}; build it anew from the protocol"
                )
            }
            RigError::Options { problem, remedy } => write!(f, "{problem}; {remedy}"),
            RigError::System { doing, reason, remedy } => write!(f, "{doing}: {reason}; {remedy}"),
            RigError::PeerClosed { waiting, reason } => write!(
                f,
                "{waiting}, but {} is gone ({reason}); look at what ended {} first",
                waiting.peer, waiting.peer
            ),
            RigError::Unexpected { waiting, found } => {
                write!(f, "{waiting}, but got {found}; check that both plans come from the same protocol")
            }
            RigError::Stalled { seconds, waiting } => {
                write!(f, "no role made progress for {seconds} s: ")?;
                for (index, one) in waiting.iter().enumerate() {
                    write!(f, "{}{one}", if index == 0 { "" } else { "; " })?;
                }
                f.write_str("; receive before sending in one of them, raise the capacity of the full channel, or raise the watchdog's limit")
            }
            RigError::RoleDied { role, status } => {
                write!(
                    f,
                    "the process of role {role} ended early ({status}); run it without processes to see why"
                )
            }
        }
    }
}

impl std::error::Error for RigError {}

impl RigError {
    /// A refusal of the operating system.
    pub(crate) fn system(doing: impl Into<String>, reason: &std::io::Error, remedy: &str) -> Self {
        let remedy = match reason.raw_os_error() {
            Some(libc::EMFILE | libc::ENFILE) => "allow more open files (`ulimit -n`) or run fewer roles",
            Some(libc::EAGAIN | libc::ENOMEM) => {
                "free memory, raise the limit on threads, or run fewer roles"
            }
            _ => remedy,
        };
        RigError::System { doing: doing.into(), reason: reason.to_string(), remedy: remedy.to_owned() }
    }

    /// How near the error is to the cause of a failed run: a peer that is gone is the consequence of
    /// something else, a dead process or a wrong message is a cause.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            RigError::PeerClosed { .. } => 0,
            RigError::Stalled { .. } => 1,
            _ => 2,
        }
    }
}
