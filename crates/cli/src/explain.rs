//! `lagcast explain`: the page of a diagnostic code.

use clap::Args;
use serde_json::json;

use crate::output::{Answer, Failure, Outcome, TextOrJson, document};

/// Code and page, sorted by code; written by build.rs from docs/src/explain.
static PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// Print the page of a diagnostic code, or list all codes
///
/// Every diagnostic carries a code such as S001. Its page says what it means and why the text is refused,
/// with an example that gets the diagnostic and one that is mended. Without a code, all codes are listed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  lagcast explain S001                 the page of S001
  lagcast explain --format json        all codes and titles, for scripts")]
pub(crate) struct ExplainArguments {
    /// The code, such as S001
    #[arg(value_name = "CODE")]
    code: Option<String>,
    /// Form of the output
    #[arg(long, value_enum, default_value_t, value_name = "FORM")]
    format: TextOrJson,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &ExplainArguments) -> Answer {
    match &arguments.code {
        None => Ok(Outcome::yes(list(arguments.format))),
        Some(code) => page(code, arguments.format),
    }
}

fn list(format: TextOrJson) -> String {
    match format {
        TextOrJson::Text => PAGES.iter().map(|(code, page)| format!("{code}  {}\n", title(page))).collect(),
        TextOrJson::Json => {
            document(&PAGES.iter().map(|(code, page)| json!({"code": code, "title": title(page)})).collect())
        }
    }
}

fn page(code: &str, format: TextOrJson) -> Answer {
    let wanted = code.trim().to_ascii_uppercase();
    let Some((code, page)) = PAGES.iter().find(|(known, _)| *known == wanted) else {
        return Err(unknown(code, &wanted));
    };
    Ok(Outcome::yes(match format {
        TextOrJson::Text => (*page).to_owned(),
        TextOrJson::Json => document(&json!({"code": code, "title": title(page), "page": page})),
    }))
}

/// The words after `# CODE: ` on the first line of a page.
fn title(page: &str) -> &str {
    let first = page.lines().next().unwrap_or_default();
    first.split_once(": ").map_or(first, |(_, title)| title)
}

fn unknown(code: &str, wanted: &str) -> Failure {
    let message = format!("there is no diagnostic code `{code}`");
    match PAGES.iter().map(|(known, _)| *known).min_by_key(|known| distance(known, wanted)) {
        Some(near) => {
            Failure::with_help(message, format!("the nearest is {near}; `lagcast explain` lists all codes"))
        }
        None => Failure::new(message),
    }
}

/// Codes are a letter and a number: another letter is farther away than any number.
fn distance(known: &str, wanted: &str) -> (bool, u64) {
    let number = |code: &str| {
        code.chars().filter(char::is_ascii_digit).take(9).collect::<String>().parse().unwrap_or(0)
    };
    let (here, there): (u64, u64) = (number(known), number(wanted));
    (known.chars().next() != wanted.chars().next(), here.abs_diff(there))
}
