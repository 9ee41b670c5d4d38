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
    Short() from A; @\"size=10, cost=1\"
  } or {
    Long() from A; @\"size=10, cost=10\"
  }
}
";
    assert_eq!(text, expected);
}

/// A loop in a loop, a choice that leaves the inner one, and a choice whose branches meet.
const NEST: &str = "\
global protocol Nest(role A, role B) @\"iter X=2, Y=3\"
{
  rec X {
    Open() from A to B;
    rec Y {
      choice at A { More(x: int{x > 0}) from A to B; @\"size=8, pre=2\" continue Y; } or { Done() from A to B; }
    }
    choice at B { Yes() from B to A; Tell() from B to A; } or { No() from B to A; }
    Close() from A to B;
    continue X;
  }
}
";

#[test]
fn what_follows_a_loop_is_printed_once() {
    let desk = Desk::new();
    desk.write("nest.nuscr", NEST);
    let text = desk.quietly("session project nest.nuscr --role A").replace(" @\"size=1\"", "");
    let expected = "\
local protocol Nest at A(role B)
{
  rec X {
    Open() to B;
    rec Y {
      choice at A {
        More(x: int{x > 0}) to B; @\"size=8, pre=2\"
        continue Y;
      } or {
        Done() to B;
      }
    }
    choice at B {
      Yes() from B;
      Tell() from B;
    } or {
      No() from B;
    }
    Close() to B;
    continue X;
  }
}
";
    assert_eq!(text, expected);
}

#[test]
fn the_machine_of_nested_loops_has_no_spare_states() {
    let desk = Desk::new();
    desk.write("nest.nuscr", NEST);
    let text = desk.quietly("session project nest.nuscr --role B --format dot");
    let edges: Vec<&str> = text.lines().filter(|line| line.contains("->")).map(str::trim).collect();
    assert_eq!(
        edges,
        [
            "0 -> 1 [label=\"A?Open()\"];",
            "1 -> 1 [label=\"A?More(x: int{x > 0})\"];",
            "1 -> 2 [label=\"A?Done()\"];",
            "2 -> 3 [label=\"A!Yes()\"];",
            "2 -> 4 [label=\"A!No()\"];",
            "3 -> 4 [label=\"A!Tell()\"];",
            "4 -> 0 [label=\"A?Close()\"];",
        ]
    );
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
