//! One process per role: the parent's side.

use std::ffi::OsString;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde::Serialize;
use session::plan::Plan;

use super::child::Job;
use super::conduct::{Conductor, Crew};
use super::worker::{Cue, Report};
use crate::error::RigError;
use crate::transport::{Address, Transport};

/// How long a process that has been told to stop may take.
const FAREWELL: Duration = Duration::from_secs(5);

/// Roles as processes. Dropping it ends them and waits for them.
#[derive(Debug)]
pub(crate) struct Processes {
    roles: Vec<RoleProcess>,
}

#[derive(Debug)]
struct RoleProcess {
    name: String,
    process: Child,
    /// Closing it tells the process to stop.
    cues: Option<ChildStdin>,
    reader: Option<JoinHandle<()>>,
}

impl Processes {
    /// Starts one process per role and tells it its part.
    ///
    /// # Errors
    /// If the command cannot be started.
    pub(crate) fn start(
        plan: &Plan,
        transport: Transport,
        cores: &[Option<usize>],
        limit: usize,
        command: &[OsString],
    ) -> Result<(Self, Receiver<(usize, Report)>), RigError> {
        // Not a secret: it only keeps runs on the same machine from mistaking each other.
        let token = RandomState::new().build_hasher().finish();
        let (reporter, reports) = mpsc::channel();
        let mut processes = Self { roles: Vec::with_capacity(plan.roles.len()) };
        for (role, &core) in cores.iter().enumerate() {
            let job = Job::new(plan, role, transport, token, core, limit);
            let process = spawn(&plan.roles[role].name, role, command, reporter.clone())?;
            processes.roles.push(process);
            processes.tell(role, &job);
        }
        Ok((processes, reports))
    }

    /// Writes one line of JSON. A process that does not read any more is noticed by the reader of its output.
    fn tell(&mut self, role: usize, message: &impl Serialize) {
        if let Some(cues) = &mut self.roles[role].cues {
            let mut line = serde_json::to_vec(message).expect("plans and cues have JSON forms");
            line.push(b'\n');
            let _ = cues.write_all(&line).and_then(|()| cues.flush());
        }
    }
}

fn spawn(
    name: &str,
    role: usize,
    command: &[OsString],
    reporter: Sender<(usize, Report)>,
) -> Result<RoleProcess, RigError> {
    let mut process = Command::new(&command[0])
        .args(&command[1..])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| {
            let doing = format!("starting {} as the process of role {name}", command[0].display());
            RigError::system(doing, &error, "check that the command exists, or run the roles as threads")
        })?;
    let cues = process.stdin.take();
    let output = process.stdout.take().expect("the output was piped");
    let reader = std::thread::spawn(move || read_reports(role, output, &reporter));
    Ok(RoleProcess { name: name.to_owned(), process, cues, reader: Some(reader) })
}

/// Passes on what a process reports, until its output ends.
fn read_reports(role: usize, output: ChildStdout, reporter: &Sender<(usize, Report)>) {
    let mut failed = false;
    for line in BufReader::new(output).lines() {
        let report = line.ok().and_then(|line| serde_json::from_str::<Report>(&line).ok());
        let Some(report) = report else { break };
        failed |= matches!(report, Report::Failed(_));
        // Nobody listens any more if the run has already ended.
        let _ = reporter.send((role, report));
    }
    if !failed {
        let _ = reporter.send((role, Report::Gone));
    }
}

/// Tells every process where the receivers of its channels listen.
///
/// # Errors
/// If a process ends or cannot open its door.
pub(crate) fn introduce(conductor: &mut Conductor<'_, Processes>) -> Result<(), RigError> {
    let addresses: Vec<Address> = conductor.gather(|report| match report {
        Report::Listening(address) => Some(address),
        _ => None,
    })?;
    for role in 0..conductor.programs.len() {
        let outgoing = conductor.programs[role].outgoing.iter();
        let dial = outgoing.map(|&channel| (channel, addresses[conductor.channels[channel].to].clone()));
        conductor.crew.cue(role, Cue::Dial(dial.collect()));
    }
    Ok(())
}

impl Crew for Processes {
    fn cue(&mut self, role: usize, cue: Cue) {
        self.tell(role, &cue);
    }

    fn abort(&mut self) {
        for role in &mut self.roles {
            role.cues = None;
            // A process that has already ended need not be killed.
            let _ = role.process.kill();
        }
    }

    fn epitaph(&mut self, role: usize) -> RigError {
        let role = &mut self.roles[role];
        role.cues = None;
        let status = match wait(&mut role.process, FAREWELL) {
            Some(status) => status.to_string(),
            None => "it closed its output and hung".to_owned(),
        };
        RigError::RoleDied { role: role.name.clone(), status }
    }
}

fn wait(process: &mut Child, limit: Duration) -> Option<std::process::ExitStatus> {
    let until = Instant::now() + limit;
    loop {
        match process.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < until => std::thread::sleep(Duration::from_millis(1)),
            _ => return None,
        }
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for role in &mut self.roles {
            role.cues = None;
        }
        for role in &mut self.roles {
            if wait(&mut role.process, FAREWELL).is_none() {
                let _ = role.process.kill();
                let _ = role.process.wait();
            }
            if let Some(reader) = role.reader.take() {
                // Nothing in the reader can panic.
                let _ = reader.join();
            }
        }
    }
}
