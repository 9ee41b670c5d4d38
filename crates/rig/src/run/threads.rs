//! One thread per role.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;

use session::plan::Plan;

use super::conduct::Crew;
use super::worker::{Cue, Report, work};
use crate::affinity;
use crate::board::Board;
use crate::error::RigError;
use crate::limits::allow_sockets;
use crate::program::Program;
use crate::role::Role;
use crate::transport::{Bounds, Closer, Transport, connect_pairs};

/// Stack of a role's thread: the interpreter does not recurse, and there may be hundreds.
const STACK: usize = 256 << 10;

/// Roles as threads of this process. Dropping it ends and joins them.
#[derive(Debug)]
pub(crate) struct Threads {
    names: Vec<String>,
    cues: Vec<Sender<Cue>>,
    handles: Vec<Option<JoinHandle<()>>>,
    closers: Vec<Closer>,
}

impl Threads {
    /// Connects the channels and starts the roles; `cores` says where each is to stay.
    ///
    /// # Errors
    /// If a channel cannot be connected or a thread cannot be started.
    pub(crate) fn start(
        plan: &Plan,
        transport: Transport,
        cores: &[Option<usize>],
        limit: usize,
        board: &Arc<Board>,
    ) -> Result<(Self, Receiver<(usize, Report)>), RigError> {
        let (mut roles, closers) = connect(plan, transport, board)?;
        let (reporter, reports) = mpsc::channel();
        let names = plan.roles.iter().map(|role| role.name.clone()).collect();
        let mut threads = Self { names, cues: Vec::new(), handles: Vec::new(), closers };
        for (index, role) in roles.drain(..).enumerate() {
            let (cue, cues) = mpsc::channel();
            let worker = Worker { index, core: cores[index], limit, cues, reporter: reporter.clone() };
            let builder = std::thread::Builder::new().name(threads.names[index].clone()).stack_size(STACK);
            let handle = builder.spawn(move || worker.run(role)).map_err(|error| {
                let doing = format!("starting the thread of role {}", threads.names[index]);
                RigError::system(doing, &error, "run fewer roles")
            })?;
            threads.cues.push(cue);
            threads.handles.push(Some(handle));
        }
        Ok((threads, reports))
    }

    fn join(&mut self, role: usize) {
        if let Some(handle) = self.handles[role].take()
            && let Err(panic) = handle.join()
            && !std::thread::panicking()
        {
            // A panic in a role's thread is a fault of the rig: it surfaces in the caller.
            std::panic::resume_unwind(panic);
        }
    }
}

impl Crew for Threads {
    fn cue(&mut self, role: usize, cue: Cue) {
        // A role that no longer listens has reported why.
        let _ = self.cues[role].send(cue);
    }

    fn abort(&mut self) {
        self.closers.iter().for_each(Closer::close);
    }

    fn epitaph(&mut self, role: usize) -> RigError {
        self.abort();
        self.join(role);
        RigError::RoleDied { role: self.names[role].clone(), status: "its thread ended".to_owned() }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.cues.clear();
        self.abort();
        for role in 0..self.handles.len() {
            self.join(role);
        }
    }
}

/// What a role's thread needs besides the role.
struct Worker {
    index: usize,
    core: Option<usize>,
    limit: usize,
    cues: Receiver<Cue>,
    reporter: Sender<(usize, Report)>,
}

impl Worker {
    fn run(&self, role: Role) {
        let _last_words = LastWords { index: self.index, reporter: &self.reporter };
        let report = |report| {
            // Nobody listens any more if the run has already ended.
            let _ = self.reporter.send((self.index, report));
        };
        match self.core.map_or(Ok(()), affinity::pin) {
            Ok(()) => work(role, self.index, self.limit, &self.cues, report),
            Err(error) => report(Report::Failed(cannot_pin(self.core, &error))),
        }
    }
}

/// Says that a thread panicked, so that nobody waits for its report.
struct LastWords<'a> {
    index: usize,
    reporter: &'a Sender<(usize, Report)>,
}

impl Drop for LastWords<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let _ = self.reporter.send((self.index, Report::Gone));
        }
    }
}

/// A role could not be kept on its core.
pub(crate) fn cannot_pin(core: Option<usize>, error: &std::io::Error) -> RigError {
    let doing = format!("keeping a role on core {}", core.unwrap_or_default());
    RigError::system(doing, error, "name cores that this process may use (`taskset -p $$` shows them)")
}

/// The roles with their channels connected, and the handles that end the channels.
fn connect(
    plan: &Plan,
    transport: Transport,
    board: &Arc<Board>,
) -> Result<(Vec<Role>, Vec<Closer>), RigError> {
    let bounds: Vec<Bounds> = plan.channels.iter().map(Bounds::of).collect();
    let allowed = match transport {
        Transport::Thread => Ok(()),
        // Both ends of every connection are in this process.
        Transport::Tcp | Transport::Unix => allow_sockets(2 * bounds.len()),
    };
    let pairs = allowed.and_then(|()| connect_pairs(transport, &bounds)).map_err(|error| {
        let doing = format!("connecting {} channels over {transport}", bounds.len());
        RigError::system(doing, &error, "check that loopback connections are allowed")
    })?;
    let mut senders = Vec::with_capacity(pairs.len());
    let mut receivers = Vec::with_capacity(pairs.len());
    let mut closers = Vec::with_capacity(pairs.len());
    for pair in pairs {
        senders.push(Some(pair.sender));
        receivers.push(Some(pair.receiver));
        closers.push(pair.closer);
    }
    let mut roles = Vec::with_capacity(plan.roles.len());
    for index in 0..plan.roles.len() {
        let program = Program::new(plan, index)?;
        let sends = program.outgoing.iter().map(|&at| senders[at].take().expect("one sender per channel"));
        let sends = sends.collect();
        let takes =
            program.incoming.iter().map(|&at| receivers[at].take().expect("one receiver per channel"));
        let takes = takes.collect();
        roles.push(Role::new(program, sends, takes, Arc::clone(board)));
    }
    Ok((roles, closers))
}
