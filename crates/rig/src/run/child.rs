//! One process per role: the role's side.

use std::io::{self, BufRead, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use session::plan::{Channel, Plan, RolePlan};

use super::threads::cannot_pin;
use super::worker::{Cue, Report, work};
use crate::affinity;
use crate::board::Board;
use crate::error::RigError;
use crate::program::Program;
use crate::role::Role;
use crate::transport::{
    Address, Bounds, Closer, Listener, ReceiveEnd, SendEnd, Transport, dial, receive_end, send_end,
};

/// How often a role's process says where it is.
const HEARTBEAT: Duration = Duration::from_millis(100);

/// What a role's process is told first: its part of the plan. The other roles keep their names only, so that
/// what is sent grows with the plan, not with its square.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    plan: Plan,
    role: usize,
    transport: Transport,
    token: u64,
    core: Option<usize>,
    limit: usize,
}

impl Job {
    pub(crate) fn new(
        plan: &Plan,
        role: usize,
        transport: Transport,
        token: u64,
        core: Option<usize>,
        limit: usize,
    ) -> Self {
        let only_name = |(index, machine): (usize, &RolePlan)| {
            if index == role {
                return machine.clone();
            }
            RolePlan { name: machine.name.clone(), states: Vec::new(), start: 0, decisions: Vec::new() }
        };
        let roles = plan.roles.iter().enumerate().map(only_name).collect();
        let plan = Plan { protocol: plan.protocol.clone(), roles, channels: plan.channels.clone() };
        Self { plan, role, transport, token, core, limit }
    }
}

/// Where reports go; shared with the heartbeat.
struct Reporter<W>(Mutex<W>);

impl<W: Write> Reporter<W> {
    fn report(&self, report: &Report) {
        let mut line = serde_json::to_vec(report).expect("reports have JSON forms");
        line.push(b'\n');
        let mut output = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // If the parent is gone, so will be the cues, and with them this process.
        let _ = output.write_all(&line).and_then(|()| output.flush());
    }
}

/// Plays one role of a run whose other roles are other processes: the counterpart of
/// [`RunOptions::role_command`](crate::RunOptions::role_command).
///
/// Reads its part of the plan and its cues from `input` and reports on `output`, both as lines of JSON of a
/// private form. Returns when the input ends.
///
/// # Errors
/// If the input is not what a parent of the same version writes, or if the role fails. The parent has then
/// been told.
pub fn serve_role(input: impl BufRead, output: impl Write + Send) -> Result<(), RigError> {
    let reporter = Reporter(Mutex::new(output));
    let served = serve(input, &reporter);
    if let Err(error) = &served {
        reporter.report(&Report::Failed(error.clone()));
    }
    served
}

fn serve(input: impl BufRead, reporter: &Reporter<impl Write + Send>) -> Result<(), RigError> {
    let mut lines = input.lines();
    let job: Job = parse(lines.next())?;
    if job.role >= job.plan.roles.len() {
        return Err(misunderstood("a role that is not in the plan"));
    }
    if let Some(core) = job.core {
        affinity::pin(core).map_err(|error| cannot_pin(job.core, &error))?;
    }
    let program = Program::new(&job.plan, job.role)?;
    let listener = Listener::bind(job.transport, job.token, job.role);
    let listener = listener.map_err(|error| no_connection(&job, &error))?;
    reporter.report(&Report::Listening(listener.address().map_err(|error| no_connection(&job, &error))?));
    let Cue::Dial(peers) = parse(lines.next())? else { return Err(misunderstood("a cue before the peers")) };
    let ends = connect(&listener, &peers, &program, &job).map_err(|error| no_connection(&job, &error))?;
    let board = Arc::new(Board::new(job.plan.roles.len()));
    let role = Role::new(program, ends.senders, ends.receivers, Arc::clone(&board));
    let (cue, cues) = mpsc::channel();
    let over = AtomicBool::new(false);
    let (index, limit) = (job.role, job.limit);
    std::thread::scope(|scope| {
        let over = &over;
        scope.spawn(move || {
            work(role, index, limit, &cues, |report| reporter.report(&report));
            over.store(true, Ordering::Relaxed);
        });
        scope.spawn(|| beat(&board, index, over, reporter));
        let passed = pass_cues(lines, &cue);
        drop(cue);
        // The run is over, or the parent is gone: whoever is still blocked must not stay so.
        ends.closers.iter().for_each(Closer::close);
        passed
    })
}

fn pass_cues(lines: impl Iterator<Item = io::Result<String>>, cue: &Sender<Cue>) -> Result<(), RigError> {
    for line in lines {
        let parsed = parse(Some(line))?;
        if cue.send(parsed).is_err() {
            // The role has failed, and has said why.
            return Ok(());
        }
    }
    Ok(())
}

fn parse<T: for<'a> Deserialize<'a>>(line: Option<io::Result<String>>) -> Result<T, RigError> {
    let line = line.and_then(Result::ok).ok_or_else(|| misunderstood("an early end"))?;
    serde_json::from_str(&line).map_err(|error| misunderstood(&format!("something else: {error}")))
}

fn misunderstood(found: &str) -> RigError {
    RigError::Options {
        problem: format!("a role's process expects its part of a plan on its input, but found {found}"),
        remedy: "do not start it by hand: it is started by a run with processes".to_owned(),
    }
}

fn no_connection(job: &Job, error: &io::Error) -> RigError {
    let doing = format!("connecting role {} over {}", job.plan.roles[job.role].name, job.transport);
    RigError::system(doing, error, "check that loopback connections are allowed")
}

/// Says where the role is, whenever that has changed.
fn beat(board: &Board, role: usize, over: &AtomicBool, reporter: &Reporter<impl Write>) {
    let mut last = board.get(role);
    while !over.load(Ordering::Relaxed) {
        std::thread::sleep(HEARTBEAT);
        let now = board.get(role);
        if now != last {
            reporter.report(&Report::At(now.to_word()));
            last = now;
        }
    }
}

/// The connected channels of a role.
struct Ends {
    senders: Vec<SendEnd>,
    receivers: Vec<ReceiveEnd>,
    closers: Vec<Closer>,
}

/// Dials the receivers of the outgoing channels while accepting the incoming ones: in turn, two roles that
/// dial each other could both wait for the other to accept.
fn connect(
    listener: &Listener,
    peers: &[(usize, Address)],
    program: &Program,
    job: &Job,
) -> io::Result<Ends> {
    let (dialled, mut accepted) = std::thread::scope(|scope| {
        let accepting = scope.spawn(|| listener.accept(program.incoming.len(), job.token));
        let dialled: io::Result<Vec<_>> = program
            .outgoing
            .iter()
            .map(|&channel| {
                let peer = peers.iter().find(|(index, _)| *index == channel);
                let (_, address) = peer.ok_or_else(|| missing(channel, "has no address"))?;
                Ok((channel, dial(address, channel, job.token)?))
            })
            .collect();
        let accepted = accepting.join().expect("accepting does not panic");
        Ok::<_, io::Error>((dialled?, accepted?))
    })?;
    accepted.sort_by_key(|(channel, _)| *channel);
    if let Some((wanted, _)) =
        program.incoming.iter().zip(&accepted).find(|(wanted, (got, _))| *wanted != got)
    {
        return Err(missing(*wanted, "was not dialled"));
    }
    let mut ends = Ends { senders: Vec::new(), receivers: Vec::new(), closers: Vec::new() };
    for (channel, stream) in dialled {
        let (sender, closer) = send_end(stream, bounds(&job.plan.channels, channel));
        ends.senders.push(sender);
        ends.closers.push(closer);
    }
    for (channel, stream) in accepted {
        let (receiver, closer) = receive_end(stream, bounds(&job.plan.channels, channel));
        ends.receivers.push(receiver);
        ends.closers.push(closer);
    }
    Ok(ends)
}

fn bounds(channels: &[Channel], channel: usize) -> Bounds {
    Bounds::of(&channels[channel])
}

fn missing(channel: usize, what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("channel {channel} {what}"))
}
