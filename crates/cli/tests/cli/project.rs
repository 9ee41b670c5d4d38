use serde_json::json;

use crate::support::Desk;

#[test]
fn text_is_in_the_notation_of_nuscr() {
    let desk = Desk::new();
    let text = desk.quietly("session project pair.nuscr --role B");
    let expected = "\
local protocol Pair at B(role A)
{
  rec X {
    Data(int) from A; @\"size=10, cost=c\"
    continue X;
  }
}
";
    assert_eq!(text, expected);
    let all = desk.quietly("session project pair.nuscr");
    assert!(
        all.contains("at A(role B)")
            && all.contains("  Data(int) to B; @\"size=10\"\n")
            && all.contains(expected),
        "{all}"
    );
}

#[test]
fn a_choice_ends_where_its_branches_meet() {
    let text = Desk::new().quietly("session project fork.nuscr --role B");
    let expected = "\
local protocol Fork at B(role A)
{
  choice at A {
    Long() from A; @\"size=10, cost=10\"
  } or {
    Short() from A; @\"size=10, cost=1\"
  }
}
";
    let swapped = expected
        .replace("Long() from A; @\"size=10, cost=10\"", "?")
        .replace("Short() from A; @\"size=10, cost=1\"", "Long() from A; @\"size=10, cost=10\"")
        .replace('?', "Short() from A; @\"size=10, cost=1\"");
    assert!(text == expected || text == swapped, "{text}");
}

#[test]
fn dot_has_an_edge_per_action() {
    let text = Desk::new().quietly("session project pair.nuscr --role A --format dot");
    assert_eq!(text, "digraph \"A\" {\n  0;\n  0 -> 0 [label=\"B!Data(int)\"];\n}\n");
}

#[test]
fn json_is_a_state_machine() {
    let value = Desk::new().json("session project pair.nuscr");
    assert_eq!(value["protocol"], "Pair");
    let b = &value["roles"]["B"];
    assert_eq!((&b["initial"], &b["states"]), (&json!(0), &json!(1)));
    assert_eq!(
        b["transitions"],
        json!([{"from": 0, "to": 0, "direction": "receive", "peer": "A", "label": "Data", "payload": ["int"], "size": "10", "compute": "c"}])
    );
}

#[test]
fn no_projection_is_status_1_and_an_unknown_role_2() {
    let desk = Desk::new();
    let ran = desk.run("session project ill.nuscr");
    assert_eq!((ran.status, ran.out.as_str()), (1, ""));
    assert!(ran.err.contains("error[S2"), "{}", ran.err);
    let ran = desk.run("session project pair.nuscr --role Z");
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("no role `Z`") && ran.err.contains("A, B"), "{}", ran.err);
}
