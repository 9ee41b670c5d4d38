//! nuScr's own examples, where they are at hand.

use std::path::PathBuf;

use diag::Source;
use session::syntax::parse_module;
use session::{Options, parse};

/// Files that nuScr's parser refuses, and so do we.
const REFUSED: [&str; 5] = [
    "examples/errors/MissingParticipant.nuscr",
    "examples/from-scribble-java/demo/supplierinfo/SupplierInfoExper.nuscr",
    "examples/nested-protocols/parser/errors/NestedAfterGlobal.nuscr",
    "examples/nested-protocols/parser/errors/NestedAfterInteraction.nuscr",
    "test/cram-tests/core/invalid-pragma.t/Invalid.nuscr",
];

/// Files in `parser/errors` that we read deliberately: what follows a choice or a loop follows its
/// ways out, where nuScr wants it written into each branch.
const WIDER: [&str; 2] = [
    "examples/nested-protocols/parser/errors/ContAfterChoice.nuscr",
    "examples/nested-protocols/parser/errors/ContAfterRec.nuscr",
];

/// Files of which nuScr's checks refuse the scopes, with the codes that say so.
const OUT_OF_SCOPE: [(&str, &[&str]); 9] = [
    ("test/cram-tests/core/reflexive-message.t/ReflexiveMessage.nuscr", &["S108"]),
    ("test/cram-tests/core/unbound-recursion-name.t/UnboundRec.nuscr", &["S106"]),
    ("test/cram-tests/core/unbound-role-name.t/UnboundRole.nuscr", &["S101"]),
    ("test/cram-tests/core/unbound-role-name.t/UnboundRoleMore.nuscr", &["S101", "S101"]),
    ("test/cram-tests/core/unguarded-recursion.t/UnguardedChoice.nuscr", &["S107"]),
    ("test/cram-tests/core/unguarded-recursion.t/UnguardedDo.nuscr", &["S107"]),
    ("test/cram-tests/core/unguarded-recursion.t/UnguardedSimple.nuscr", &["S107"]),
    ("examples/nested-protocols/ast-checks/errors/ArityMismatch.nuscr", &["S105", "S105"]),
    ("examples/nested-protocols/ast-checks/errors/RedefinedGlobal.nuscr", &["S104"]),
];

#[test]
fn nuscr_files_are_read_as_nuscr_reads_them() {
    let Some(root) = std::env::var_os("LAGCAST_CORPORA").map(|path| PathBuf::from(path).join("nuscr+nuscr"))
    else {
        eprintln!("skipped: no corpora");
        return;
    };
    let files = super::files(&root, "nuscr");
    assert!(files.len() > 100);
    for path in files {
        let name = path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        let source = super::read(&path);
        let (module, diagnostics) = parse_module(&source);
        let refused = diag::has_errors(&diagnostics);
        assert_eq!(
            refused,
            REFUSED.contains(&name.as_str()),
            "{name}\n{}",
            super::rendered(&source, &diagnostics)
        );
        assert!(refused || !name.contains("parser/errors") || WIDER.contains(&name.as_str()), "{name}");
        if !refused {
            let (again, _) = parse_module(&Source::new("print", module.to_string()));
            assert_eq!(again, module, "{name}");
        }
        let (_, diagnostics) = parse(&source, &Options::default());
        let errors: Vec<&str> = diagnostics.iter().filter(|d| d.is_error()).map(|d| d.code).collect();
        if let Some((_, codes)) = OUT_OF_SCOPE.iter().find(|(file, _)| *file == name) {
            assert_eq!(errors, *codes, "{name}");
        } else if name.starts_with("test/cram-tests") && !refused && !name.contains("unbound-role-in") {
            assert!(errors.is_empty(), "{name}\n{}", super::rendered(&source, &diagnostics));
        }
    }
}
