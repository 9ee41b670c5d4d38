//! Protocols in JSON.

use diag::Source;
use session::expand::check_invariants;
use session::global::Phase;
use session::{GlobalType, Options, parse_json, print_global, to_json};

pub(super) const EXAMPLE: &str = r#"[
  {"send": [2, 0], "size": "\\tau"},
  {"rec": "X", "n": 10, "body": [
    {"recv_from_to": [2, 0], "size": "\\tau", "cost": "c_r"},
    {"choice": [0, 2], "alts": {
      "more": [{"msg": [2, 0], "size": 8, "cost": 0.5}, {"send": [2, 0], "size": "\\tau"}, {"var": "X"}],
      "stop": []
    }}
  ]}
]"#;

fn read(text: &str) -> (Option<GlobalType>, Vec<diag::Diagnostic>) {
    parse_json(&Source::new("test.json", text), &Options::default())
}

#[test]
fn json_becomes_a_protocol() {
    let global = read(EXAMPLE).0.unwrap();
    check_invariants(&global).unwrap();
    let text = r#"global protocol Protocol(role r0, role r2) @"iter X=10" {
  msg() from r2 ~> r0; @"size=\tau"
  rec X {
    recv msg() at r0 from r2; @"size=\tau, cost=c_r"
    choice at r0 {
      more() from r0 to r2;
      msg() from r2 to r0; @"size=8, cost=0.5"
      msg() from r2 ~> r0; @"size=\tau"
      continue X;
    } or {
      stop() from r0 to r2;
    }
  }
}
"#;
    assert_eq!(print_global(&global), text);
    let expected: serde_json::Value = serde_json::from_str(EXAMPLE).unwrap();
    assert_eq!(to_json(&global), Ok(expected));
}

#[test]
fn a_role_may_send_to_itself_in_json() {
    let global =
        read(r#"[{"send":[0,0],"size":"t"},{"recv_from_to":[0,0],"size":"t","cost":"c"}]"#).0.unwrap();
    let phases: Vec<Phase> = global.interactions().map(|(_, interaction)| interaction.phase).collect();
    assert_eq!(phases, [Phase::Send, Phase::Receive]);
    assert_eq!(global.roles.len(), 1);
}

#[test]
fn faults_say_where_they_are() {
    let (global, diagnostics) = read("[\n  {\"msg\": [0, 1}\n]");
    assert!(global.is_none());
    assert_eq!(super::codes(&diagnostics), ["S020"]);
    assert_eq!(diagnostics[0].span().unwrap().start, 17);

    let text = r#"[{"msg":[0]}, {"mgs":[0,1]}, {"rec":"X","n":"2*","body":[7,{"choice":[0,1],"alts":{}}]}, {"msg":[0,1],"sise":1}]"#;
    let messages: Vec<String> = read(text).1.into_iter().map(|diagnostic| diagnostic.message).collect();
    let places: Vec<&str> = messages.iter().map(|message| message.split(':').next().unwrap()).collect();
    assert_eq!(places, ["at /0", "at /1", "at /2", "at /2/body/0", "at /2/body/1", "at /3"]);

    let (_, diagnostics) = read(r#"[{"rec":"X","n":1,"body":[{"var":"X"}]},{"var":"Y"},{"msg":[0,1]}]"#);
    let mut codes = super::codes(&diagnostics);
    codes.sort_unstable();
    assert_eq!(codes, ["S106", "S107", "S110"]);
}

#[test]
fn what_json_cannot_say_is_refused_with_a_reason() {
    let reason = |body: &str| {
        to_json(&super::global(&format!("protocol P(role A, role B) {{ {body} }}"))).unwrap_err()
    };
    assert!(reason("M() from A to B; @\"pre=1\"").contains("`pre`"));
    assert!(reason("choice at A { M(int) from A to B; } or { N() from A to B; }").contains("bare label"));
    assert!(reason("choice at A { M() from A to B; } or { M() from A to B; }").contains("two branches"));
}

#[test]
fn deep_json_is_refused_and_does_not_exhaust_the_stack() {
    let nested = |count: usize| {
        let open = r#"[{"choice":[0,1],"alts":{"l":"#.repeat(count);
        format!("{open}[]{}", "}}]".repeat(count))
    };
    let (global, diagnostics) = read(&nested(255));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let written = to_json(&global.unwrap()).unwrap();
    assert_eq!(to_json(&read(&written.to_string()).0.unwrap()), Ok(written));
    assert_eq!(super::codes(&read(&nested(100_000)).1), ["S020"]);
}

/// The protocols of the CAMP prototype (authors' artifact).
#[test]
fn protocols_of_the_prototype_are_read_and_written_back() {
    let files = super::files(&super::own_corpus("camp/protocols"), "json");
    assert!(files.len() >= 80, "the protocols of the prototype belong to the project");
    for path in files {
        let source = super::read(&path);
        let (global, diagnostics) = parse_json(&source, &Options::default());
        let Some(global) = global else { panic!("{}", super::rendered(&source, &diagnostics)) };
        check_invariants(&global).unwrap_or_else(|broken| panic!("{}: {broken}", source.name()));
        assert_eq!(to_json(&global).unwrap().to_string(), source.text().trim(), "{}", source.name());
    }
}
