use serde_json::{Value, json};

use crate::support::{Desk, parse};

fn observation(mean: f64) -> Value {
    json!({"observations": [{
        "subject": "Pair, 3 iterations", "quantity": "completion time", "unit": "s", "estimator": "a stopwatch",
        "value": {"min": mean, "mean": mean, "max": mean}, "quantiles": null, "runs": 1, "environment": null, "date": null,
    }]})
}

fn desk() -> Desk {
    let desk = Desk::new();
    let predicted = desk.run("session cost pair.nuscr --costs unit.toml --format json").out;
    desk.write("predicted.json", predicted);
    desk.write("observed.json", observation(0.020).to_string());
    desk
}

#[test]
fn units_are_reconciled_and_the_error_is_relative_to_the_observation() {
    let desk = desk();
    let value = desk.json("compare predicted.json observed.json");
    let one = &value["comparisons"][0];
    assert_eq!(
        (&one["predicted"], &one["observed"], &one["unit"]),
        (&json!(0.022), &json!(0.02), &json!("s"))
    );
    assert!((one["error"].as_f64().unwrap() - 0.1).abs() < 1e-9);
    assert_eq!((&one["inside_bounds"], &value["within"]), (&json!(true), &json!(null)));
    let text = desk.quietly("compare predicted.json observed.json");
    assert!(text.contains("10.0 %") && text.contains("costs from unit: assumed"), "{text}");
}

#[test]
fn the_tolerance_decides() {
    let desk = desk();
    assert_eq!(desk.run("compare predicted.json observed.json --tolerance 15%").status, 0);
    let ran = desk.run("compare predicted.json observed.json --tolerance 5% --format json");
    assert_eq!((ran.status, &parse(&ran.out)["within"]), (1, &json!(false)));
}

#[test]
fn what_a_run_writes_can_be_compared() {
    let desk = desk();
    let ran = desk.run("session run pair.nuscr -t thread --format json -s c=1ms --costs unit.toml");
    desk.write("run.json", &ran.out);
    let latency = desk.run("session latency pair.nuscr -s c=1ms --costs unit.toml --format json").out;
    desk.write("latency.json", latency);
    let value = desk.json("compare latency.json run.json");
    assert_eq!(value["comparisons"][0]["quantity"], "time per iteration");
    // The prediction is for c=5, the run for c=1ms: these are different things.
    let ran = desk.run("compare predicted.json run.json");
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("nothing to compare") && ran.err.contains("Pair(c=1ms)"), "{}", ran.err);
}

#[test]
fn documents_without_predictions_or_observations_are_refused() {
    let desk = desk();
    desk.write("empty.json", "{\"predictions\": []}");
    desk.write("text.json", "no json");
    for (words, reason) in [
        ("compare observed.json observed.json", "holds no prediction"),
        ("compare predicted.json predicted.json", "holds no observation"),
        ("compare empty.json observed.json", "holds no prediction"),
        ("compare text.json observed.json", "is not JSON"),
        ("compare absent.json observed.json", "no such file"),
    ] {
        let ran = desk.run(words);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{words}");
        assert!(ran.err.contains(reason), "{words}: {}", ran.err);
    }
}
