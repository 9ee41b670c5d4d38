use crate::support::{Desk, has_keys};

#[test]
fn a_calibrated_model_prices_a_protocol() {
    let desk = Desk::new();
    let text = desk.quietly("calibrate transport --transport unix --quick --sizes 1,64,1024 -o unix.toml");
    assert!(text.contains("crossing") && text.contains("unix.toml"), "{text}");
    let model = desk.read("unix.toml");
    for name in ["send", "recv", "latency", "wake"] {
        assert!(model.contains(&format!("name = \"{name}\"")), "{model}");
    }
    assert!(model.contains("source = \"measured\"") && model.contains("date = \"20"), "{model}");
    let value = desk.json("session cost pair.nuscr --costs unix.toml -s c=1us");
    assert!(value["total"].as_f64().unwrap() >= 3e-6, "{value}");
    assert_eq!(value["costs"][0]["source"], "measured");
    // Nobody has measured a megabyte.
    desk.write("large.nuscr", crate::support::PAIR.replace("size=10", "size=1048576"));
    let ran = desk.run("session cost large.nuscr --costs unix.toml");
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("error[S304]"), "{}", ran.err);
}

#[test]
fn without_a_file_the_model_itself_is_printed() {
    let desk = Desk::new();
    let model = desk.quietly("calibrate transport -t thread --quick --sizes 1,64");
    desk.write("thread.toml", model);
    desk.json("session cost pair.nuscr --costs thread.toml -s c=0");
    let value = desk.json("calibrate transport -t thread --quick --sizes 1,64");
    has_keys(&value, &["transport", "apart", "compute", "environment", "date", "unit", "model"]);
    assert_eq!(value["apart"].as_array().unwrap().len(), 2);
    let csv = desk.quietly("calibrate transport -t thread --quick --sizes 1,64 --format csv");
    assert!(csv.starts_with("roles,bytes,send (s),latency (s),wake (s),recv (s)"), "{csv}");
}

#[test]
fn impossible_calibrations_say_why() {
    let desk = Desk::new();
    for (words, reason) in [
        ("calibrate transport --sizes 64,1", "ascending"),
        ("calibrate transport --sizes many", "invalid"),
        ("calibrate transport --quick -o no/such/folder/tcp.toml", "no/such/folder/tcp.toml"),
        ("calibrate pigeons", "pigeons"),
    ] {
        let ran = desk.run(words);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{words}");
        assert!(ran.err.contains(reason), "{words}: {}", ran.err);
    }
}
