//! Projection: what full merging accepts, what it refuses, and that it stands long and deep texts.

use diag::Source;
use session::expand::Options;
use session::local::LocalState;

fn verdict(text: &str) -> (Vec<session::LocalType>, Vec<&'static str>) {
    let (global, diagnostics) = session::parse(&Source::new("projection", text), &Options::default());
    let global = global.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let (locals, diagnostics) = session::project(&global);
    (locals, diagnostics.iter().filter(|d| d.is_error()).map(|d| d.code).collect())
}

fn choice(left: &str, right: &str) -> String {
    format!(
        "global protocol Choice(role P, role Q, role R) {{
            choice at P {{ A() from P to Q; {left} }} or {{ B() from P to Q; {right} }}
        }}"
    )
}

#[test]
fn receives_with_different_labels_are_united() {
    let (locals, codes) = verdict(&choice("C() from Q to R;", "D() from Q to R;"));
    assert_eq!(codes, Vec::<&str>::new());
    let root = locals[2].state(locals[2].root);
    let LocalState::Receive(actions) = root else { panic!("{root:?}") };
    let labels: Vec<&str> = actions.iter().map(|action| action.label.as_str()).collect();
    assert_eq!(labels, ["C", "D"]);
}

#[test]
fn equal_behaviour_is_merged_and_the_costlier_cost_kept() {
    let (locals, codes) = verdict(&choice("C() from Q to R; @\"cost=1\"", "C() from Q to R; @\"cost=2\""));
    assert_eq!(codes, Vec::<&str>::new());
    let LocalState::Receive(actions) = locals[2].state(locals[2].root) else { panic!("R receives") };
    assert_eq!(actions[0].compute.as_ref().unwrap().to_string(), "max(1, 2)");
}

#[test]
fn whoever_would_have_to_guess_is_named() {
    for (left, right) in [
        ("C() from Q to R;", ""),
        ("C() from Q to R;", "C() from P to R;"),
        ("C() from R to Q;", "D() from R to Q;"),
        ("C(int) from Q to R;", "C(bool) from Q to R;"),
    ] {
        let (_, codes) = verdict(&choice(left, right));
        assert!(codes.contains(&"S201"), "{left} or {right}: {codes:?}");
    }
}

#[test]
fn a_role_outside_a_loop_does_not_see_it() {
    let (locals, codes) = verdict(
        "global protocol Loop(role A, role B, role C) {
            Foo() from A to B;
            rec X { choice at A { Bar() from A to C; continue X; } or { Qux() from A to C; } }
        }",
    );
    assert_eq!(codes, Vec::<&str>::new());
    let b = &locals[1];
    let LocalState::Receive(actions) = b.state(b.root) else { panic!("B receives Foo") };
    assert_eq!(*b.state(actions[0].next), LocalState::End);
}

#[test]
fn long_equal_branches_need_no_recursion() {
    let back_and_forth = "C() from Q to R; D() from R to Q; ".repeat(20_000);
    let (_, codes) = verdict(&choice(&back_and_forth, &back_and_forth));
    assert_eq!(codes, Vec::<&str>::new());
}

#[test]
fn a_choice_of_different_receivers_is_merged_like_any_other() {
    let (_, codes) = verdict(
        "global protocol Either(role P, role Q, role R) {
            choice at P { A() from P to Q; B() from P to R; } or { C() from P to R; D() from P to Q; }
        }",
    );
    assert_eq!(codes, Vec::<&str>::new());
}
