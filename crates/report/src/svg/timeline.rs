//! What every role does when: a lane per role, the predicted track above the measured one.

use cost::Unit;

use super::axis::Axis;
use super::canvas::{Anchor, Canvas, MARGIN, WIDTH, fitted, subtitle_height, text_width, titles};
use crate::quantity;

/// What a role is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activity {
    /// Handing a message to the transport.
    Send,
    /// Idle until a message arrives.
    Wait,
    /// Taking a message from the transport.
    Receive,
    /// Local computation.
    Compute,
}

impl Activity {
    const ALL: [Self; 4] = [Self::Send, Self::Receive, Self::Compute, Self::Wait];

    fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Wait => "wait",
            Self::Receive => "receive",
            Self::Compute => "compute",
        }
    }
}

/// A stretch of time in which one role does one thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Interval {
    /// The role, as an index into [`Timeline::roles`].
    pub role: usize,
    /// What it does.
    pub activity: Activity,
    /// Begin, in the unit of the timeline, counted from the start of the run.
    pub start: f64,
    /// End, not before the begin.
    pub end: f64,
    /// The message concerned, or empty.
    pub label: String,
}

/// A message on its way.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// The sender, as an index into [`Timeline::roles`].
    pub from: usize,
    /// The receiver.
    pub to: usize,
    /// When the sender was done with it.
    pub sent: f64,
    /// When the receiver began to take it.
    pub received: f64,
}

/// One run, predicted or measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// What the roles did.
    pub intervals: Vec<Interval>,
    /// The messages between them.
    pub messages: Vec<Message>,
}

/// Everything that the picture shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Timeline {
    /// First line.
    pub title: String,
    /// Lines below it: where the costs came from, what was measured on what.
    pub subtitle: Vec<String>,
    /// Unit of all times.
    pub unit: Unit,
    /// Names of the roles, from top to bottom.
    pub roles: Vec<String>,
    /// The prediction; empty if there is none.
    pub predicted: Trace,
    /// The measurement; empty if there is none.
    pub measured: Trace,
}

/// More lanes than this make a picture that nobody reads; the rest is counted in a note.
const MOST_ROLES: usize = 24;
/// Where the lanes begin, below a heading without subtitle.
const TOP: f64 = 82.0;
const TRACK: f64 = 15.0;
const TRACK_GAP: f64 = 3.0;
const LANE_GAP: f64 = 22.0;
/// Classes of the lines of messages, by track.
const MESSAGES: [&str; 2] = ["message foretold", "message"];

/// Draws a timeline as an SVG document.
#[must_use]
pub fn timeline(picture: &Timeline) -> String {
    let layout = Layout::of(picture);
    let description = format!("{}. {}", picture.title, picture.subtitle.join(". "));
    let mut canvas = Canvas::new(WIDTH, layout.height(), &picture.title, &description);
    heading(&mut canvas, picture);
    layout.axis.draw(&mut canvas, layout.top, layout.bottom(), "time since the start");
    layout.draw_lanes(&mut canvas, picture);
    // Lines run behind the bars and their heads lie on top, so that both stay legible.
    let tracks = || layout.tracks.iter().enumerate();
    for (place, (_, trace)) in tracks() {
        layout.arrows(trace, place).for_each(|(from, to)| canvas.line(from, to, MESSAGES[place]));
    }
    for (place, (_, trace)) in tracks() {
        layout.draw_intervals(&mut canvas, trace, place, picture);
    }
    for (place, (_, trace)) in tracks() {
        layout.arrows(trace, place).for_each(|(from, to)| canvas.arrow_head(from, to, "head"));
    }
    if picture.roles.len() > layout.lanes {
        let note = format!("and {} more roles", picture.roles.len() - layout.lanes);
        canvas.text((MARGIN, layout.bottom() + 36.0), Anchor::Start, 11.0, "quiet", &note);
    }
    canvas.finish()
}

fn heading(canvas: &mut Canvas, picture: &Timeline) {
    let y = titles(canvas, &picture.title, &picture.subtitle);
    let mut x = MARGIN;
    for activity in Activity::ALL {
        canvas.rect(x, y - 10.0, 14.0, 12.0, activity.name(), None);
        canvas.text((x + 20.0, y), Anchor::Start, 12.0, "", activity.name());
        x += 20.0 + text_width(activity.name(), 12.0) + 18.0;
    }
    for (class, name) in MESSAGES.into_iter().zip(["predicted message", "measured message"]) {
        canvas.line((x, y - 4.0), (x + 26.0, y - 4.0), class);
        canvas.arrow_head((x, y - 4.0), (x + 26.0, y - 4.0), "head");
        canvas.text((x + 32.0, y), Anchor::Start, 12.0, "", name);
        x += 32.0 + text_width(name, 12.0) + 18.0;
    }
}

/// Where everything goes.
struct Layout<'a> {
    tracks: Vec<(&'static str, &'a Trace)>,
    lanes: usize,
    axis: Axis,
    top: f64,
}

impl<'a> Layout<'a> {
    fn of(picture: &'a Timeline) -> Self {
        let both = [("predicted", &picture.predicted), ("measured", &picture.measured)];
        let filled: Vec<_> = both.into_iter().filter(|(_, trace)| !trace.intervals.is_empty()).collect();
        let tracks = if filled.is_empty() { both[..1].to_vec() } else { filled };
        let lanes = picture.roles.len().min(MOST_ROLES);
        let names = picture.roles.iter().take(lanes).map(|role| text_width(role, 13.0)).fold(20.0, f64::max);
        let left = MARGIN + names.min(150.0) + 12.0 + text_width("predicted", 10.0) + 8.0;
        let ends = tracks.iter().flat_map(|(_, trace)| trace.intervals.iter().map(|interval| interval.end));
        let last = ends.filter(|end| end.is_finite()).fold(0.0, f64::max);
        let axis = Axis::linear(last, picture.unit, left, WIDTH - MARGIN - 10.0);
        Self { tracks, lanes, axis, top: TOP + subtitle_height(&picture.subtitle) }
    }

    fn lane_height(&self) -> f64 {
        self.tracks.iter().map(|_| TRACK + TRACK_GAP).sum::<f64>() - TRACK_GAP
    }

    fn lane_top(&self, lane: usize) -> f64 {
        let above = (0..lane).map(|_| self.lane_height() + LANE_GAP).sum::<f64>();
        self.top + 8.0 + above
    }

    fn track_top(&self, lane: usize, place: usize) -> f64 {
        self.lane_top(lane) + (0..place).map(|_| TRACK + TRACK_GAP).sum::<f64>()
    }

    fn bottom(&self) -> f64 {
        self.lane_top(self.lanes) - LANE_GAP + 10.0
    }

    fn height(&self) -> f64 {
        self.bottom() + 50.0
    }

    fn draw_lanes(&self, canvas: &mut Canvas, picture: &Timeline) {
        let (left, right) = (self.axis.at(0.0), self.axis.right());
        for (lane, role) in picture.roles.iter().take(self.lanes).enumerate() {
            let middle = self.lane_top(lane) + self.lane_height() / 2.0;
            canvas.text((MARGIN, middle + 5.0), Anchor::Start, 13.0, "", &fitted(role, 13.0, 150.0));
            for (place, (name, _)) in self.tracks.iter().enumerate() {
                let top = self.track_top(lane, place);
                canvas.rect(left, top, right - left, TRACK, "lane", None);
                canvas.text((left - 8.0, top + TRACK - 4.0), Anchor::End, 10.0, "quiet", name);
            }
        }
    }

    fn draw_intervals(&self, canvas: &mut Canvas, trace: &Trace, place: usize, picture: &Timeline) {
        for interval in trace.intervals.iter().filter(|interval| interval.role < self.lanes) {
            if !(interval.start.is_finite() && interval.end.is_finite()) {
                continue;
            }
            let (start, end) = (self.axis.at(interval.start), self.axis.at(interval.end));
            // An instant still leaves a mark.
            let width = (end - start).max(0.75).min(self.axis.right() - start);
            let tip = tip(interval, picture);
            let (top, height) = (self.track_top(interval.role, place), TRACK);
            canvas.rect(start, top, width, height, interval.activity.name(), Some(&tip));
        }
    }

    /// Begin and end of each arrow: from the near edge of the sender's track to that of the receiver's.
    fn arrows(&self, trace: &Trace, place: usize) -> impl Iterator<Item = ((f64, f64), (f64, f64))> {
        let drawable = |message: &&Message| {
            let roles = message.from < self.lanes && message.to < self.lanes && message.from != message.to;
            roles && message.sent.is_finite() && message.received.is_finite()
        };
        trace.messages.iter().filter(drawable).map(move |message| {
            let down = message.from < message.to;
            let (leave, arrive) = if down { (TRACK, 0.0) } else { (0.0, TRACK) };
            let from = (self.axis.at(message.sent), self.track_top(message.from, place) + leave);
            let to = (self.axis.at(message.received), self.track_top(message.to, place) + arrive);
            (from, to)
        })
    }
}

fn tip(interval: &Interval, picture: &Timeline) -> String {
    let role = picture.roles.get(interval.role).map_or("", String::as_str);
    let gap = if interval.label.is_empty() { "" } else { " " };
    format!(
        "{role}: {}{gap}{}, {} from {}",
        interval.activity.name(),
        interval.label,
        quantity(interval.end - interval.start, picture.unit),
        quantity(interval.start, picture.unit)
    )
}
