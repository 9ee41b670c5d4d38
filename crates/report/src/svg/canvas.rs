use std::fmt::Write;

/// Where a text stands relative to its x coordinate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// Width of every picture.
pub(super) const WIDTH: f64 = 1000.0;
/// Free space at the sides.
pub(super) const MARGIN: f64 = 20.0;
/// Height of a line of a subtitle.
const SUBTITLE: f64 = 18.0;

/// Height of the lines of a subtitle.
pub(super) fn subtitle_height(lines: &[String]) -> f64 {
    lines.iter().flat_map(|line| wrapped(line, 12.0, WIDTH - 2.0 * MARGIN)).map(|_| SUBTITLE).sum()
}

/// A text broken at spaces into lines that fit their room; a word that is longer is shortened.
fn wrapped(text: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), size) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(fitted(word, size, room)),
        }
    }
    lines
}

/// Writes title and subtitle; the baseline of the legend below them.
pub(super) fn titles(canvas: &mut Canvas, title: &str, subtitle: &[String]) -> f64 {
    let room = WIDTH - 2.0 * MARGIN;
    canvas.text((MARGIN, 30.0), Anchor::Start, 17.0, "", &fitted(title, 17.0, room));
    let mut y = 50.0;
    for line in subtitle.iter().flat_map(|line| wrapped(line, 12.0, room)) {
        canvas.text((MARGIN, y), Anchor::Start, 12.0, "quiet", &line);
        y += SUBTITLE;
    }
    y + 8.0
}

/// Colours for light and dark grounds. Hues are those of Okabe and Ito, which people with any colour
/// vision tell apart. Readers that ignore the media query get the light ground.
const STYLE: &str = "\
text { font-family: 'DejaVu Sans', Verdana, system-ui, sans-serif; fill: #1f2328; }
.ground { fill: #ffffff; }
.quiet { fill: #59636e; }
.lane { fill: #f3f5f7; }
.grid { stroke: #d8dee4; stroke-width: 1; }
.axis { stroke: #59636e; stroke-width: 1; }
.send { fill: #0072b2; }
.wait { fill: #c4cbd2; }
.receive { fill: #009e73; }
.compute { fill: #e69f00; }
.send, .wait, .receive, .compute { stroke: #ffffff; stroke-width: 0.5; }
.message { stroke: #59636e; stroke-width: 1; }
.foretold { stroke-dasharray: 4 2; }
.head { fill: #59636e; }
.range { fill: #0072b2; fill-opacity: 0.28; }
.predicted { fill: #0072b2; }
.whisker { stroke: #d55e00; stroke-width: 2; }
.measured { fill: #d55e00; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.ground { fill: #0d1117; }
.quiet { fill: #9aa4ae; }
.lane { fill: #171c23; }
.grid { stroke: #30363d; }
.axis, .message { stroke: #9aa4ae; }
.head { fill: #9aa4ae; }
.wait { fill: #4a525b; }
.send, .wait, .receive, .compute { stroke: #0d1117; }
.send, .predicted { fill: #56a8e0; }
.range { fill: #56a8e0; }
.receive { fill: #2fbf94; }
}
";

/// A drawing surface of fixed size, origin at the top left, in pixels.
pub(super) struct Canvas {
    width: f64,
    height: f64,
    out: String,
}

impl Canvas {
    /// An empty ground with a title and a description for readers that cannot see.
    pub(super) fn new(width: f64, height: f64, title: &str, description: &str) -> Self {
        let mut out = String::new();
        let (w, h) = (coordinate(width), coordinate(height));
        let _ = writeln!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\">"
        );
        let _ = writeln!(out, "<title>{}</title>\n<desc>{}</desc>", escaped(title), escaped(description));
        let _ = writeln!(out, "<style>\n{STYLE}</style>");
        let mut canvas = Self { width, height, out };
        canvas.rect(0.0, 0.0, width, height, "ground", None);
        canvas
    }

    /// A filled rectangle, clipped to the ground; the tip shows when the pointer rests on it.
    pub(super) fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, class: &str, tip: Option<&str>) {
        let (left, right) = (x.clamp(0.0, self.width), (x + width).clamp(0.0, self.width));
        let (top, bottom) = (y.clamp(0.0, self.height), (y + height).clamp(0.0, self.height));
        let _ = write!(
            self.out,
            "<rect class=\"{class}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
            coordinate(left),
            coordinate(top),
            coordinate(right - left),
            coordinate(bottom - top)
        );
        let _ = match tip {
            Some(tip) => writeln!(self.out, "><title>{}</title></rect>", escaped(tip)),
            None => writeln!(self.out, "/>"),
        };
    }

    /// A straight line.
    pub(super) fn line(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let _ = writeln!(
            self.out,
            "<line class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
            coordinate(from.0),
            coordinate(from.1),
            coordinate(to.0),
            coordinate(to.1)
        );
    }

    /// The filled head of an arrow that ends at `to`.
    pub(super) fn arrow_head(&mut self, from: (f64, f64), to: (f64, f64), class: &str) {
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let length = dx.hypot(dy);
        if length < 1.0 {
            return;
        }
        let (ux, uy) = (dx / length, dy / length);
        let (size, half) = (6.0_f64.min(length), 2.5);
        let base = (to.0 - ux * size, to.1 - uy * size);
        self.polygon(
            &[to, (base.0 - uy * half, base.1 + ux * half), (base.0 + uy * half, base.1 - ux * half)],
            class,
        );
    }

    /// A filled polygon.
    pub(super) fn polygon(&mut self, corners: &[(f64, f64)], class: &str) {
        let points: Vec<String> =
            corners.iter().map(|(x, y)| format!("{},{}", coordinate(*x), coordinate(*y))).collect();
        let _ = writeln!(self.out, "<polygon class=\"{class}\" points=\"{}\"/>", points.join(" "));
    }

    /// A filled circle.
    pub(super) fn circle(&mut self, centre: (f64, f64), radius: f64, class: &str) {
        let _ = writeln!(
            self.out,
            "<circle class=\"{class}\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
            coordinate(centre.0),
            coordinate(centre.1),
            coordinate(radius)
        );
    }

    /// A line of text whose baseline is at `at`; `class` may be empty.
    pub(super) fn text(&mut self, at: (f64, f64), anchor: Anchor, size: f64, class: &str, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        let _ = writeln!(
            self.out,
            "<text{class} x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            coordinate(at.0),
            coordinate(at.1),
            coordinate(size),
            escaped(words)
        );
    }

    /// The finished document.
    pub(super) fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }
}

/// A coordinate with at most two decimals: finer is invisible and makes files large.
fn coordinate(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Text as XML character data or attribute value. Characters that XML 1.0 forbids become U+FFFD.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// An upper estimate of the width of a text: the widest usual sans-serif faces average 0.62 em.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let per_character = |c: char| if c.is_ascii() { 0.62 } else { 1.0 };
    text.chars().map(per_character).sum::<f64>() * size
}

/// The text, shortened with an ellipsis where it would be wider than `room`.
pub(super) fn fitted(text: &str, size: f64, room: f64) -> String {
    if text_width(text, size) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for character in text.chars() {
        let longer = format!("{kept}{character}\u{2026}");
        if text_width(&longer, size) > room {
            break;
        }
        kept.push(character);
    }
    kept.push('\u{2026}');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaping_leaves_no_markup_and_nothing_that_xml_forbids() {
        assert_eq!(
            escaped("a<b & \"c\" > 'd'\u{1}\n"),
            "a&lt;b &amp; &quot;c&quot; &gt; &#39;d&#39;\u{fffd} "
        );
    }

    #[test]
    fn coordinates_are_short() {
        assert_eq!(coordinate(1.0), "1");
        assert_eq!(coordinate(-0.001), "0");
        assert_eq!(coordinate(12.345), "12.35");
    }

    #[test]
    fn lines_are_broken_at_spaces() {
        let lines = wrapped("one two  three four", 10.0, 62.0);
        assert_eq!(lines, ["one two", "three four"], "ten letters of 6.2 pixels fit");
        assert_eq!(wrapped("", 10.0, 62.0), Vec::<String>::new());
        assert!(wrapped(&"x".repeat(50), 10.0, 62.0)[0].ends_with('\u{2026}'));
    }

    #[test]
    fn long_texts_are_shortened_to_their_room() {
        let short = fitted("a very long role name indeed", 12.0, 80.0);
        assert!(short.ends_with('\u{2026}') && text_width(&short, 12.0) <= 80.0, "{short}");
        assert_eq!(fitted("P", 12.0, 80.0), "P");
    }
}
