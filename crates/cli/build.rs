//! Embeds the pages of docs/src/explain, so that `lagcast explain` needs no files.

use std::fmt::Write;
use std::path::{Path, PathBuf};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/explain");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut list = String::from("&[\n");
    for page in pages(&folder) {
        let code = page.file_stem().and_then(|stem| stem.to_str()).expect("pages have plain names");
        println!("cargo:rerun-if-changed={}", page.display());
        writeln!(list, "    ({code:?}, include_str!({page:?})),").expect("strings grow");
    }
    list.push_str("]\n");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    std::fs::write(out.join("pages.rs"), list).expect("OUT_DIR is writable");
}

/// The pages called like a code (`S001.md`), sorted; none where the folder is missing.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut pages: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| is_page(path)).collect();
    pages.sort();
    pages.iter().map(|page| page.canonicalize().expect("the page exists")).collect()
}

fn is_page(path: &Path) -> bool {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let code = stem.len() == 4 && stem.starts_with(|c: char| c.is_ascii_uppercase());
    code && stem[1..].bytes().all(|b| b.is_ascii_digit()) && path.extension().is_some_and(|kind| kind == "md")
}
