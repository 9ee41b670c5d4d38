//! The beginning of a run as a picture: predicted and measured events of the same interactions.

use std::collections::BTreeMap;

use cost::Unit;
use report::svg::{self, Activity, Interval, Message, Trace};
use session::GlobalType;
use session::global::{Node, NodeId};
use session::plan as predicted;

/// Events per role that still make a readable picture.
pub(crate) const EVENTS: usize = 24;

/// Something that a role did, wherever it is known from.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Event {
    role: usize,
    activity: Activity,
    start: f64,
    end: f64,
    origin: NodeId,
}

/// What the picture is made of.
pub(crate) struct Course<'a> {
    /// The protocol.
    pub(crate) global: &'a GlobalType,
    /// What should have happened; times in the unit.
    pub(crate) predicted: &'a [predicted::Event],
    /// What did happen; times in seconds.
    pub(crate) measured: &'a [rig::Event],
    /// Unit of the prediction and of the picture.
    pub(crate) unit: Unit,
}

/// Draws the beginning of a run.
pub(crate) fn draw(course: &Course, title: String, subtitle: Vec<String>) -> String {
    let foretold = window(course.predicted.iter().map(from_prediction).collect());
    let clocked = from_zero(course.measured.iter().map(|event| from_clocks(event, course.unit)).collect());
    let roles = course.global.roles.len();
    // Both sides show the same interactions: as many messages per role as the prediction lists.
    let counts = if foretold.is_empty() { vec![EVENTS; roles] } else { messages_of(&foretold, roles) };
    let clocked = beginning(clocked, &counts, foretold.is_empty());
    svg::timeline(&svg::Timeline {
        title,
        subtitle,
        unit: course.unit,
        roles: course.global.roles.iter().map(|role| role.name.clone()).collect(),
        predicted: trace(course.global, &foretold),
        measured: trace(course.global, &clocked),
    })
}

fn from_prediction(event: &predicted::Event) -> Event {
    let activity = match event.activity {
        predicted::Activity::Compute => Activity::Compute,
        predicted::Activity::Send => Activity::Send,
        predicted::Activity::Wait => Activity::Wait,
        predicted::Activity::Receive => Activity::Receive,
    };
    Event { role: event.role, activity, start: event.start, end: event.end, origin: event.origin }
}

fn from_clocks(event: &rig::Event, unit: Unit) -> Event {
    let activity = match event.kind {
        rig::EventKind::Compute => Activity::Compute,
        rig::EventKind::Send => Activity::Send,
        rig::EventKind::Wait => Activity::Wait,
        rig::EventKind::Receive => Activity::Receive,
    };
    let time = |seconds: f64| unit.convert_from(seconds, Unit::Seconds).unwrap_or(seconds);
    Event { role: event.role, activity, start: time(event.start), end: time(event.end), origin: event.origin }
}

fn is_message(activity: Activity) -> bool {
    matches!(activity, Activity::Send | Activity::Receive)
}

/// The same events, counted from when the first role began: threads do not start on the dot.
fn from_zero(mut events: Vec<Event>) -> Vec<Event> {
    let first = events.iter().map(|event| event.start).fold(f64::INFINITY, f64::min);
    for event in &mut events {
        (event.start, event.end) = (event.start - first, event.end - first);
    }
    events
}

/// Of a prediction whose roles were listed up to [`EVENTS`] events each, the time in which all are known.
fn window(mut events: Vec<Event>) -> Vec<Event> {
    let mut listed: BTreeMap<usize, (usize, f64)> = BTreeMap::new();
    for event in &events {
        let (count, last) = listed.entry(event.role).or_default();
        *count += 1;
        *last = last.max(event.end);
    }
    let cut = listed.values().filter(|(count, _)| *count >= EVENTS).map(|(_, last)| *last);
    let until = cut.fold(f64::INFINITY, f64::min);
    events.retain(|event| event.start < until);
    events
}

/// Sends and receives of each role.
fn messages_of(events: &[Event], roles: usize) -> Vec<usize> {
    let mut counts = vec![0; roles];
    for event in events.iter().filter(|event| is_message(event.activity)) {
        counts[event.role] += 1;
    }
    counts
}

/// The events of each role up to its last counted message; all events count if `any`.
fn beginning(mut events: Vec<Event>, counts: &[usize], any: bool) -> Vec<Event> {
    events.sort_by(|a, b| a.role.cmp(&b.role).then(a.start.total_cmp(&b.start)));
    let mut left = counts.to_vec();
    let mut done: Vec<bool> = left.iter().map(|count| *count == 0).collect();
    events.retain(|event| {
        let role = event.role;
        // The computation that follows the last message still belongs to it.
        let keep = !done[role] && (left[role] > 0 || event.activity == Activity::Compute);
        done[role] |= !keep;
        if any || is_message(event.activity) {
            left[role] = left[role].saturating_sub(1);
        }
        keep
    });
    events
}

/// Bars for events, arrows for messages: the nth send on a channel meets its nth receive.
fn trace(global: &GlobalType, events: &[Event]) -> Trace {
    let mut trace = Trace::default();
    let mut sent: BTreeMap<(u32, u32), Vec<(f64, f64)>> = BTreeMap::new();
    let mut received: BTreeMap<(u32, u32), Vec<f64>> = BTreeMap::new();
    for event in events {
        let Node::Interaction(interaction) = global.node(event.origin) else { continue };
        let channel = (interaction.from.0, interaction.to.0);
        match event.activity {
            Activity::Send => sent.entry(channel).or_default().push((event.start, event.end)),
            Activity::Receive => received.entry(channel).or_default().push(event.start),
            _ => {}
        }
        let Event { role, activity, start, end, .. } = *event;
        trace.intervals.push(Interval { role, activity, start, end, label: interaction.label.clone() });
    }
    for (channel, starts) in sent {
        let ends = received.remove(&channel).unwrap_or_default();
        trace.messages.extend(starts.into_iter().zip(ends).map(|((start, end), received)| Message {
            from: channel.0 as usize,
            to: channel.1 as usize,
            // A receiver may have the message before the sender is back from sending it.
            sent: end.min(received).max(start),
            received,
        }));
    }
    trace
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(role: usize, activity: Activity, start: f64, end: f64) -> Event {
        Event { role, activity, start, end, origin: NodeId(0) }
    }

    #[test]
    fn time_counts_from_the_first_role_that_begins() {
        let late = vec![event(0, Activity::Send, 5.0, 6.0), event(1, Activity::Wait, 4.0, 7.0)];
        let shifted = from_zero(late);
        assert_eq!((shifted[0].start, shifted[0].end, shifted[1].start), (1.0, 2.0, 0.0));
        assert_eq!(from_zero(Vec::new()), Vec::new());
    }

    #[test]
    fn the_window_ends_where_the_first_full_list_ends() {
        let mut events: Vec<Event> =
            (0..EVENTS).map(|n| event(0, Activity::Send, n as f64, n as f64 + 1.0)).collect();
        events.push(event(1, Activity::Compute, 10.0, 11.0));
        events.push(event(1, Activity::Compute, 1000.0, 1001.0));
        let kept = window(events);
        assert_eq!(kept.len(), EVENTS + 1, "only what begins after the listed time is cut");
        let short = vec![event(0, Activity::Send, 0.0, 1.0), event(1, Activity::Wait, 0.0, 900.0)];
        assert_eq!(window(short.clone()), short, "complete lists are kept whole");
    }

    #[test]
    fn both_sides_show_the_same_messages() {
        let measured = vec![
            event(0, Activity::Compute, 0.0, 1.0),
            event(0, Activity::Send, 1.0, 2.0),
            event(0, Activity::Receive, 3.0, 4.0),
            event(0, Activity::Compute, 4.0, 5.0),
            event(0, Activity::Send, 5.0, 6.0),
            event(1, Activity::Wait, 0.0, 9.0),
        ];
        let kept = beginning(measured, &[2, 0], false);
        let kinds: Vec<Activity> = kept.iter().map(|event| event.activity).collect();
        use Activity::{Compute, Receive, Send};
        assert_eq!(kinds, [Compute, Send, Receive, Compute], "two messages and the work that follows them");
        assert!(kept.iter().all(|event| event.role == 0), "a role without messages shows nothing");
    }
}
