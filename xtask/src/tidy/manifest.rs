//! Reasons for dependencies.

use super::File;

/// Dependencies of the workspace without a reason, and dependencies of crates that go around the
/// workspace's list.
#[must_use]
pub fn faults(files: &[File]) -> Vec<String> {
    let manifests =
        files.iter().filter(|file| file.path == "Cargo.toml" || file.path.ends_with("/Cargo.toml"));
    manifests.flat_map(faults_of).collect()
}

fn faults_of(file: &File) -> Vec<String> {
    let is_root = file.path == "Cargo.toml";
    // The fuzz targets are a workspace of their own and cannot inherit: each line gives its reason there.
    let wants_reason = is_root || file.path.starts_with("fuzz/");
    let mut section = "";
    let mut faults = Vec::new();
    for (index, line) in file.text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with('[') {
            section = line;
            continue;
        }
        if line.is_empty() || line.starts_with('#') || !section.contains("dependencies") {
            continue;
        }
        let (entry, reason) = split_reason(line);
        let at = format!("{}:{}", file.path, index + 1);
        if wants_reason {
            if !entry.contains("path =") && reason.is_none() {
                faults.push(format!("{at}: a dependency without a reason: append `# why it is here`"));
            }
        } else if !entry.contains("workspace = true") {
            faults.push(format!("{at}: dependencies are listed, with their reason, in the root Cargo.toml"));
        }
    }
    faults
}

/// A line of TOML without its comment, and the comment.
fn split_reason(line: &str) -> (&str, Option<&str>) {
    let mut quoted = false;
    for (at, letter) in line.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '#' if !quoted => {
                let reason = line[at + 1..].trim();
                return (&line[..at], (!reason.is_empty()).then_some(reason));
            }
            _ => {}
        }
    }
    (line, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<String> {
        faults(&[File { path: path.to_owned(), text: text.to_owned() }])
    }

    #[test]
    fn a_dependency_says_why() {
        let text = "[workspace.dependencies]\nserde = \"1\" # JSON\nours = { path = \"crates/ours\" }\nrand = \"0.9\"\n";
        assert_eq!(
            check("Cargo.toml", text),
            ["Cargo.toml:4: a dependency without a reason: append `# why it is here`"]
        );
    }

    #[test]
    fn a_hash_inside_a_string_is_no_reason() {
        assert_eq!(check("Cargo.toml", "[workspace.dependencies]\na = \"1#2\"\n").len(), 1);
    }

    #[test]
    fn crates_take_dependencies_from_the_workspace() {
        assert_eq!(
            check("crates/a/Cargo.toml", "[dependencies]\nserde.workspace = true\n"),
            Vec::<String>::new()
        );
        assert_eq!(check("crates/a/Cargo.toml", "[dev-dependencies]\nserde = \"1\"\n").len(), 1);
    }
}
