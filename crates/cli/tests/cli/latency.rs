use serde_json::json;

use crate::support::{Desk, has_keys};

/// B needs recv + 5 for each message, A only 1: B is the bottleneck, at 7 ms per iteration.
#[test]
fn by_hand() {
    let value = Desk::new().json("session latency pair.nuscr --costs unit.toml");
    has_keys(&value, &["latency", "roles", "relative", "bottleneck", "unit", "certificate", "costs"]);
    assert_eq!((&value["latency"], &value["min"], &value["max"]), (&json!(7.0), &json!(6.0), &json!(9.0)));
    assert_eq!(value["roles"], json!({"A": 1.0, "B": 7.0}));
    assert_eq!(value["relative"], json!({"A": 1.0, "B": 7.0}));
    let step = &value["bottleneck"][0];
    assert_eq!(value["bottleneck"].as_array().unwrap().len(), 1);
    has_keys(step, &["from", "to", "label", "line"]);
    assert_eq!((&step["from"], &step["to"], &step["label"]), (&json!("A"), &json!("B"), &json!("Data")));
    assert_eq!(
        (&step["line"], &step["text"]),
        (&json!(4), &json!("Data(int) from A to B; @\"size=10, cost=c\""))
    );
    assert_eq!(
        step["charges"],
        json!([{"operation": "recv", "cost": 2.0}, {"operation": "compute", "cost": 5.0}])
    );
    assert_eq!(value["certificate"]["bound"], 7.0);
}

#[test]
fn people_see_the_line_of_the_bottleneck() {
    let text = Desk::new().quietly("session latency pair.nuscr --costs unit.toml");
    assert!(text.contains("time per iteration in the long run: 7 ms (6 ms to 9 ms)\n"), "{text}");
    assert!(
        text.contains("bottleneck (one turn spans 1 iteration):\n  Data from A to B: recv 2 ms + compute 5 ms\n    4 | Data(int) from A to B;"),
        "{text}"
    );
    assert!(text.contains("no role is later than k*7 ms + "), "{text}");
}

#[test]
fn the_loop_can_be_named() {
    let desk = Desk::new();
    assert_eq!(desk.json("session latency pair.nuscr --costs unit.toml --loop X")["loop"], "X");
    let ran = desk.run("session latency pair.nuscr --costs unit.toml --loop Y");
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("error[S306]") && ran.err.contains("`Y`"), "{}", ran.err);
}

#[test]
fn without_a_loop_or_without_costs_there_is_no_latency() {
    let desk = Desk::new();
    let ran = desk.run("session latency fork.nuscr --costs unit.toml");
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("error[S306]"), "{}", ran.err);
    let ran = desk.run("session latency pair.nuscr");
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("needs a cost model") && ran.err.contains("calibrate"), "{}", ran.err);
}

#[test]
fn csv_and_latex() {
    let desk = Desk::new();
    let csv = desk.quietly("session latency pair.nuscr --costs unit.toml --format csv");
    assert_eq!(
        csv,
        "role,min (ms),mean (ms),max (ms),interactions,per interaction (ms)\r\nA,1,1,1,1,1\r\nB,6,7,9,1,7\r\n"
    );
    let latex = desk.quietly("session latency pair.nuscr --costs unit.toml --format latex");
    assert!(latex.contains("B & 6\\,ms & 7\\,ms & 9\\,ms & 1 & 7\\,ms \\\\\n"), "{latex}");
}
