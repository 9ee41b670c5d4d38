//! Broken texts: reading never panics and always ends.

use diag::Source;
use session::expand::{Limits, expand};
use session::syntax::parse_module;
use session::{Options, print_global};

/// A small generator of random numbers (SplitMix64): the same seed, the same numbers.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }
}

/// Fragments that mean something, to be put where they do not belong.
const FRAGMENTS: [&str; 30] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    "..",
    "~>",
    "@\"",
    "\"",
    "(*",
    "*)",
    "/*",
    "rec X",
    "continue X;",
    "choice at A",
    "or",
    "do P(A, B);",
    "foreach i in 1..9",
    "where",
    "9999999999",
    "-1",
    "é",
    "\0",
    "size=",
    "not ",
    "%",
    "role W[1..n]",
];

/// One to four edits: a piece cut, doubled, replaced or put in.
fn mutate(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(4) {
        let cut = |random: &mut Random, text: &str| {
            let mut at = random.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let (a, b) = (cut(random, &text), cut(random, &text));
        let (start, end) = (a.min(b), a.max(b).min(a.min(b) + 40));
        let end = (end..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
        match random.below(4) {
            0 => text.replace_range(start..end, ""),
            1 => text.insert_str(start, &text[start..end].to_owned()),
            2 => text.replace_range(start..end, FRAGMENTS[random.below(FRAGMENTS.len())]),
            _ => text.insert_str(start, FRAGMENTS[random.below(FRAGMENTS.len())]),
        }
    }
    text
}

#[test]
fn mutated_protocols_are_read_or_refused() {
    let mut texts: Vec<String> = Vec::new();
    for folder in ["good", "faulty"] {
        texts.extend(
            super::files(&super::own_corpus(folder), "nuscr")
                .iter()
                .map(|path| super::read(path).text().to_owned()),
        );
    }
    let limits = Limits { interactions: 2_000, roles: 2_000, depth: 64 };
    let mut random = Random::new(2);
    let mut read = 0;
    for round in 0..20_000 {
        let text = mutate(&texts[round % texts.len()], &mut random);
        let source = Source::new("mutation", text);
        let (module, diagnostics) = parse_module(&source);
        if diag::has_errors(&diagnostics) {
            continue;
        }
        let (again, _) = parse_module(&Source::new("print", module.to_string()));
        assert_eq!(again, module, "{}", source.text());
        let (global, diagnostics) = expand(&module, &Options::default(), limits);
        assert_eq!(global.is_some(), !diag::has_errors(&diagnostics), "{}", source.text());
        if let Some(global) = global {
            session::expand::check_invariants(&global)
                .unwrap_or_else(|broken| panic!("{broken}: {}", source.text()));
            assert!(!print_global(&global).is_empty());
            read += 1;
        }
    }
    assert!(read > 500, "only {read} mutations are still protocols: the test tests nothing");
}

#[test]
fn mutated_json_is_read_or_refused() {
    let text = super::json::EXAMPLE;
    let mut random = Random::new(3);
    for _ in 0..5_000 {
        let source = Source::new("mutation", mutate(text, &mut random));
        let (global, diagnostics) = session::parse_json(&source, &Options::default());
        assert_eq!(global.is_some(), !diag::has_errors(&diagnostics), "{}", source.text());
    }
}

#[test]
fn deep_nesting_is_refused_and_does_not_exhaust_the_stack() {
    let depth = 100_000;
    let body = |open: &str, close: &str| format!("{}{}", open.repeat(depth), close.repeat(depth));
    let texts = [
        format!("protocol P(role A, role B) {{ {} }}", body("rec X { ", "}")),
        format!("protocol P(role A, role B) {{ {} }}", body("choice at A { ", "}")),
        format!("protocol P(role A, role B) {{ {} }}", body("nested protocol Q(role A) { ", "}")),
        format!("protocol P(role A, role W[1..{}1{}]) {{ }}", "(".repeat(depth), ")".repeat(depth)),
        format!("protocol P(role A, role W[1..{}1]) {{ }}", "- ".repeat(depth)),
        format!("protocol P(role A, role W[1..1{}]) {{ }}", " + 1".repeat(depth)),
        format!("protocol P(role A, role B) {{ M(x: int{{{}1}}) from A to B; }}", "not ".repeat(depth)),
    ];
    for text in texts {
        let (_, diagnostics) = parse_module(&Source::new("deep", text));
        assert!(super::codes(&diagnostics).contains(&"S007"), "{diagnostics:?}");
    }
    let calls: String =
        (0..1000).map(|i| format!("protocol P{i}(role A, role B) {{ do P{}(A, B); }}\n", i + 1)).collect();
    let text = calls + "protocol P1000(role A, role B) { M() from A to B; }";
    let options = Options { protocol: Some("P0".to_owned()), ..Options::default() };
    let (_, diagnostics) = session::parse(&Source::new("calls", text), &options);
    assert_eq!(super::codes(&diagnostics), ["S120"]);
}

#[test]
fn a_hopeless_text_is_given_up() {
    let (_, diagnostics) =
        parse_module(&Source::new("noise", "protocol P(role A) {".to_owned() + &"; § ".repeat(100_000)));
    assert!(diagnostics.len() < 300, "{}", diagnostics.len());
    assert!(super::codes(&diagnostics).contains(&"S018"));
}

#[test]
fn a_huge_text_is_refused() {
    let (_, diagnostics) = parse_module(&Source::new("huge", " ".repeat((16 << 20) + 1)));
    assert_eq!(super::codes(&diagnostics), ["S006"]);
}
