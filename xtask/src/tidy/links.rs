//! Links in Markdown files.

use std::path::Path;

use super::File;

/// Links to files that do not exist. Links to other hosts and into the same page are not checked.
#[must_use]
pub fn faults(root: &Path, files: &[File]) -> Vec<String> {
    let mut faults = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with(".md")) {
        let folder = Path::new(&file.path).parent().unwrap_or(Path::new(""));
        for (line, target) in links(&file.text) {
            if !is_elsewhere(&target) && !root.join(folder).join(without_anchor(&target)).exists() {
                faults.push(format!("{}:{line}: the link to `{target}` leads nowhere", file.path));
            }
        }
    }
    faults
}

fn is_elsewhere(target: &str) -> bool {
    target.starts_with('#') || target.contains("://") || target.starts_with("mailto:")
}

fn without_anchor(target: &str) -> &str {
    target.split('#').next().unwrap_or(target)
}

/// The targets of inline links and pictures with their lines, outside code.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        // Every second part lies between backquotes: code.
        for part in line.split('`').step_by(2) {
            for rest in part.split("](").skip(1) {
                let target = rest.split([')', ' ']).next().unwrap_or_default();
                links.push((index + 1, target.to_owned()));
            }
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_outside_code_are_found() {
        let text = "a [b](c.md) and ![d](e.svg \"f\")\n```\n[g](h.md)\n```\n`[i](j.md)` [k](#l)\n";
        let found = links(text);
        assert_eq!(found, [(1, "c.md".into()), (1, "e.svg".into()), (5, "#l".into())]);
    }

    #[test]
    fn a_link_to_nowhere_is_a_fault() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("here.md"), "").unwrap();
        let text = "[x](here.md#part) [y](https://example.org) [z](gone.md)";
        let files = [File { path: "page.md".into(), text: text.into() }];
        assert_eq!(faults(folder.path(), &files), ["page.md:1: the link to `gone.md` leads nowhere"]);
    }
}
