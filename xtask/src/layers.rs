//! `cargo xtask layers`: which crate may depend on which.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{Failure, no_arguments, shell};

/// The allowed edges: a crate and those that it may depend on. A crate that is not listed may not be in
/// `crates/` at all: whoever adds one says here where it stands.
pub const ALLOWED: [(&str, &[&str]); 12] = [
    ("diag", &[]),
    ("cost", &["diag"]),
    ("markov", &["diag"]),
    ("p4", &["diag", "cost", "markov"]),
    ("session", &["diag", "cost", "markov"]),
    ("profile", &[]),
    ("rig", &["diag", "session", "p4", "cost"]),
    ("collector", &["profile", "cost"]),
    ("report", &["cost"]),
    ("dashboard", &["collector", "report", "session", "p4"]),
    ("agent", &["profile"]),
    (
        "cli",
        &["diag", "cost", "markov", "p4", "session", "profile", "rig", "collector", "report", "dashboard"],
    ),
];

/// A crate of `crates/` and the crates of `crates/` that its manifest names, in any section.
pub type Edges = BTreeMap<String, BTreeSet<String>>;

/// Runs the task.
///
/// # Errors
/// Lists the edges that are not allowed.
pub fn run(arguments: &[String]) -> Result<(), Failure> {
    no_arguments(arguments)?;
    let edges = edges()?;
    Failure::unless_empty(&faults(&edges))?;
    let count: usize = edges.values().map(BTreeSet::len).sum();
    println!("layers: {} crates, {count} edges, all allowed", edges.len());
    Ok(())
}

/// The edges of this workspace.
///
/// # Errors
/// When `cargo metadata` fails or says something unexpected.
pub fn edges() -> Result<Edges, Failure> {
    let text =
        shell::output(&mut shell::cargo(&["metadata", "--format-version", "1", "--no-deps", "--offline"]))?;
    let metadata =
        serde_json::from_str(&text).map_err(|error| Failure(format!("cargo metadata: {error}")))?;
    Ok(edges_of(&metadata))
}

/// The edges in the JSON of `cargo metadata`. A crate is known by its folder in `crates/`.
#[must_use]
pub fn edges_of(metadata: &Value) -> Edges {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut edges = Edges::new();
    for package in packages {
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let folder = manifest.strip_suffix("/Cargo.toml").unwrap_or(manifest);
        let Some(name) = crate_name(folder) else { continue };
        let dependencies = package["dependencies"].as_array().map(Vec::as_slice).unwrap_or_default();
        let ours = dependencies.iter().filter_map(|dependency| crate_name(dependency["path"].as_str()?));
        edges.entry(name).or_default().extend(ours);
    }
    edges
}

fn crate_name(folder: &str) -> Option<String> {
    let (parent, name) = folder.rsplit_once('/')?;
    parent.ends_with("/crates").then(|| name.to_owned())
}

/// One sentence for each crate that has no place and each edge that is not allowed.
#[must_use]
pub fn faults(edges: &Edges) -> Vec<String> {
    let mut faults = Vec::new();
    for (from, targets) in edges {
        let Some((_, allowed)) = ALLOWED.iter().find(|(name, _)| name == from) else {
            faults.push(format!("crates/{from} has no place in the layers (xtask/src/layers.rs)"));
            continue;
        };
        for to in targets.iter().filter(|to| !allowed.contains(&to.as_str()) && *to != from) {
            faults.push(format!("crates/{from} may not depend on crates/{to}"));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metadata(from: &str, to: &str) -> Value {
        serde_json::json!({"packages": [{
            "manifest_path": format!("/somewhere/crates/{from}/Cargo.toml"),
            "dependencies": [{"name": "x", "path": format!("/somewhere/crates/{to}")}, {"name": "serde"}],
        }]})
    }

    #[test]
    fn an_allowed_edge_is_no_fault() {
        assert_eq!(faults(&edges_of(&metadata("session", "cost"))), Vec::<String>::new());
    }

    #[test]
    fn systems_may_not_depend_on_each_other() {
        let found = faults(&edges_of(&metadata("session", "p4")));
        assert_eq!(found, ["crates/session may not depend on crates/p4"]);
    }

    #[test]
    fn a_new_crate_needs_a_place() {
        let found = faults(&edges_of(&metadata("novelty", "diag")));
        assert_eq!(found, ["crates/novelty has no place in the layers (xtask/src/layers.rs)"]);
    }

    #[test]
    fn the_allowed_edges_have_no_cycle() {
        // Every crate may depend only on crates that can be built before it.
        let mut built: BTreeSet<&str> = BTreeSet::new();
        while built.len() < ALLOWED.len() {
            let ready = ALLOWED.iter().filter(|(_, needs)| needs.iter().all(|need| built.contains(need)));
            let before = built.len();
            let ready: Vec<&str> = ready.map(|(name, _)| *name).collect();
            built.extend(ready);
            assert!(built.len() > before, "cycle among the crates outside {built:?}");
        }
    }
}
