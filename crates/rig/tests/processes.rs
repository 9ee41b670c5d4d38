//! One process per role.

mod support;

use std::ffi::OsString;
use std::time::Duration;

use rig::{Count, EventKind, Placement, RigError, RunOptions, Transport, run};
use support::{Do, options, ping_pong, plan, ring, role};

fn processes(transport: Transport, arguments: &[&str]) -> RunOptions {
    let mut command = vec![OsString::from(env!("CARGO_BIN_EXE_role_process"))];
    command.extend(arguments.iter().map(OsString::from));
    RunOptions { role_command: Some(command), ..options(transport) }
}

#[test]
fn processes_measure_what_threads_measure() {
    for transport in [Transport::Tcp, Transport::Unix] {
        let options = RunOptions { timeline: true, ..processes(transport, &[]) };
        let measured = run(&ping_pong(30, 2000, 1e-4), &options).unwrap();
        assert_eq!(measured.traffic, [Count { messages: 30, bytes: 60_000 }; 2]);
        let iteration = measured.iteration.as_ref().unwrap();
        assert_eq!(iteration.samples.len(), 5 * 30);
        // Times of two processes on one clock: an iteration holds both computations.
        let fastest = measured.iteration_summary().unwrap().min;
        assert!(fastest > 1e-4, "{fastest}");
        assert!(measured.completion.iter().all(|&time| time > 30.0 * fastest * 0.99 && time < 10.0));
        // What one process sends, the other receives afterwards, on the common clock.
        let first = |role, kind| {
            measured.timeline.iter().find(|event| event.role == role && event.kind == kind).unwrap().clone()
        };
        assert!(first(1, EventKind::Receive).end > first(0, EventKind::Send).start);
        assert!(measured.environment.contains("processes"), "{}", measured.environment);
    }
}

#[test]
fn bounded_channels_choices_and_leftovers_work_between_processes() {
    let a = role(
        "A",
        &[1, 0, 1],
        &[
            Do::Repeat(3, vec![Do::Choose(1, vec![("Left", 5, vec![]), ("Right", 3000, vec![])])]),
            Do::Send(1, "Unread", 10_000, 0.0),
        ],
    );
    let b = role(
        "B",
        &[],
        &[Do::Repeat(3, vec![Do::Offer(0, vec![("Left", 5, vec![]), ("Right", 3000, vec![])])])],
    );
    let plan = plan(vec![a, b], &[((0, 1), 1)]);
    for transport in [Transport::Tcp, Transport::Unix] {
        let measured = run(&plan, &processes(transport, &[])).unwrap();
        assert_eq!(measured.traffic, [Count { messages: 4, bytes: 16_005 }]);
    }
}

#[test]
fn sixteen_processes_in_a_ring() {
    let options = RunOptions { placement: Placement::RoundRobin, ..processes(Transport::Unix, &[]) };
    let measured = run(&ring(16, 5, 64), &options).unwrap();
    assert!(measured.traffic.iter().all(|count| count.messages == 5));
}

#[test]
fn the_death_of_a_process_is_told_with_its_name() {
    // Far more iterations than fit into the doomed role's life.
    let plan = ping_pong(1_000_000_000, 64, 1e-5);
    for transport in [Transport::Tcp, Transport::Unix] {
        let error = run(&plan, &processes(transport, &["doomed", "B"])).unwrap_err();
        let RigError::RoleDied { role, status } = &error else { panic!("{error}") };
        assert_eq!(role, "B");
        assert!(status.contains("signal"), "{status}");
    }
}

#[test]
fn a_command_that_is_no_role_is_told() {
    let options = RunOptions { role_command: Some(vec!["true".into()]), ..options(Transport::Tcp) };
    let error = run(&ping_pong(3, 10, 0.0), &options).unwrap_err();
    assert!(matches!(error, RigError::RoleDied { .. }), "{error}");
    let options = RunOptions { role_command: Some(vec!["/no/such/program".into()]), ..options };
    let error = run(&ping_pong(3, 10, 0.0), &options).unwrap_err();
    assert!(error.to_string().contains("/no/such/program"), "{error}");
}

#[test]
fn a_deadlock_between_processes_is_found() {
    let wait = |peer| {
        role(
            if peer == 1 { "A" } else { "B" },
            &[],
            &[Do::Receive(peer, "Never", 8, 0.0), Do::Send(peer, "Never", 8, 0.0)],
        )
    };
    let options = RunOptions { watchdog: Duration::from_millis(600), ..processes(Transport::Unix, &[]) };
    let error = run(&plan(vec![wait(1), wait(0)], &[]), &options).unwrap_err();
    assert!(error.to_string().contains("A (state 2) waits for Never from B"), "{error}");
}

#[test]
fn input_that_is_no_job_is_refused() {
    let mut output = Vec::new();
    let error = rig::serve_role(&b"{\"hello\":1}\n"[..], &mut output).unwrap_err();
    assert!(error.to_string().contains("do not start it by hand"), "{error}");
    assert!(String::from_utf8(output).unwrap().starts_with("{\"Failed\":"));
}
