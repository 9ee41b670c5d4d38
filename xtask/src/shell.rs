//! Starting other programs.

use std::process::{Command, Stdio};

use crate::{Failure, root};

/// `cargo` with the given arguments, to be run in the workspace's root.
#[must_use]
pub fn cargo(arguments: &[&str]) -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    command
}

/// Runs a program to its end, its output going to the terminal.
///
/// # Errors
/// When it cannot be started or ends with another status than 0.
pub fn execute(command: &mut Command) -> Result<(), Failure> {
    let shown = shown(command);
    eprintln!("$ {shown}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Failure(format!("`{shown}` ended with {status}"))),
        Err(error) => Err(Failure(format!("`{shown}` could not be started: {error}"))),
    }
}

/// Runs a program to its end and gives its standard output; its standard error goes to the terminal.
///
/// # Errors
/// When it cannot be started or ends with another status than 0.
pub fn output(command: &mut Command) -> Result<String, Failure> {
    let shown = shown(command);
    let output = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| Failure(format!("`{shown}` could not be started: {error}")))?;
    if !output.status.success() {
        return Err(Failure(format!("`{shown}` ended with {}", output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Whether a program can be started: its name is a file in one of the folders of PATH.
#[must_use]
pub fn exists(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    let words = std::iter::once(name).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}
