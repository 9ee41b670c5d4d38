//! Large protocols: what they expand to, and that a large text is no problem.

use diag::Source;
use session::expand::check_invariants;
use session::{Options, parse};

fn sized(file: &str, set: &[(&str, f64)]) -> (usize, usize) {
    let source = super::read(&super::own_corpus("good").join(file));
    let parameters = set.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let (global, diagnostics) = parse(&source, &Options { parameters, protocol: None });
    let Some(global) = global else { panic!("{}", super::rendered(&source, &diagnostics)) };
    check_invariants(&global).unwrap();
    (global.roles.len(), global.interactions().count())
}

#[test]
fn families_grow_as_they_should() {
    assert_eq!(sized("pipeline.nuscr", &[("n", 10_000.0)]), (10_000, 9_999));
    assert_eq!(sized("butterfly.nuscr", &[("logn", 8.0)]), (256, 4096));
    assert_eq!(sized("all-to-all.nuscr", &[("n", 200.0)]), (200, 39_800));
    assert_eq!(sized("mesh.nuscr", &[("rows", 30.0), ("cols", 40.0)]), (1200, 30 * 39 + 29 * 40));
    assert_eq!(sized("tree.nuscr", &[("n", 1023.0)]), (1023, 2044));
    assert_eq!(sized("scatter-gather.nuscr", &[("n", 1000.0)]), (1001, 2000));
}

#[test]
fn calls_in_ever_the_same_positions_are_expanded_once() {
    let call = |i: usize| {
        let next = i + 1;
        format!(
            "protocol P{i}(role A, role B) {{ choice at A {{ L() from A to B; do P{next}(A, B); }} or {{ R() from A to B; do P{next}(A, B); }} }}\n"
        )
    };
    let text: String = (0..100).map(call).chain(["protocol P100(role A, role B) { }".to_owned()]).collect();
    let options = Options { protocol: Some("P0".to_owned()), ..Options::default() };
    let (global, _) = parse(&Source::new("chain", text), &options);
    assert_eq!(global.unwrap().interactions().count(), 200);
}
