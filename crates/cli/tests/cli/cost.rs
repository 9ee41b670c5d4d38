use serde_json::json;

use crate::support::{Desk, has_keys};

/// A sends three times, 1 ms each. B takes the first message at 1, and each costs it recv + 5.
#[test]
fn every_lane_by_hand() {
    let value = Desk::new().json("session cost pair.nuscr --costs unit.toml");
    has_keys(&value, &["protocol", "unit", "iterations", "roles", "total"]);
    assert_eq!(
        (&value["protocol"], &value["unit"], &value["iterations"]),
        (&json!("Pair"), &json!("ms"), &json!(3))
    );
    let (a, b) = (&value["roles"]["A"], &value["roles"]["B"]);
    assert_eq!((&a["cost"], &a["min"], &a["max"]), (&json!(3.0), &json!(3.0), &json!(3.0)));
    assert_eq!((&b["min"], &b["cost"], &b["max"]), (&json!(19.0), &json!(22.0), &json!(28.0)));
    assert_eq!((&value["total"], &value["last"]), (&json!(22.0), &json!("B")));
    assert_eq!(a["equation"], "A + send(A,B,10)");
    assert_eq!(b["equation"], "max(B + recv(A,B,10) + c, A + send(A,B,10) + recv(A,B,10) + c)");
    assert_eq!(
        value["costs"],
        json!([{"model": "unit", "source": "assumed", "environment": "a desk", "date": "2026-11-30"}])
    );
}

#[test]
fn parameters_and_iterations_from_outside_win() {
    let desk = Desk::new();
    let value = desk.json("session cost pair.nuscr --costs unit.toml --set c=1+1 --iterations 10");
    assert_eq!((&value["iterations"], &value["total"]), (&json!(10), &json!(1.0 + 10.0 * 4.0)));
    // A quantity is turned into the unit of the cost model.
    let value = desk.json("session cost pair.nuscr --costs unit.toml -s c=2000us -n 10");
    assert_eq!(value["total"], 41.0);
    assert_eq!(desk.json("session cost pair.nuscr --costs unit.toml -n 0")["total"], 0.0);
}

#[test]
fn a_choice_counts_as_its_later_branch() {
    let value = Desk::new().json("session cost fork.nuscr --costs unit.toml");
    assert_eq!(value["iterations"], json!(null));
    assert_eq!((&value["roles"]["A"]["cost"], &value["total"]), (&json!(1.0), &json!(13.0)));
}

#[test]
fn without_costs_the_answer_is_symbolic() {
    let desk = Desk::new();
    let value = desk.json("session cost pair.nuscr");
    assert_eq!((&value["unit"], &value["total"], &value["costs"]), (&json!(null), &json!(null), &json!([])));
    assert_eq!(
        value["roles"]["A"],
        json!({"cost": null, "equation": "A + send(A,B,10)", "min": null, "max": null})
    );
    let text = desk.quietly("session cost pair.nuscr");
    assert!(text.contains("A' = A + send(A,B,10)\n") && text.contains("One iteration of X"), "{text}");
}

#[test]
fn later_models_win() {
    let desk = Desk::new();
    desk.write("fast.toml", "[model]\nname = \"fast\"\nunit = \"s\"\nsource = \"assumed\"\n[[operation]]\nname = \"recv\"\nmean = 0\n");
    let value = desk.json("session cost pair.nuscr --costs unit.toml --costs fast.toml -s c=0.005");
    assert_eq!(value["unit"], "s", "prices are in the unit of the last model");
    assert!((value["total"].as_f64().unwrap() - 0.016).abs() < 1e-15, "{value}");
    assert_eq!(value["costs"].as_array().unwrap().len(), 2);
    let sources: Vec<_> = value["costs"].as_array().unwrap().iter().map(|one| one["model"].clone()).collect();
    assert_eq!(sources, ["unit", "fast"]);
}

#[test]
fn people_see_where_the_costs_came_from() {
    let text = Desk::new().quietly("session cost pair.nuscr --costs unit.toml");
    assert!(text.starts_with("Pair, 3 iterations\ncosts from unit: assumed, a desk, 2026-11-30\n"), "{text}");
    assert!(text.contains("completion time: 22 ms (19 ms to 28 ms); B is done last\n"), "{text}");
}

#[test]
fn csv_and_latex() {
    let desk = Desk::new();
    let csv = desk.quietly("session cost pair.nuscr --costs unit.toml --format csv");
    assert_eq!(
        csv,
        "role,min (ms),mean (ms),max (ms),equation\r\nA,3,3,3,\"A + send(A,B,10)\"\r\n\
         B,19,22,28,\"max(B + recv(A,B,10) + c, A + send(A,B,10) + recv(A,B,10) + c)\"\r\n"
    );
    let latex = desk.quietly("session cost pair.nuscr --costs unit.toml --format latex");
    assert!(
        latex.starts_with("\\begin{tabular}{lrrrl}\n\\hline\nrole & min & mean & max & equation \\\\\n"),
        "{latex}"
    );
    assert!(latex.contains("B & 19\\,ms & 22\\,ms & 28\\,ms & $\\max\\left("), "{latex}");
}

#[test]
fn a_loop_that_nobody_bounds_is_counted_once_with_a_warning() {
    let desk = Desk::new();
    desk.write("free.nuscr", crate::support::PAIR.replace("; iter X=3", ""));
    let ran = desk.run("session cost free.nuscr --costs unit.toml --format json");
    assert_eq!((ran.status, crate::support::parse(&ran.out)["total"].clone()), (0, json!(8.0)));
    assert!(ran.err.contains("warning[S305]") && ran.err.contains("--iterations"), "{}", ran.err);
}

#[test]
fn samples_are_found_beside_their_model() {
    let desk = Desk::new();
    std::fs::create_dir(desk.path("models")).unwrap();
    desk.write("models/times.txt", "1\n2\n6\n");
    let text = crate::support::UNIT.replace("min = 1\nmean = 2\nmax = 4", "samples = \"times.txt\"");
    desk.write("models/sampled.toml", text);
    let value = desk.json("session cost pair.nuscr --costs models/sampled.toml");
    assert_eq!(
        (&value["roles"]["B"]["min"], &value["total"], &value["max"]),
        (&json!(19.0), &json!(25.0), &json!(34.0))
    );
}
