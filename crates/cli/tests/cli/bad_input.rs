use std::io::Read;
use std::process::Stdio;

use crate::support::Desk;

/// Each of these has no answer: status 2, nothing on standard output, a reason on standard error.
fn refused(desk: &Desk, words: &str, reason: &str) {
    let ran = desk.run(words);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{words}\n{}", ran.err);
    assert!(ran.err.contains(reason), "{words}: expected `{reason}` in\n{}", ran.err);
    assert!(!ran.err.contains("panicked"), "{}", ran.err);
}

#[test]
fn files_that_cannot_be_read() {
    let desk = Desk::new();
    desk.write("empty.nuscr", " \n");
    desk.write("binary.nuscr", b"global\nprotocol \xff\xfe".as_slice());
    std::fs::create_dir(desk.path("folder")).unwrap();
    for command in ["check", "project", "cost", "latency --costs unit.toml", "run -t thread"] {
        refused(
            &desk,
            &format!("session {command} absent.nuscr"),
            "cannot read absent.nuscr: there is no such file",
        );
        refused(&desk, &format!("session {command} no/where.nuscr"), "there is no folder no");
        refused(&desk, &format!("session {command} folder"), "folder is a folder");
        refused(&desk, &format!("session {command} empty.nuscr"), "empty.nuscr is empty");
        refused(
            &desk,
            &format!("session {command} binary.nuscr"),
            "binary.nuscr is not text in UTF-8: line 2",
        );
    }
    refused(&desk, "session cost pair.nuscr --costs absent.toml", "absent.toml: there is no such file");
    refused(&desk, "session cost pair.nuscr --costs folder", "folder is a folder");
}

#[test]
fn texts_with_errors() {
    let desk = Desk::new();
    desk.write("scope.nuscr", "global protocol P(role A)\n{\n  M() from A to B;\n}\n");
    desk.write("bad.json", "[{\"msg\": [0]}]");
    desk.write("model.toml", "[model]\nname = \"x\"\nunit = \"parsec\"\nsource = \"assumed\"\n");
    desk.write("broken.toml", "[model\n");
    refused(&desk, "session cost scope.nuscr", "error[S1");
    refused(&desk, "session project scope.nuscr", "scope.nuscr:3:");
    refused(&desk, "session cost bad.json", "error[S");
    refused(&desk, "session cost pair.nuscr --costs model.toml", "error[C0");
    refused(&desk, "session cost pair.nuscr --costs broken.toml", "error[C001]");
}

#[test]
fn what_has_no_price_is_named() {
    let desk = Desk::new();
    desk.write("send.toml", "[model]\nname = \"half\"\nunit = \"ms\"\nsource = \"assumed\"\n[[operation]]\nname = \"send\"\nmean = 1\n");
    desk.write("open.nuscr", crate::support::PAIR.replace("param c=5", "param c"));
    refused(&desk, "session cost pair.nuscr --costs send.toml", "error[S303]");
    refused(&desk, "session cost pair.nuscr --costs send.toml", "`recv`");
    refused(&desk, "session cost open.nuscr --costs unit.toml", "error[S301]");
    refused(&desk, "session cost open.nuscr --costs unit.toml", "--set c=VALUE");
    refused(&desk, "session cost pair.nuscr --costs unit.toml --set d=1", "`d`");
}

#[test]
fn bad_arguments() {
    let desk = Desk::new();
    refused(&desk, "", "Usage");
    refused(&desk, "session", "Usage");
    refused(&desk, "sesion", "unrecognized subcommand");
    refused(&desk, "session cost", "<FILE>");
    refused(&desk, "session cost pair.nuscr --set c", "write NAME=VALUE");
    refused(&desk, "session cost pair.nuscr --set 2c=1", "no name of a parameter");
    refused(&desk, "session cost pair.nuscr --set c=1+", "c=1+");
    refused(&desk, "session cost pair.nuscr --set c=d", "`d` has no value");
    refused(&desk, "session cost pair.nuscr --iterations many", "invalid value");
    refused(&desk, "session cost pair.nuscr --iterations -1", "-1");
    refused(&desk, "session cost pair.nuscr --format xml", "possible values: text, json, csv, latex");
    refused(&desk, "session cost pair.nuscr --protocol Other", "Other");
    refused(&desk, "compare one.json", "<OBSERVATION>");
    let ran = desk.run("play-role");
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("do not start it by hand"), "{}", ran.err);
}

#[test]
fn standard_input_is_a_file_too() {
    let desk = Desk::new();
    let pair = std::fs::File::open(desk.path("pair.nuscr")).unwrap();
    let output = desk.command("session check -").stdin(pair).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("<standard input>: well formed"));
    refused(&desk, "session check -", "<standard input> is empty");
}

#[test]
fn a_reader_that_leaves_is_no_fault() {
    let desk = Desk::new();
    for words in ["explain", "completions bash", "session cost pair.nuscr", "--help"] {
        let mut child = desk.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut err = String::new();
        child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        let status = child.wait().unwrap();
        assert_eq!((status.code(), err.as_str()), (Some(0), ""), "{words}");
    }
}
