//! Words that do not belong in the project.

use super::File;

/// A word, in which files it is looked for, and what is wrong with it. The words are put together from
/// halves so that this file does not hold them.
struct Forbidden {
    word: String,
    only: &'static [&'static str],
    reason: &'static str,
}

fn forbidden() -> Vec<Forbidden> {
    let everywhere: &[&str] = &["rs", "md", "toml", "nuscr", "json", "svg", "run"];
    let rust: &[&str] = &["rs"];
    let machine = "a path of somebody's machine";
    let undone = "something left to be done: do it, or open an issue";
    let list = [
        ("/wo", "rk/", everywhere, machine),
        ("/ho", "me/", everywhere, machine),
        ("/ro", "ot/", everywhere, machine),
        ("/tm", "p/", everywhere, machine),
        ("../sh", "ared", everywhere, machine),
        ("#[ig", "nore", rust, "an ignored test: it says nothing; skip at run time with the reason"),
        ("to", "do!(", rust, undone),
        ("unimple", "mented!(", rust, undone),
        ("FIX", "ME", everywhere, undone),
        ("TO", "DO", everywhere, undone),
        ("XX", "X ", rust, undone),
    ];
    let build = |(head, tail, only, reason)| Forbidden { word: format!("{head}{tail}"), only, reason };
    list.into_iter().map(build).collect()
}

/// Endings of names that say nothing about the thing named.
const EMPTY_NAMES: [&str; 4] = ["Manager", "Helper", "Util", "Handler"];

/// Forbidden words and empty names.
#[must_use]
pub fn faults(files: &[File]) -> Vec<String> {
    let forbidden = forbidden();
    let mut faults = Vec::new();
    for file in files {
        let kind = file.path.rsplit(['.', '/']).next().unwrap_or_default();
        let words: Vec<&Forbidden> = forbidden.iter().filter(|one| one.only.contains(&kind)).collect();
        for (index, line) in file.text.lines().enumerate() {
            let at = format!("{}:{}", file.path, index + 1);
            for one in words.iter().filter(|one| line.contains(&one.word)) {
                faults.push(format!("{at}: `{}`: {}", one.word.trim(), one.reason));
            }
            if let Some(name) = empty_name(line).filter(|_| kind == "rs") {
                faults.push(format!("{at}: `{name}`: name the thing by what it is"));
            }
        }
    }
    faults
}

/// The name that a public declaration gives, when it ends in a word that says nothing.
fn empty_name(line: &str) -> Option<&str> {
    let declaration = line.trim_start().strip_prefix("pub ")?;
    let kinds = ["struct ", "enum ", "trait ", "type ", "mod "];
    let rest = kinds.iter().find_map(|kind| declaration.strip_prefix(kind))?;
    let name = rest.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
    let says_nothing = |ending: &&str| {
        let (one, many) = (ending.to_lowercase(), format!("{}s", ending.to_lowercase()));
        name.ends_with(*ending) || name.ends_with(&format!("{ending}s")) || name == one || name == many
    };
    EMPTY_NAMES.iter().any(says_nothing).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str) -> Vec<String> {
        faults(&[File { path: path.to_owned(), text: text.to_owned() }])
    }

    #[test]
    fn machine_paths_are_faults_everywhere() {
        let path = ["/wo", "rk/x"].concat();
        assert_eq!(check("README.md", &path).len(), 1);
        assert_eq!(
            check("a.rs", &format!("\n// {path}"))[0],
            format!("a.rs:2: `{}`: a path of somebody's machine", &path[..6])
        );
    }

    #[test]
    fn ignored_tests_are_faults() {
        assert_eq!(check("a.rs", &["#[ig", "nore]"].concat()).len(), 1);
    }

    #[test]
    fn names_that_say_nothing_are_faults() {
        assert_eq!(check("a.rs", &["pub struct Cost", "Manager;"].concat()).len(), 1);
        assert_eq!(check("a.rs", "pub struct CostModel;"), Vec::<String>::new());
        assert_eq!(check("a.rs", &["pub mod ", "utils;"].concat()).len(), 1);
    }
}
