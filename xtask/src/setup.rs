//! `cargo xtask setup`: what the system must have, what it may have.

use std::process::Command;

use crate::{Failure, no_arguments, shell};

/// Help text.
pub const DETAILS: &str = "cargo xtask setup

Checks for a C compiler used as linker, rustfmt and clippy. Missing Debian packages are installed with
apt-get when that is possible (as root, on a system that has apt); otherwise the task says what to
install and goes on. Optional tools are never installed: the task names those that are absent and what
they would enable.";

/// A program that the build needs, and the Debian packages that bring it.
struct Needed {
    program: &'static str,
    packages: &'static [&'static str],
}

const NEEDED: [Needed; 1] = [Needed { program: "cc", packages: &["gcc", "libc6-dev"] }];

/// A program that enables something more.
struct Optional {
    program: &'static str,
    enables: &'static str,
}

const OPTIONAL: [Optional; 3] = [
    Optional { program: "mdbook", enables: "`cargo xtask docs` builds docs/ as a book" },
    Optional {
        program: "cargo-fuzz",
        enables: "`cargo xtask fuzz` fuzzes the parsers (needs a C++ compiler too)",
    },
    Optional {
        program: "valgrind",
        enables: "`cargo xtask bench --instructions` counts instructions, whatever the machine's load",
    },
];

/// Runs the task.
///
/// # Errors
/// On unknown arguments only: what cannot be installed is said, and the caller goes on.
pub fn run(arguments: &[String]) -> Result<(), Failure> {
    no_arguments(arguments)?;
    install_missing();
    add_components();
    for absent in OPTIONAL.iter().filter(|tool| !shell::exists(tool.program)) {
        println!("optional, absent: {} (with it, {})", absent.program, absent.enables);
    }
    Ok(())
}

/// One line for each optional tool that is absent.
#[must_use]
pub fn absent(program: &str) -> Option<String> {
    let tool = OPTIONAL.iter().find(|tool| tool.program == program)?;
    (!shell::exists(program)).then(|| format!("{program} is not installed; with it, {}", tool.enables))
}

fn install_missing() {
    let missing: Vec<&str> = NEEDED
        .iter()
        .filter(|needed| !shell::exists(needed.program))
        .flat_map(|needed| needed.packages.iter().copied())
        .collect();
    if missing.is_empty() {
        println!("system packages: nothing is missing");
        return;
    }
    println!("system packages missing: {}", missing.join(" "));
    if let Err(failure) = apt_install(&missing) {
        println!("not installed ({failure}); please install: {}", missing.join(" "));
    }
}

fn apt_install(packages: &[&str]) -> Result<(), Failure> {
    if !shell::exists("apt-get") {
        return Err(Failure::because("this system has no apt-get"));
    }
    if shell::output(Command::new("id").arg("-u"))?.trim() != "0" {
        return Err(Failure::because("not running as root"));
    }
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").args(arguments);
        command
    };
    shell::execute(&mut apt(&["update", "--quiet"]))?;
    shell::execute(apt(&["install", "--yes", "--quiet", "--no-install-recommends"]).args(packages))
}

/// rustfmt and clippy come with every full toolchain; a minimal one can add them through rustup.
fn add_components() {
    for (component, program) in [("rustfmt", "cargo-fmt"), ("clippy", "cargo-clippy")] {
        if shell::exists(program)
            && shell::output(&mut shell::cargo(&[&program["cargo-".len()..], "--version"])).is_ok()
        {
            continue;
        }
        println!("toolchain component missing: {component}");
        let added = shell::execute(Command::new("rustup").args(["component", "add", component]));
        if let Err(failure) = added {
            println!("not added ({failure}); please add {component} to the Rust toolchain");
        }
    }
}
