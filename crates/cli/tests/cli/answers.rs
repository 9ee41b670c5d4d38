use crate::support::{Desk, parse};

/// Everything that measures nothing, in every form.
const COMMANDS: [&str; 8] = [
    "session check pair.nuscr",
    "session check ill.nuscr",
    "session project fork.nuscr",
    "session cost pair.nuscr",
    "session cost pair.nuscr --costs unit.toml",
    "session cost fork.nuscr --costs unit.toml",
    "session latency pair.nuscr --costs unit.toml",
    "explain",
];

fn forms(command: &str) -> &'static [&'static str] {
    match command.split_whitespace().nth(1) {
        Some("check") | None => &["text", "json"],
        Some("project") => &["text", "dot", "json"],
        _ => &["text", "json", "csv", "latex"],
    }
}

#[test]
fn the_same_question_gets_the_same_answer_to_the_byte() {
    let desk = Desk::new();
    for command in COMMANDS {
        for form in forms(command) {
            let words = format!("{command} --format {form}");
            assert_eq!(desk.run(&words), desk.run(&words), "{words}");
        }
    }
}

#[test]
fn json_is_one_document_and_nothing_else() {
    let desk = Desk::new();
    for command in COMMANDS {
        let ran = desk.run(&format!("{command} --format json"));
        parse(&ran.out);
        assert!(ran.out.ends_with('\n') && ran.status < 2, "{command}");
    }
}

#[test]
fn output_that_is_no_terminal_has_no_colours() {
    let desk = Desk::new();
    for command in COMMANDS.iter().chain(&["session cost absent.nuscr", "--help", "nonsense"]) {
        let ran = desk.run(command);
        assert!(!ran.out.contains('\u{1b}') && !ran.err.contains('\u{1b}'), "{command}");
    }
}
