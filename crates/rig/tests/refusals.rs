//! Plans and options that cannot be executed are refused with a reason.

mod support;

use rig::{Placement, RigError, RunOptions, Transport, run};
use session::plan::{Plan, PlanState};
use support::{Do, options, ping_pong, plan, role};

fn refusal(plan: &Plan) -> String {
    match run(plan, &options(Transport::Thread)).unwrap_err() {
        error @ RigError::Plan { .. } => error.to_string(),
        error => panic!("not refused as a plan: {error}"),
    }
}

fn changed(change: impl FnOnce(&mut Plan)) -> Plan {
    let mut plan = ping_pong(3, 10, 0.0);
    change(&mut plan);
    plan
}

fn refused_options(options: &RunOptions) -> String {
    match run(&ping_pong(3, 10, 0.0), options).unwrap_err() {
        error @ RigError::Options { .. } => error.to_string(),
        error => panic!("not refused as options: {error}"),
    }
}

#[test]
fn plans_that_contradict_themselves() {
    assert!(refusal(&changed(|plan| plan.roles.clear())).contains("no roles"));
    assert!(refusal(&changed(|plan| plan.roles[0].start = 99)).contains("state 99 does not exist"));
    assert!(refusal(&changed(|plan| plan.channels[0].to = 7)).contains("roles that do not exist"));
    assert!(refusal(&changed(|plan| plan.channels[0].capacity = Some(0))).contains("no room"));
    assert!(refusal(&changed(|plan| plan.channels[0].largest = 9)).contains("carries 1 to 9"));
    assert!(refusal(&changed(|plan| plan.channels.truncate(1))).contains("needs a channel"));
    let twice = changed(|plan| plan.channels.push(plan.channels[0].clone()));
    assert!(refusal(&twice).contains("join the same roles"));
    let headless = changed(|plan| {
        for state in &mut plan.roles[1].states {
            if matches!(state, PlanState::Loop { .. }) {
                *state = PlanState::End;
            }
        }
    });
    assert!(refusal(&headless).contains("has no head"));
}

#[test]
fn messages_that_are_no_messages() {
    let cost = |compute| {
        let a = role("A", &[], &[Do::Send(1, "Data", 8, compute)]);
        plan(vec![a, role("B", &[], &[Do::Receive(0, "Data", 8, 0.0)])], &[])
    };
    assert!(refusal(&cost(f64::NAN)).contains("is to cost NaN s"));
    assert!(refusal(&cost(-1.0)).contains("is to cost -1 s"));
    let twins = Do::Offer(0, vec![("Data", 8, vec![]), ("Done", 8, vec![])]);
    let b = role("B", &[], &[twins]);
    let ambiguous = plan(vec![role("A", &[], &[Do::Send(1, "Data", 8, 0.0)]), b], &[]);
    assert!(refusal(&ambiguous).contains("Data and Done share the tag 68"));
}

#[test]
fn choices_without_a_decision() {
    let branches = || vec![("Left", 1, vec![]), ("Right", 1, vec![])];
    let b = role("B", &[], &[Do::Offer(0, branches())]);
    for decisions in [&[][..], &[2][..]] {
        let a = role("A", decisions, &[Do::Choose(1, branches())]);
        assert!(refusal(&plan(vec![a, b.clone()], &[])).contains("no decision number 1 among 2"));
    }
}

#[test]
fn options_that_cannot_be_met() {
    let base = options(Transport::Thread);
    let few = RunOptions { repetitions: 4, ..base.clone() };
    assert!(refused_options(&few).contains("at least 5"));
    let apart = RunOptions { role_command: Some(vec!["true".into()]), ..base.clone() };
    assert!(refused_options(&apart).contains("use tcp or unix"));
    let nobody = RunOptions { role_command: Some(vec![]), ..options(Transport::Tcp) };
    assert!(refused_options(&nobody).contains("name a program"));
    let short = RunOptions { placement: Placement::Cores(vec![0]), ..base.clone() };
    assert!(refused_options(&short).contains("1 cores are named for 2 roles"));
    let hasty = RunOptions { watchdog: std::time::Duration::ZERO, ..base.clone() };
    assert!(refused_options(&hasty).contains("watchdog"));
    let nowhere = RunOptions { placement: Placement::Cores(vec![0, 100_000]), ..base };
    let error = run(&ping_pong(3, 10, 0.0), &nowhere).unwrap_err();
    assert!(error.to_string().contains("core 100000"), "{error}");
}
