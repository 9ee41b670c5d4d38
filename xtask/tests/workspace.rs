//! The checks of `cargo xtask layers` and `cargo xtask tidy` on this workspace, so that plain
//! `cargo test` runs them.

use xtask::{layers, root, tidy};

#[test]
fn crates_depend_along_allowed_edges_only() {
    let edges = layers::edges().expect("cargo metadata runs");
    assert!(edges.contains_key("session"), "the check sees the crates: {edges:?}");
    assert_eq!(layers::faults(&edges), Vec::<String>::new());
}

#[test]
fn files_are_tidy() {
    let files = tidy::files(&root()).expect("the files are readable");
    assert!(files.iter().any(|file| file.path == "xtask/tests/workspace.rs"), "the check sees the files");
    let faults = tidy::faults(&root(), &files);
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn every_task_has_help() {
    let overview = xtask::overview();
    for task in &xtask::TASKS {
        assert!(overview.contains(task.name));
        assert!(task.details.starts_with(&format!("cargo xtask {}", task.name)), "{}", task.name);
    }
}
