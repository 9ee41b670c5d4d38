use serde_json::{Value, json};

use crate::support::{Desk, has_keys, parse};

/// Prices of a machine on which everything takes next to nothing, so that predictions are small.
const QUICK: &str = "\
[model]
name = \"quick\"
unit = \"us\"
source = \"assumed\"
[[operation]]
name = \"send\"
mean = 1
[[operation]]
name = \"recv\"
mean = 1
";

fn desk() -> Desk {
    let desk = Desk::new();
    desk.write("quick.toml", QUICK);
    desk
}

fn positive(value: &Value) -> f64 {
    let number = value.as_f64().unwrap_or_else(|| panic!("{value} is no number"));
    assert!(number > 0.0 && number.is_finite(), "{number}");
    number
}

/// What holds for every run, whatever the machine.
fn check(value: &Value, iterations: u64) {
    has_keys(value, &["measured", "predicted", "error", "iteration", "unit", "transport", "environment"]);
    let four = &value["measured"];
    has_keys(four, &["min", "mean", "p50", "p99"]);
    let [min, mean, p50, p99] = ["min", "mean", "p50", "p99"].map(|key| positive(&four[key]));
    assert!(min <= p50 && p50 <= p99 && min <= mean && mean <= p99, "{four}");
    assert_eq!((&value["unit"], &value["iterations"]), (&json!("s"), &json!(iterations)));
    assert!(
        positive(&value["iteration"]["measured"]["mean"]) <= mean,
        "an iteration is no longer than the run"
    );
    assert_eq!(value["iteration"]["loop"], "X");
}

#[test]
fn every_transport_runs_and_is_measured() {
    let desk = desk();
    for transport in ["thread", "tcp", "unix"] {
        let value =
            desk.json(&format!("session run pair.nuscr --transport {transport} --iterations 20 -s c=0"));
        check(&value, 20);
        assert_eq!(value["transport"], transport);
        assert_eq!(
            (&value["predicted"], &value["error"]),
            (&json!(null), &json!(null)),
            "nothing was predicted"
        );
    }
}

#[test]
fn roles_can_be_processes() {
    let desk = desk();
    for transport in ["tcp", "unix"] {
        let value = desk.json(&format!("session run pair.nuscr -t {transport} --processes -n 5 -s c=0"));
        check(&value, 5);
        assert_eq!(value["processes"], true);
    }
    let ran = desk.run("session run pair.nuscr -t thread --processes -n 5 -s c=0");
    assert_eq!(ran.status, 2, "{}", ran.err);
}

#[test]
fn the_prediction_stands_beside_the_measurement() {
    let desk = desk();
    let value = desk.json("session run pair.nuscr -t thread -n 10 --costs quick.toml -s c=100us");
    check(&value, 10);
    // One message of 1 us on its way, then ten times 1 us to receive and 100 us to compute.
    let predicted = positive(&value["predicted"]);
    assert!((predicted - 1011e-6).abs() < 1e-12, "{predicted}");
    let mean = positive(&value["measured"]["mean"]);
    assert!((value["error"].as_f64().unwrap() - (predicted - mean) / mean).abs() < 1e-9);
    assert!(mean >= 1000e-6 * 0.5, "ten times 100 us are really spent, not just claimed: {mean}");
    assert!((positive(&value["iteration"]["predicted"]) - 101.1e-6).abs() < 1e-12, "{}", value["iteration"]);
    assert_eq!(value["costs"][0]["model"], "quick");
}

#[test]
fn the_tolerance_decides_the_exit_status() {
    let desk = desk();
    let words = "session run pair.nuscr -t thread -n 10 --costs quick.toml -s c=100us --format json";
    // Nothing is predicted to take a millionth of what it takes.
    let ran = desk.run(&format!("{words} -s c=1us --tolerance 100000%"));
    assert_eq!((ran.status, &parse(&ran.out)["within"]), (0, &json!(true)), "{}", ran.err);
    let ran = desk.run(&format!("{words} --tolerance 0"));
    assert_eq!((ran.status, &parse(&ran.out)["within"]), (1, &json!(false)), "{}", ran.err);
    let ran = desk.run("session run pair.nuscr -t thread --tolerance 15%");
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("--costs"), "{}", ran.err);
}

#[test]
fn the_timeline_shows_both_sides() {
    let desk = desk();
    desk.run("session run pair.nuscr -t thread -n 5 --costs quick.toml -s c=50us --timeline out.svg");
    let picture = desk.read("out.svg");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    assert!(picture.contains(">predicted</text>") && picture.contains(">measured</text>"));
    assert!(picture.contains("costs from quick: assumed"));
    // Without a prediction there is only one track.
    desk.run("session run pair.nuscr -t thread -n 5 -s c=0 --timeline bare.svg");
    assert!(!desk.read("bare.svg").contains(">predicted</text>"));
    let ran = desk.run("session run pair.nuscr -t thread -n 5 -s c=0 --timeline no/such/folder.svg");
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("no/such/folder.svg"), "{}", ran.err);
}

#[test]
fn text_csv_and_latex() {
    let desk = desk();
    let words = "session run pair.nuscr -t thread -n 5 --costs quick.toml -s c=10us --warmup 0";
    let text = desk.quietly(words);
    assert!(text.starts_with("Pair(c=10us), 5 iterations over thread, one thread per role"), "{text}");
    assert!(text.contains("costs from quick: assumed\n") && text.contains("measured on "), "{text}");
    let csv = desk.quietly(&format!("{words} --format csv"));
    let lines: Vec<&str> = csv.split("\r\n").collect();
    assert_eq!(
        lines[0],
        "quantity,predicted (s),measured (s),error,min (s),p50 (s),p99 (s),predicted min (s),predicted max (s)"
    );
    assert!(lines[1].starts_with("completion time,") && lines[2].starts_with("time per iteration,"), "{csv}");
    assert!(desk.quietly(&format!("{words} --format latex")).contains("completion time & "));
}

#[test]
fn what_cannot_be_run_says_why() {
    let desk = desk();
    for (words, reason) in [
        ("session run ill.nuscr -t thread", "error[S2"),
        ("session run pair.nuscr -t thread --repetitions 2", "at least 5"),
        ("session run pair.nuscr -t pigeon", "thread, tcp, unix"),
        ("session run pair.nuscr -t thread --tolerance much", "15%"),
    ] {
        let ran = desk.run(words);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{words}");
        assert!(ran.err.contains(reason), "{words}: {}", ran.err);
    }
}

/// Exactly one branch is taken per run; which one is the seed's decision, and the prediction follows it.
#[test]
fn the_seed_decides_the_branches() {
    let desk = desk();
    let predicted = |seed: u32| {
        let value = desk.json(&format!("session run fork.nuscr -t thread --costs quick.toml --seed {seed}"));
        assert_eq!(value["iteration"], json!(null));
        (value["predicted"].as_f64().unwrap() * 1e6).round()
    };
    let both: Vec<f64> = (1..=8).map(predicted).collect();
    assert!(both.iter().all(|time| *time == 3.0 || *time == 12.0), "{both:?}");
    assert!(both.contains(&3.0) && both.contains(&12.0), "eight fair choices: {both:?}");
    assert_eq!(predicted(1), both[0]);
}
