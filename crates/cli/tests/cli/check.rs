use crate::support::{Desk, has_keys, parse};

#[test]
fn well_formed_is_status_0() {
    let desk = Desk::new();
    assert_eq!(
        desk.quietly("session check pair.nuscr"),
        "pair.nuscr: well formed (Pair: 2 roles, 1 interaction)\n"
    );
    let value = desk.json("session check fork.nuscr");
    assert_eq!((&value["well_formed"], &value["diagnostics"]), (&true.into(), &serde_json::json!([])));
}

#[test]
fn ill_formed_is_status_1_with_the_place() {
    let desk = Desk::new();
    let ran = desk.run("session check ill.nuscr");
    assert_eq!((ran.status, ran.out.as_str()), (1, "ill.nuscr: not well formed: 1 error\n"), "{}", ran.err);
    assert!(ran.err.contains("error[S2") && ran.err.contains("ill.nuscr:"), "{}", ran.err);
    let ran = desk.run("session check ill.nuscr --format json");
    assert_eq!((ran.status, ran.err.as_str()), (1, ""));
    let value = parse(&ran.out);
    assert_eq!(value["well_formed"], false);
    let first = &value["diagnostics"][0];
    has_keys(first, &["code", "severity", "message", "file", "line", "column", "labels", "help"]);
    assert!(first["code"].as_str().unwrap().starts_with("S2"));
    assert_eq!((first["severity"].as_str(), first["file"].as_str()), (Some("error"), Some("ill.nuscr")));
    assert!(first["line"].as_u64().is_some_and(|line| (3..=8).contains(&line)), "{first}");
}

#[test]
fn all_faults_come_in_one_go() {
    let desk = Desk::new();
    desk.write(
        "bad.nuscr",
        "global protocol Bad(role A, role B)\n{\n  M() from A to C;\n  M() from D to B;\n}\n",
    );
    let ran = desk.run("session check bad.nuscr --format json");
    let value = parse(&ran.out);
    assert_eq!((ran.status, &value["well_formed"]), (1, &false.into()));
    let lines: Vec<u64> =
        value["diagnostics"].as_array().unwrap().iter().filter_map(|one| one["line"].as_u64()).collect();
    assert!(lines.contains(&3) && lines.contains(&4), "{lines:?}");
}

#[test]
fn text_that_is_no_protocol_is_status_2() {
    let desk = Desk::new();
    desk.write("no.nuscr", "global protocol ( {");
    let ran = desk.run("session check no.nuscr --format json");
    assert_eq!(ran.status, 2);
    let value = parse(&ran.out);
    assert_eq!(value["well_formed"], false);
    assert!(value["diagnostics"][0]["code"].as_str().unwrap().starts_with("S0"), "{value}");
}

#[test]
fn json_protocols_are_known_by_their_name_or_their_first_character() {
    let desk = Desk::new();
    let text = r#"[{"rec":"X","n":3,"body":[{"msg":[0,1],"size":10,"cost":5},{"var":"X"}]}]"#;
    desk.write("pair.json", text);
    desk.write("pair", text);
    assert_eq!(desk.json("session check pair.json")["well_formed"], true);
    assert_eq!(desk.json("session check pair")["well_formed"], true);
}
