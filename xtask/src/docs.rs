//! `cargo xtask docs`: the commands shown in the documentation, and the book.

use std::process::Command;

use crate::{Failure, no_arguments, root, setup, shell};

/// Help text.
pub const DETAILS: &str = "cargo xtask docs

Runs the tests that execute every `$ lagcast ..` line of README.md, docs/src and examples/*/README.md and
every example of the explain pages, then builds the book into docs/book when mdbook is installed.";

/// Runs the task.
///
/// # Errors
/// When a shown command does not do what the documentation says, or the book does not build.
pub fn run(arguments: &[String]) -> Result<(), Failure> {
    no_arguments(arguments)?;
    let tests = ["test", "--package", "lagcast", "--test", "docs", "--test", "explain_pages"];
    shell::execute(&mut shell::cargo(&tests))?;
    match setup::absent("mdbook") {
        Some(why) => println!("skipped: the book ({why})"),
        None => build_book()?,
    }
    Ok(())
}

/// Builds the book into `docs/book`.
///
/// # Errors
/// When mdbook says so.
pub fn build_book() -> Result<(), Failure> {
    shell::execute(Command::new("mdbook").args(["build", "docs"]).current_dir(root()))
}
