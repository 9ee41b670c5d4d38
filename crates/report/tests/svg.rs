//! Pictures: well-formed, inside their frame, no text over another, and one of them to the letter.

mod xml;

use cost::Unit;
use expect_test::expect_file;
use report::svg::{Activity, Figure, Interval, Message, Point, Spread, Timeline, Trace, figure, timeline};
use xml::Element;

fn interval(role: usize, activity: Activity, start: f64, end: f64, label: &str) -> Interval {
    Interval { role, activity, start, end, label: label.to_owned() }
}

/// P sends to Q in [0, 1] and again in [1, 2]; Q receives and computes. The measurement is slower.
fn two_roles() -> Timeline {
    let trace = |slow: f64| {
        let mut trace = Trace::default();
        for turn in [0.0, 1.0] {
            let (sent, ready) = (slow * (turn + 1.0), slow * (3.0 * turn + 1.0));
            trace.intervals.extend([
                interval(0, Activity::Send, slow * turn, sent, "Data"),
                interval(1, Activity::Receive, ready, ready + slow, "Data"),
                interval(1, Activity::Compute, ready + slow, ready + 3.0 * slow, "Data"),
            ]);
            trace.messages.push(Message { from: 0, to: 1, sent, received: ready });
        }
        trace.intervals.push(interval(1, Activity::Wait, 0.0, slow, "Data"));
        trace
    };
    Timeline {
        title: "Two <roles> & a \"loop\"".into(),
        subtitle: vec!["unit costs, published".into()],
        unit: Unit::Microseconds,
        roles: vec!["P".into(), "Q".into()],
        predicted: trace(10.0),
        measured: trace(11.5),
    }
}

fn crowd(roles: usize, turns: usize) -> Timeline {
    let mut trace = Trace::default();
    for turn in 0..turns {
        for role in 0..roles {
            #[expect(clippy::cast_precision_loss, reason = "small counts")]
            let start = (turn * roles + role) as f64;
            trace.intervals.push(interval(
                role,
                Activity::Send,
                start,
                start + 0.5,
                "A long label, \u{1F600}",
            ));
            let to = (role + 1) % roles;
            trace.intervals.push(interval(to, Activity::Receive, start + 0.75, start + 1.0, ""));
            trace.messages.push(Message { from: role, to, sent: start + 0.5, received: start + 0.75 });
        }
    }
    Timeline {
        title: "A title that is far too long for its line ".repeat(5),
        subtitle: vec!["x".repeat(400), "y & z".into()],
        unit: Unit::Cycles,
        roles: (0..roles).map(|role| format!("Participant_with_a_long_name_{role}")).collect(),
        measured: trace.clone(),
        predicted: trace,
    }
}

/// Times that no run has, but that a caller might pass.
fn nonsense() -> Timeline {
    let mut picture = two_roles();
    for (start, end) in [(f64::NAN, 1.0), (0.0, f64::INFINITY), (-5.0, -1.0), (3.0, 2.0), (1e300, 1e301)] {
        picture.measured.intervals.push(interval(0, Activity::Wait, start, end, "\u{0}\u{1b}[31m"));
        picture.measured.intervals.push(interval(7, Activity::Wait, start, end, "no such role"));
        picture.measured.messages.push(Message { from: 0, to: 1, sent: start, received: end });
        picture.measured.messages.push(Message { from: 0, to: 9, sent: start, received: end });
    }
    picture
}

fn chart(values: &[f64]) -> Figure {
    let spread = |middle: f64| Spread { low: middle * 0.9, middle, high: middle * 1.3 };
    let points = values.iter().enumerate().map(|(index, value)| Point {
        label: format!("protocol {index} with a name that goes on and on"),
        detail: if index % 2 == 0 { "64 B".into() } else { String::new() },
        predicted: spread(*value),
        measured: spread(value * 1.1),
        error: -0.1,
    });
    Figure {
        title: "Prediction against measurement".into(),
        subtitle: vec!["costs: tcp-loopback".into(), "2 cores".into()],
        axis: "time per iteration".into(),
        unit: Unit::Seconds,
        legend: ("predicted: min, mean, max".into(), "measured: min, mean, p99".into()),
        points: points.collect(),
    }
}

fn pictures() -> Vec<(&'static str, String)> {
    let empty =
        Timeline { roles: vec![], predicted: Trace::default(), measured: Trace::default(), ..two_roles() };
    vec![
        ("two roles", timeline(&two_roles())),
        ("crowd", timeline(&crowd(12, 3))),
        ("more roles than lanes", timeline(&crowd(200, 1))),
        ("nonsense", timeline(&nonsense())),
        ("empty", timeline(&empty)),
        ("only measured", timeline(&Timeline { predicted: Trace::default(), ..two_roles() })),
        ("linear chart", figure(&chart(&[1e-5, 2e-5, 3e-5]))),
        ("logarithmic chart", figure(&chart(&[1e-6, 2e-4, 3e-2, 1e-5, 1e-5]))),
        ("nonsense chart", figure(&chart(&[f64::NAN, f64::INFINITY, -1.0, 0.0]))),
        ("empty chart", figure(&chart(&[]))),
    ]
}

fn parse(name: &str, document: &str) -> Vec<Element> {
    xml::elements(document).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn every_picture_is_well_formed_and_has_a_title() {
    for (name, document) in pictures() {
        let elements = parse(name, &document);
        assert_eq!(elements[0].name, "svg", "{name}");
        assert_eq!(elements[0].get("xmlns"), "http://www.w3.org/2000/svg", "{name}");
        assert!(elements[1].name == "title" && !elements[1].text.is_empty(), "{name}");
    }
}

#[test]
fn the_reader_used_here_refuses_what_is_malformed() {
    for bad in [
        "<a>",
        "<a></b>",
        "<a>&</a>",
        "<a>&nbsp;</a>",
        "<a b=\"1\" b=\"2\"/>",
        "<a b=1/>",
        "<a/><b/>",
        "x<a/>",
    ] {
        assert!(xml::elements(bad).is_err(), "{bad}");
    }
}

/// Left, top, right and bottom of an element that is drawn.
fn bounds(element: &Element) -> Option<[f64; 4]> {
    let number = |name: &str| element.number(name);
    Some(match element.name.as_str() {
        "rect" => [number("x"), number("y"), number("x") + number("width"), number("y") + number("height")],
        "line" => {
            let (x, y) = ((number("x1"), number("x2")), (number("y1"), number("y2")));
            [x.0.min(x.1), y.0.min(y.1), x.0.max(x.1), y.0.max(y.1)]
        }
        "circle" => {
            let (x, y, r) = (number("cx"), number("cy"), number("r"));
            [x - r, y - r, x + r, y + r]
        }
        "polygon" => polygon_bounds(element.get("points")),
        "text" => text_bounds(element),
        _ => return None,
    })
}

fn polygon_bounds(points: &str) -> [f64; 4] {
    let mut bounds = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    for corner in points.split(' ') {
        let (x, y) = corner.split_once(',').expect("x,y");
        let (x, y): (f64, f64) = (x.parse().expect("number"), y.parse().expect("number"));
        bounds = [bounds[0].min(x), bounds[1].min(y), bounds[2].max(x), bounds[3].max(y)];
    }
    bounds
}

/// Average faces take 0.58 em per character; four fifths of an em above the baseline, one below.
fn text_bounds(element: &Element) -> [f64; 4] {
    let size = element.number("font-size");
    #[expect(clippy::cast_precision_loss, reason = "short texts")]
    let width = 0.58 * size * element.text.chars().count() as f64;
    let left = match element.get("text-anchor") {
        "start" => element.number("x"),
        "middle" => element.number("x") - width / 2.0,
        "end" => element.number("x") - width,
        other => panic!("anchor {other}"),
    };
    let base = element.number("y");
    [left, base - 0.8 * size, left + width, base + 0.2 * size]
}

#[test]
fn nothing_lies_outside_the_frame() {
    for (name, document) in pictures() {
        let elements = parse(name, &document);
        let frame: Vec<f64> = elements[0].get("viewBox").split(' ').map(|n| n.parse().unwrap()).collect();
        for element in &elements {
            let Some([left, top, right, bottom]) = bounds(element) else { continue };
            let inside = left >= 0.0 && top >= 0.0 && right <= frame[2] + 0.01 && bottom <= frame[3] + 0.01;
            assert!(inside, "{name}: {element:?} lies outside {frame:?}");
        }
    }
}

#[test]
fn no_text_lies_over_another() {
    for (name, document) in pictures() {
        let elements = parse(name, &document);
        let texts: Vec<(&Element, [f64; 4])> =
            elements.iter().filter(|e| e.name == "text").map(|e| (e, text_bounds(e))).collect();
        for (index, (first, a)) in texts.iter().enumerate() {
            for (second, b) in &texts[index + 1..] {
                let apart = a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
                assert!(apart, "{name}: {:?} over {:?}", first.text, second.text);
            }
        }
    }
}

#[test]
fn lengths_are_proportional_to_times() {
    let elements = xml::elements(&timeline(&two_roles())).unwrap();
    let widths = |class: &str| -> Vec<f64> {
        let bars = elements.iter().filter(|e| e.name == "rect" && e.get("class") == class);
        bars.skip(1).map(|e| e.number("width")).collect()
    };
    let (sends, computes) = (widths("send"), widths("compute"));
    assert_eq!((sends.len(), computes.len()), (4, 4), "two turns, predicted and measured");
    assert!((computes[0] / sends[0] - 2.0).abs() < 0.01, "computing takes twice as long as sending");
    assert!((sends[2] / sends[0] - 1.15).abs() < 0.01, "the measurement is 15 % slower");
}

#[test]
fn microseconds_given_in_seconds_are_drawn_as_wide() {
    let mut picture = two_roles();
    for trace in [&mut picture.predicted, &mut picture.measured] {
        for interval in &mut trace.intervals {
            (interval.start, interval.end) = (interval.start * 1e-6, interval.end * 1e-6);
        }
    }
    picture.unit = Unit::Seconds;
    let widths = |document: &str| -> Vec<String> {
        let elements = xml::elements(document).unwrap();
        elements.iter().filter(|e| e.name == "rect").map(|e| e.get("width").to_owned()).collect()
    };
    assert_eq!(widths(&timeline(&picture)), widths(&timeline(&two_roles())));
}

#[test]
fn a_small_timeline_to_the_letter() {
    expect_file!["snapshots/two_roles.svg"].assert_eq(&timeline(&two_roles()));
}
