use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// A folder of its own with a small protocol and small cost models, in which the program is run.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
}

/// What a run of the program left behind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ran {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// A sends to B three times; B computes on each message. With [`UNIT`]: sending takes 1, receiving 2 (1 to 4).
pub(crate) const PAIR: &str = "\
global protocol Pair(role A, role B) @\"param c=5; iter X=3\"
{
  rec X {
    Data(int) from A to B; @\"size=10, cost=c\"
    continue X;
  }
}
";

/// A chooses between a short and a long way.
pub(crate) const FORK: &str = "\
global protocol Fork(role A, role B)
{
  choice at A {
    Short() from A to B; @\"size=10, cost=1, prob=0.5\"
  } or {
    Long() from A to B; @\"size=10, cost=10, prob=0.5\"
  }
}
";

/// The choice of A is not announced to C, which acts differently in the branches.
pub(crate) const ILL: &str = "\
global protocol Ill(role A, role B, role C)
{
  choice at A {
    Left() from A to B; @\"size=1\"
    Go() from B to C; @\"size=1\"
  } or {
    Right() from A to B; @\"size=1\"
    Go() from C to B; @\"size=1\"
  }
}
";

/// Prices in milliseconds: sending a tenth per byte, receiving 1, 2 or 4.
pub(crate) const UNIT: &str = "\
[model]
name = \"unit\"
unit = \"ms\"
source = \"assumed\"
environment = \"a desk\"
date = \"2026-11-30\"

[[operation]]
name = \"send\"
mean = \"0.1*size\"

[[operation]]
name = \"recv\"
min = 1
mean = 2
max = 4
";

impl Desk {
    pub(crate) fn new() -> Self {
        let desk = Self { folder: tempfile::tempdir().expect("a folder can be made") };
        let files = [("pair.nuscr", PAIR), ("fork.nuscr", FORK), ("ill.nuscr", ILL), ("unit.toml", UNIT)];
        files.into_iter().for_each(|(name, text)| desk.write(name, text));
        desk
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), text).expect("the desk is writable");
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The program with these words as arguments, in this folder.
    pub(crate) fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lagcast"));
        command.args(words.split_whitespace()).current_dir(self.folder.path()).stdin(Stdio::null());
        command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
        command
    }

    pub(crate) fn run(&self, words: &str) -> Ran {
        let output = self.command(words).output().expect("the program starts");
        Ran {
            status: output.status.code().expect("the program ends by itself"),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }

    /// Runs and expects status 0 and nothing on standard error.
    pub(crate) fn quietly(&self, words: &str) -> String {
        let ran = self.run(words);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{words}\n{}", ran.out);
        ran.out
    }

    /// Runs with `--format json` and expects status 0.
    pub(crate) fn json(&self, words: &str) -> Value {
        let ran = self.run(&format!("{words} --format json"));
        assert_eq!(ran.status, 0, "{words}\n{}", ran.err);
        parse(&ran.out)
    }
}

/// Exactly one JSON document.
pub(crate) fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

/// The keys of an object, in order.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// Asserts that an object has these keys, whatever else it has.
pub(crate) fn has_keys(value: &Value, wanted: &[&str]) {
    let present = keys(value);
    for key in wanted {
        assert!(present.contains(key), "no `{key}` in {present:?}");
    }
}
