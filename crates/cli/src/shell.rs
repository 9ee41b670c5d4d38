//! `lagcast completions` and `lagcast man`: made from the same definition as the command line itself.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;

use crate::output::{Answer, Failure, Outcome};

/// Print a completion script for a shell
///
/// The script completes subcommands, options and file names. Load it from the shell's start file, or save it
/// where the shell looks for completions.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lagcast completions bash > ~/.local/share/bash-completion/completions/lagcast
  lagcast completions zsh > ~/.zfunc/_lagcast")]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Print a manual page, or write all of them into a folder
///
/// Without a subcommand the page of `lagcast` itself is printed, in roff, for `man -l -`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lagcast man session cost             the page of `lagcast session cost`
  lagcast man --out man1               one file per subcommand")]
pub(crate) struct ManArguments {
    /// The subcommand whose page is wanted
    #[arg(value_name = "SUBCOMMAND", conflicts_with = "out")]
    subcommand: Vec<String>,
    /// Write all pages into this folder, which is made if need be
    #[arg(long, short, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs `lagcast completions`.
pub(crate) fn completions(arguments: &CompletionsArguments, mut definition: Command) -> Answer {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut definition, "lagcast", &mut script);
    Ok(Outcome::yes(String::from_utf8_lossy(&script)))
}

/// Runs `lagcast man`.
pub(crate) fn man(arguments: &ManArguments, definition: Command) -> Answer {
    let pages = named("lagcast".to_owned(), definition);
    match &arguments.out {
        None => one_page(&arguments.subcommand, &pages),
        Some(folder) => all_pages(folder, &pages),
    }
}

fn one_page(subcommand: &[String], pages: &[(String, Command)]) -> Answer {
    let wanted =
        std::iter::once("lagcast").chain(subcommand.iter().map(String::as_str)).collect::<Vec<_>>().join("-");
    let Some((_, command)) = pages.iter().find(|(name, _)| *name == wanted) else {
        let message = format!("there is no subcommand `{}`", wanted.replace('-', " "));
        return Err(Failure::with_help(message, "`lagcast help` lists the subcommands"));
    };
    Ok(Outcome::yes(roff(command)))
}

fn all_pages(folder: &std::path::Path, pages: &[(String, Command)]) -> Answer {
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::new(format!("cannot make the folder {}: {error}", folder.display())))?;
    let mut said = String::new();
    for (name, command) in pages {
        let path = folder.join(format!("{name}.1"));
        std::fs::write(&path, roff(command))
            .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))?;
        said.push_str(&format!("{}\n", path.display()));
    }
    Ok(Outcome::yes(said))
}

/// A command and its visible subcommands, each under the words that lead to it joined by hyphens.
fn named(name: String, command: Command) -> Vec<(String, Command)> {
    let inner: Vec<Command> =
        command.get_subcommands().filter(|c| !c.is_hide_set() && c.get_name() != "help").cloned().collect();
    let mut all = vec![(name.clone(), command.name(name.clone()))];
    for subcommand in inner {
        all.extend(named(format!("{name}-{}", subcommand.get_name()), subcommand));
    }
    all
}

fn roff(command: &Command) -> String {
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page).expect("memory takes what is written");
    String::from_utf8_lossy(&page).into_owned()
}
