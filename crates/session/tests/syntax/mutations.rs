//! Broken texts: reading never panics and always ends.

use diag::Source;
use session::expand::{Limits, expand};
use session::syntax::parse_module;
use session::{Options, print_global};

use super::random::Random;

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
            1 => {
                let piece = text[start..end].to_owned();
                text.insert_str(start, &piece);
            }
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
fn nesting_within_the_limit_goes_all_the_way() {
    let depth = 250;
    let body =
        |open: &str, close: &str| format!("{}M() from A to B;{}", open.repeat(depth), close.repeat(depth));
    for (open, close) in [
        ("rec X { M() from A to B; ", " continue X; }"),
        ("choice at A { M() from A to B; ", " } or { N() from A to B; }"),
        ("foreach i in 1..1 { ", " }"),
    ] {
        let global = super::global(&format!("protocol P(role A, role B) {{ {} }}", body(open, close)));
        let print = print_global(&global);
        assert_eq!(print_global(&super::global(&print)), print);
    }
}

#[test]
fn what_expands_to_nothing_is_not_expanded_for_ever() {
    let calls = |i: usize| {
        let next = i + 1;
        format!("protocol P{i}(role A, role B) {{ do P{next}(A, B); do P{next}(B, A); }}\n")
    };
    let chain: String = (0..200).map(calls).collect();
    for text in [
        "protocol P0(role A) { foreach i in 1..9000000000 { } }".to_owned(),
        "protocol P0(role A) { foreach i in 1..9000000000 where i < 0 { } }".to_owned(),
        "protocol P0(role W[1..900]) { foreach i in 1..900 { do Q(W[i]); } } protocol Q(role B) { foreach i in 1..900 { } }".to_owned(),
        chain + "protocol P200(role A, role B) { }",
    ] {
        let (module, _) = parse_module(&Source::new("nothing", text));
        let options = Options { protocol: Some("P0".to_owned()), ..Options::default() };
        let limits = Limits { interactions: 100_000, ..Limits::default() };
        let (_, diagnostics) = expand(&module, &options, limits);
        assert_eq!(super::codes(&diagnostics), ["S119"]);
    }
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
    assert_eq!(super::codes(&diagnostics), ["S007"]);
}
