//! Protocols with faults: exactly the diagnostics that their comments expect.

use diag::{Source, expect};
use session::{Options, parse};

#[test]
fn faulty_protocols_are_refused_with_the_expected_diagnostics() {
    let files = super::files(&super::own_corpus("faulty"), "nuscr");
    assert!(files.len() >= 24);
    let mut unexpected = String::new();
    for path in files {
        let source = super::read(&path);
        let (global, mut diagnostics) = parse(&source, &Options::default());
        assert_eq!(global.is_none(), diag::has_errors(&diagnostics), "{}", source.name());
        if let Some(global) = global {
            diagnostics.extend(session::project(&global).1);
        }
        let (wanted, found) = (expect::expected(source.text()), expect::found(&source, &diagnostics));
        if wanted != found {
            let report = super::rendered(&source, &diagnostics);
            unexpected += &format!("{}: wanted {wanted:?}\nfound {found:?}\n{report}\n", source.name());
        }
    }
    assert!(unexpected.is_empty(), "{unexpected}");
}

#[test]
fn a_protocol_that_is_not_there_is_missed() {
    let source =
        Source::new("test", "protocol First(role A, role B) { } protocol Second(role A, role B) { }");
    let options = Options { protocol: Some("Frist".to_owned()), ..Options::default() };
    let (global, diagnostics) = parse(&source, &options);
    assert!(global.is_none());
    assert_eq!(super::codes(&diagnostics), ["S103"]);
    assert_eq!(diagnostics[0].help, ["did you mean `First`?"]);
}
