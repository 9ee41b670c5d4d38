//! Reading what the user names: files as texts, protocols, cost models, settings.

mod costs;
mod protocol;
mod setting;

pub(crate) use costs::{CostArguments, Priced, origin_line};
pub(crate) use protocol::{Protocol, ProtocolArguments, parse};
pub(crate) use setting::{Given, given, parameters, share};

use std::io::Read;
use std::path::Path;

use diag::Source;

use crate::output::Failure;

/// No text that people write is larger; a larger one is a mistake (a device, a core dump).
const LARGEST: u64 = 64 << 20;

/// Reads a file, or standard input where the path is `-`, as UTF-8 text.
pub(crate) fn read(path: &Path) -> Result<Source, Failure> {
    let (name, bytes) = if path == Path::new("-") {
        ("<standard input>".to_owned(), take(std::io::stdin().lock()))
    } else {
        (path.display().to_string(), take_file(path))
    };
    let bytes = bytes.map_err(|error| unreadable(&name, path, &error))?;
    if bytes.len() as u64 > LARGEST {
        return Err(Failure::new(format!("{name} is larger than {} MiB", LARGEST >> 20)));
    }
    let text = String::from_utf8(bytes).map_err(|error| not_utf8(&name, &error))?;
    if text.trim().is_empty() {
        return Err(Failure::new(format!("{name} is empty")));
    }
    Ok(Source::new(name, text))
}

fn take_file(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = std::fs::File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    take(file)
}

/// One byte more than allowed tells a file that is too large from one that just fits.
fn take(reader: impl Read) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(name: &str, path: &Path, error: &std::io::Error) -> Failure {
    match error.kind() {
        std::io::ErrorKind::NotFound => missing(name, path),
        std::io::ErrorKind::IsADirectory => {
            Failure::with_help(format!("{name} is a folder"), "name a file in it")
        }
        _ => Failure::new(format!("cannot read {name}: {error}")),
    }
}

/// The first part of the path that does not exist is what the user mistyped.
fn missing(name: &str, path: &Path) -> Failure {
    let absent = path.ancestors().filter(|part| !part.as_os_str().is_empty() && !part.exists()).last();
    match absent.filter(|part| *part != path) {
        Some(folder) => Failure::new(format!("cannot read {name}: there is no folder {}", folder.display())),
        None => Failure::new(format!("cannot read {name}: there is no such file")),
    }
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> Failure {
    let at = error.utf8_error().valid_up_to();
    let line = 1 + error.as_bytes()[..at].iter().filter(|byte| **byte == b'\n').count();
    Failure::new(format!("{name} is not text in UTF-8: line {line}, byte {at} of the file"))
}

/// Writes a file, saying which one when that fails.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text)
        .map_err(|error| Failure::new(format!("cannot write {}: {error}", path.display())))
}
