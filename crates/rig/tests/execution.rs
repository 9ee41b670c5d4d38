//! Machines are executed as the plan says, over every transport.

mod support;

use std::time::Duration;

use rig::{Activity, Count, EventKind, RigError, RunOptions, Transport, run};
use support::{Do, options, ping_pong, plan, ring, role};

#[test]
fn ping_pong_moves_the_bytes_of_the_plan() {
    for transport in Transport::ALL {
        let measured = run(&ping_pong(50, 1000, 0.0), &options(transport)).unwrap();
        let expected = Count { messages: 50, bytes: 50_000 };
        assert_eq!(measured.traffic, [expected, expected], "{transport}");
        assert_eq!(measured.completion.len(), 5);
        let iteration = measured.iteration.as_ref().unwrap();
        assert_eq!(iteration.samples.len(), 5 * 50);
        let total: f64 = iteration.samples.iter().sum();
        assert!(total <= measured.completion.iter().sum(), "iterations lie within the run");
        assert!(measured.environment.contains(transport.name()), "{}", measured.environment);
        assert!(measured.timeline.is_empty());
    }
}

#[test]
fn local_costs_are_spent() {
    let compute = 2e-3;
    let measured = run(&ping_pong(5, 64, compute), &options(Transport::Thread)).unwrap();
    let fastest = measured.iteration_summary().unwrap().min;
    // Both roles compute in every iteration; the clock rate may rise a little after calibration.
    assert!(fastest > compute, "two computations of {compute} s took {fastest} s");
}

#[test]
fn the_receiver_goes_by_the_tag_it_reads() {
    // The label decides the size of what follows; the branches have different continuations.
    let branches = |send: bool| {
        let more = |label, bytes| match send {
            true => Do::Send(1, label, bytes, 0.0),
            false => Do::Receive(0, label, bytes, 0.0),
        };
        vec![
            ("Small", 1, vec![more("Extra", 10)]),
            ("Large", 100_000, vec![]),
            ("Middle", 700, vec![more("Extra", 10), more("Other", 5000)]),
        ]
    };
    let decisions = [0, 1, 2, 2, 0, 1];
    let a = role("A", &decisions, &[Do::Repeat(6, vec![Do::Choose(1, branches(true))])]);
    let b = role("B", &[], &[Do::Repeat(6, vec![Do::Offer(0, branches(false))])]);
    let plan = plan(vec![a, b], &[]);
    for transport in Transport::ALL {
        let measured = run(&plan, &options(transport)).unwrap();
        let bytes = 2 * (1 + 10) + 2 * 100_000 + 2 * (700 + 10 + 5000);
        assert_eq!(measured.traffic, [Count { messages: 12, bytes }], "{transport}");
    }
}

#[test]
fn inner_loops_start_over_with_every_pass() {
    let body = |send: bool| {
        let act = |label| if send { Do::Send(1, label, 8, 0.0) } else { Do::Receive(0, label, 8, 0.0) };
        let inner = Do::Repeat(3, vec![act("Inner"), Do::Repeat(2, vec![act("Deep")])]);
        vec![Do::Repeat(4, vec![act("Outer"), inner, Do::Repeat(0, vec![act("Never")])]), act("Last")]
    };
    let plan = plan(vec![role("A", &[], &body(true)), role("B", &[], &body(false))], &[]);
    for transport in Transport::ALL {
        let measured = run(&plan, &options(transport)).unwrap();
        assert_eq!(measured.traffic[0].messages, 4 * (1 + 3 * (1 + 2)) + 1, "{transport}");
        assert_eq!(measured.iteration.unwrap().samples.len(), 5 * 4, "only outermost passes are samples");
    }
}

#[test]
fn both_roles_may_send_before_they_receive() {
    // As reordered protocols do. The messages fit the buffers of every transport.
    let half = |peer| {
        let body = vec![Do::Send(peer, "Data", 4096, 0.0), Do::Receive(peer, "Data", 4096, 0.0)];
        role(if peer == 1 { "A" } else { "B" }, &[], &[Do::Repeat(100, body)])
    };
    for transport in Transport::ALL {
        let measured = run(&plan(vec![half(1), half(0)], &[]), &options(transport)).unwrap();
        assert_eq!(measured.traffic[1], Count { messages: 100, bytes: 409_600 });
    }
}

#[test]
fn messages_sent_ahead_do_not_spill_into_the_next_repetition() {
    // B leaves the last message of each repetition on the channel. If it were found by the next repetition,
    // the tags would not fit.
    let a = role("A", &[], &[Do::Send(1, "First", 10, 0.0), Do::Send(1, "Second", 70_000, 0.0)]);
    let b = role("B", &[], &[Do::Receive(0, "First", 10, 0.0)]);
    for transport in Transport::ALL {
        for bounded in [&[][..], &[((0, 1), 2)][..]] {
            let measured = run(&plan(vec![a.clone(), b.clone()], bounded), &options(transport)).unwrap();
            assert_eq!(measured.traffic, [Count { messages: 2, bytes: 70_010 }]);
        }
    }
}

#[test]
fn a_full_channel_holds_the_sender_back() {
    // Without a bound, A would have sent everything before B takes the first message: B first waits for C,
    // which computes. The bound is seen in the order of events, not in their duration.
    let a = role("A", &[], &[Do::Repeat(6, vec![Do::Send(1, "Data", 100, 0.0)])]);
    let b = role(
        "B",
        &[],
        &[Do::Receive(2, "Go", 1, 0.0), Do::Repeat(6, vec![Do::Receive(0, "Data", 100, 0.0)])],
    );
    let c = role("C", &[], &[Do::Send(1, "Go", 1, 5e-3)]);
    for transport in Transport::ALL {
        for (bounded, free) in [(&[((0, 1), 2)][..], 2), (&[][..], 6)] {
            let plan = plan(vec![a.clone(), b.clone(), c.clone()], bounded);
            let measured = run(&plan, &RunOptions { timeline: true, ..options(transport) }).unwrap();
            let events = |role, kind| {
                let chosen = measured.timeline.iter().filter(move |one| one.role == role && one.kind == kind);
                chosen.cloned().collect::<Vec<_>>()
            };
            let first_data = events(1, EventKind::Receive)[1].start;
            let sends = events(0, EventKind::Send);
            assert_eq!(sends.len(), 6);
            let before = sends.iter().filter(|send| send.end < first_data).count();
            assert!(
                if free == 2 { before <= 2 } else { before == 6 },
                "{transport}: {before} sends went ahead"
            );
        }
    }
}

#[test]
fn events_of_a_role_follow_each_other() {
    let options = RunOptions { timeline: true, ..options(Transport::Tcp) };
    let measured = run(&ping_pong(100, 64, 2e-5), &options).unwrap();
    for index in 0..2 {
        let mine: Vec<_> = measured.timeline.iter().filter(|event| event.role == index).collect();
        assert_eq!(mine.len(), 64 * 4, "send, wait, receive and compute in each of the first 64 iterations");
        assert!(mine.iter().all(|event| event.start >= 0.0 && event.end >= event.start));
        assert!(mine.windows(2).all(|pair| pair[0].end <= pair[1].start), "one thing at a time");
    }
}

#[test]
fn a_ring_of_64_roles_works_on_every_transport() {
    for transport in Transport::ALL {
        let measured = run(&ring(64, 3, 100), &options(transport)).unwrap();
        assert!(measured.traffic.iter().all(|count| *count == Count { messages: 3, bytes: 300 }));
    }
}

#[test]
fn many_roles_get_more_sockets_than_a_process_usually_may_open() {
    // 100 roles that send to each of 10: 2,000 sockets, where 1,024 open files are the usual limit.
    let (servers, clients) = (10, 100);
    let server = |index: usize| {
        let from_clients = (servers..servers + clients).map(|client| Do::Receive(client, "Hello", 8, 0.0));
        role(&format!("S{index}"), &[], &from_clients.collect::<Vec<_>>())
    };
    let client = |index: usize| {
        let to_servers = (0..servers).map(|server| Do::Send(server, "Hello", 8, 0.0));
        role(&format!("C{index}"), &[], &to_servers.collect::<Vec<_>>())
    };
    let plan = plan((0..servers).map(server).chain((0..clients).map(client)).collect(), &[]);
    assert_eq!(plan.channels.len(), servers * clients);
    for transport in Transport::ALL {
        let measured = run(&plan, &options(transport)).unwrap();
        assert!(measured.traffic.iter().all(|count| count.messages == 1), "{transport}");
    }
}

#[test]
fn a_deadlock_is_reported_with_who_waits_for_whom() {
    let wait = |peer| {
        role(
            if peer == 1 { "A" } else { "B" },
            &[],
            &[Do::Receive(peer, "Never", 8, 0.0), Do::Send(peer, "Never", 8, 0.0)],
        )
    };
    let plan = plan(vec![wait(1), wait(0)], &[]);
    for transport in Transport::ALL {
        let options = RunOptions { watchdog: Duration::from_millis(200), ..options(transport) };
        let RigError::Stalled { waiting, .. } = run(&plan, &options).unwrap_err() else {
            panic!("a deadlock must be found on {transport}")
        };
        let who: Vec<_> = waiting.iter().map(|one| (one.role.as_str(), one.peer.as_str())).collect();
        assert_eq!(who, [("A", "B"), ("B", "A")]);
        assert!(waiting.iter().all(|one| one.activity == Activity::Receive && one.labels == ["Never"]));
    }
}

#[test]
fn messages_too_large_for_the_buffers_are_a_deadlock_too() {
    const LARGE: usize = 64 << 20;
    let half = |peer| {
        let actions = [Do::Send(peer, "Huge", LARGE, 0.0), Do::Receive(peer, "Huge", LARGE, 0.0)];
        role(if peer == 1 { "A" } else { "B" }, &[], &actions)
    };
    let options = RunOptions { watchdog: Duration::from_millis(300), ..options(Transport::Tcp) };
    let error = run(&plan(vec![half(1), half(0)], &[]), &options).unwrap_err();
    assert!(
        error.to_string().contains("A (state 2) sends Huge to B; B (state 2) sends Huge to A"),
        "{error}"
    );
}

#[test]
fn a_label_that_the_state_does_not_accept_is_named() {
    let a = role("A", &[], &[Do::Send(1, "Yes", 8, 0.0)]);
    let b = role("B", &[], &[Do::Receive(0, "No", 8, 0.0)]);
    let plan = plan(vec![a, b], &[]);
    for transport in Transport::ALL {
        let error = run(&plan, &options(transport)).unwrap_err();
        let RigError::Unexpected { waiting, found } = error else { panic!("{error}") };
        assert_eq!((waiting.role.as_str(), waiting.peer.as_str()), ("B", "A"));
        assert!(found.contains("tag 89"), "{found}");
    }
}
