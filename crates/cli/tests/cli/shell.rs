use crate::support::Desk;

#[test]
fn completions_for_every_shell() {
    let desk = Desk::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = desk.quietly(&format!("completions {shell}"));
        assert!(script.contains("lagcast") && script.contains("latency"), "{shell}");
        assert!(!script.contains("\"play-role\"") || shell != "bash", "{shell}");
    }
    assert_eq!(desk.run("completions tcsh").status, 2);
}

#[test]
fn manual_pages() {
    let desk = Desk::new();
    assert!(desk.quietly("man").starts_with(".ie"), "roff");
    let page = desk.quietly("man session cost");
    assert!(page.contains("lagcast\\-session\\-cost") && page.contains("iterations"), "{page}");
    assert!(!desk.quietly("man").contains("play\\-role"), "hidden subcommands stay hidden");
    let ran = desk.run("man nothing");
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("no subcommand `lagcast nothing`"), "{}", ran.err);
    let list = desk.quietly("man --out pages");
    assert!(list.lines().count() >= 10, "{list}");
    for file in list.lines() {
        assert!(desk.read(file).contains(".TH"), "{file}");
    }
}

#[test]
fn help_teaches_and_version_tells() {
    let desk = Desk::new();
    let help = desk.quietly("--help");
    for word in ["session", "calibrate", "compare", "demo", "explain", "completions", "man", "Exit status"] {
        assert!(help.contains(word), "{word} in {help}");
    }
    assert!(!help.contains("play-role"));
    assert!(desk.quietly("session cost --help").contains("Examples:"));
    assert!(desk.quietly("--version").starts_with("lagcast 0."));
}
