//! nuScr's own examples, where they are at hand.
#![allow(clippy::disallowed_methods, reason = "tests read corpora from disk, and where they are from the environment")]
#![allow(clippy::print_stderr, reason = "a skipped test says so")]

use std::path::{Path, PathBuf};

use diag::Source;

/// Files that nuScr's own parser refuses and we refuse, too.
const REFUSED: [&str; 5] = [
    "examples/errors/MissingParticipant.nuscr",
    "examples/nested-protocols/parser/errors/NestedAfterGlobal.nuscr",
    "examples/nested-protocols/parser/errors/NestedAfterInteraction.nuscr",
    "examples/consensus/ClockAnnotRec.nuscr",
    "test/cram-tests/core/invalid-pragma.t/Invalid.nuscr",
];

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "nuscr") {
            found.push(path);
        }
    }
}

#[test]
fn nuscr_examples() {
    let Some(root) = std::env::var_os("LAGCAST_CORPORA").map(|path| PathBuf::from(path).join("nuscr+nuscr")) else {
        eprintln!("skipped: no corpora");
        return;
    };
    let mut found = Vec::new();
    files(&root, &mut found);
    for path in found {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        let source = Source::new(&name, std::fs::read_to_string(&path).unwrap());
        let (module, diagnostics) = session::syntax::parse_module(&source);
        if diag::has_errors(&diagnostics) != REFUSED.contains(&name.as_str()) {
            eprintln!("{}", diag::render(&source, &diagnostics, diag::Colour::Plain));
        }
        if !diag::has_errors(&diagnostics) {
        let (again, more) = session::syntax::parse_module(&Source::new(&name, module.to_string()));
        assert!(!diag::has_errors(&more), "{name}\n{module}");
        assert_eq!(module, again, "{name}");
            let (_g, d) = session::parse(&source, &session::Options::default());
            eprintln!("{name} {:?}", d.iter().filter(|d| d.is_error()).map(|d| format!("{} {}", d.code, d.message)).collect::<Vec<_>>());
        }
    }
}
