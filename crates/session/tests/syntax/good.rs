//! Protocols that must be read, with what they must become in comments.

use std::path::Path;

use diag::Source;
use diag::expect;
use session::expand::check_invariants;
use session::syntax::parse_module;
use session::{GlobalType, Options, parse, print_global};

/// What a file says about itself: `// key: value` lines and the print as `//| ` lines.
struct Expectations<'a> {
    entries: Vec<(&'a str, &'a str)>,
    print: Vec<&'a str>,
}

impl<'a> Expectations<'a> {
    fn of(text: &'a str) -> Self {
        let entries = text.lines().filter_map(|line| line.strip_prefix("// ")?.split_once(':'));
        let entries = entries.map(|(key, value)| (key, value.trim())).collect();
        let print = text
            .lines()
            .filter_map(|line| line.strip_prefix("//|"))
            .map(|line| line.strip_prefix(' ').unwrap_or(line));
        Self { entries, print: print.collect() }
    }

    fn all(&self, key: &str) -> impl Iterator<Item = &'a str> {
        self.entries.iter().filter(move |(found, _)| *found == key).map(|(_, value)| *value)
    }

    fn options(&self) -> Options {
        let parameters = self.all("set").map(|set| {
            let (name, value) = set.split_once('=').unwrap();
            (name.to_owned(), value.parse().unwrap())
        });
        Options { parameters: parameters.collect(), protocol: self.all("protocol").next().map(str::to_owned) }
    }

    fn check(&self, global: &GlobalType, name: &str) {
        let roles: Vec<&str> = global.roles.iter().map(|role| role.name.as_str()).collect();
        let loops: Vec<&str> = global.loops.iter().map(|record| record.name.as_str()).collect();
        let mut checks = 0;
        let mut check = |key: &str, found: String| {
            for wanted in self.all(key) {
                assert_eq!(found, wanted, "{name}: {key}");
                checks += 1;
            }
        };
        check("roles", roles.join(" "));
        check("role count", roles.len().to_string());
        check("loops", loops.join(" "));
        check("interactions", global.interactions().count().to_string());
        assert!(checks >= 2, "{name} must say its roles and the number of its interactions");
        if !self.print.is_empty() {
            assert_eq!(print_global(global), self.print.join("\n") + "\n", "{name}");
        }
    }
}

#[test]
fn good_protocols_become_what_they_say() {
    let files = super::files(&super::own_corpus("good"), "nuscr");
    assert!(files.len() >= 25);
    for path in files {
        let source = super::read(&path);
        let expectations = Expectations::of(source.text());
        let (global, diagnostics) = parse(&source, &expectations.options());
        let Some(global) = global else { panic!("{}", super::rendered(&source, &diagnostics)) };
        assert_eq!(
            expect::found(&source, &diagnostics),
            expect::expected(source.text()),
            "{}",
            source.name()
        );
        check_invariants(&global).unwrap_or_else(|broken| panic!("{}: {broken}", source.name()));
        expectations.check(&global, source.name());
        reading_the_print_changes_nothing(&source, &global);
    }
}

#[test]
fn examples_are_protocols() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = super::files(&folder, "nuscr");
    assert!(files.len() >= 3);
    for path in files {
        let source = super::read(&path);
        let (global, diagnostics) = parse(&source, &Options::default());
        let Some(global) = global else { panic!("{}", super::rendered(&source, &diagnostics)) };
        reading_the_print_changes_nothing(&source, &global);
    }
}

fn reading_the_print_changes_nothing(source: &Source, global: &GlobalType) {
    let (module, _) = parse_module(source);
    let (again, diagnostics) = parse_module(&Source::new("print", module.to_string()));
    assert!(!diag::has_errors(&diagnostics), "{module}");
    assert_eq!(again, module, "{}", source.name());

    let print = print_global(global);
    let again = super::global(&print);
    check_invariants(&again).unwrap();
    assert_eq!(print_global(&again), print, "{}", source.name());
    assert!(super::laws::same_behaviour(global, &again), "{}", source.name());
}
