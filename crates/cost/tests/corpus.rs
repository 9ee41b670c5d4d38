//! Cost models with what must be said about them (`faulty/`) or the prices they must give (`good/`)
//! inside the files.
#![allow(clippy::disallowed_methods, reason = "tests read their corpus themselves")]

use std::fs;
use std::path::PathBuf;

use cost::{Model, PriceList, Prices, Request, Unit};
use diag::{Colour, Source, expect, render};

fn corpus(folder: &str) -> Vec<(PathBuf, Source)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/cost").join(folder);
    let entries = fs::read_dir(&folder).expect("the corpus folder exists");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_name().expect("file").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("readable file");
        (path, Source::new(name, text))
    };
    paths.into_iter().map(read).collect()
}

#[test]
fn faulty_models_get_the_diagnostics_they_expect() {
    let corpus = corpus("faulty");
    assert!(corpus.len() >= 14, "only {} faulty cost models", corpus.len());
    let mut wrong = String::new();
    for (_, source) in &corpus {
        let (model, diagnostics) = Model::parse(source);
        let (expected, found) = (expect::expected(source.text()), expect::found(source, &diagnostics));
        assert!(!expected.is_empty(), "{}: expects nothing", source.name());
        assert_eq!(model.is_none(), diag::has_errors(&diagnostics), "{}", source.name());
        if expected != found {
            let shown = render(source, &diagnostics, Colour::Plain);
            wrong += &format!("{}: expected {expected:?}, found {found:?}\n{shown}\n", source.name());
        }
        for diagnostic in &diagnostics {
            assert!(!diagnostic.help.is_empty(), "{}: {} without help", source.name(), diagnostic.code);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Every code that a cost model can get is shown by some file.
#[test]
fn the_corpus_covers_the_codes() {
    let codes: std::collections::BTreeSet<String> = corpus("faulty")
        .iter()
        .flat_map(|(_, source)| expect::expected(source.text()))
        .map(|(_, code)| code)
        .collect();
    let all = (1..=22).map(|n| format!("C{n:03}")).chain((101..=109).map(|n| format!("C{n}")));
    // C107 needs a text of thousands of bytes: tests/formula.rs.
    let missing: Vec<String> = all.filter(|code| code != "C107" && !codes.contains(code)).collect();
    assert!(missing.is_empty(), "no faulty cost model shows {missing:?}");
}

/// Good models carry lines `#= operation [FROM[>TO]] [variable=value].. : min mean max` (in the model's
/// unit, or `.. : refused`).
#[test]
fn good_models_give_the_prices_they_state() {
    let corpus = corpus("good");
    assert!(!corpus.is_empty());
    for (path, source) in corpus {
        let mut files =
            |name: &str| fs::read_to_string(path.with_file_name(name)).map_err(|error| error.to_string());
        let (model, diagnostics) = Model::parse_with(&source, &mut files);
        assert!(diagnostics.is_empty(), "{}", render(&source, &diagnostics, Colour::Plain));
        let model = model.expect("no diagnostics, so a model");
        let prices = Prices::new(vec![model.clone()]).expect("one unit");
        let mut stated = 0;
        for line in source.text().lines().filter_map(|line| line.strip_prefix("#=")) {
            check_price(&prices, line, source.name());
            stated += 1;
        }
        assert!(stated > 0, "{} states no price", source.name());
        assert_eq!(reread(&model), model, "{}", source.name());
    }
}

fn check_price(prices: &Prices, line: &str, file: &str) {
    let (question, answer) = line.split_once(" : ").expect("a colon before the answer");
    let mut words = question.split_whitespace();
    let operation = words.next().expect("an operation");
    let (mut from, mut to) = (Vec::new(), Vec::new());
    let (mut variables, mut attributes) = (Vec::new(), Vec::new());
    for word in words {
        match word.split_once('=') {
            Some((name, value)) => match value.parse::<f64>() {
                Ok(number) => variables.push((name, number)),
                Err(_) => attributes.push((name, value)),
            },
            None => {
                let (sender, receiver) = word.split_once('>').unwrap_or((word, ""));
                from.extend(sender.split('@'));
                to.extend(receiver.split('@').filter(|name| !name.is_empty()));
            }
        }
    }
    let request = Request::new(operation, &from, &to).with_variables(&variables).with_attributes(&attributes);
    let price = prices.price(&request);
    if answer.trim() == "refused" {
        assert!(price.is_err(), "{file}: {line}: {price:?}");
        return;
    }
    let price = price.unwrap_or_else(|error| panic!("{file}: {line}: {error}"));
    let wanted: Vec<f64> = answer.split_whitespace().map(|word| word.parse().expect("a number")).collect();
    assert_eq!(wanted.len(), 3, "{file}: {line}");
    for (got, wanted) in price.lanes().into_iter().zip(wanted) {
        assert!((got - wanted).abs() <= 1e-9 * wanted.abs(), "{file}: {line}: {price:?}");
    }
}

fn reread(model: &Model) -> Model {
    let source = Source::new("written", model.to_toml());
    let (again, diagnostics) = Model::parse(&source);
    again.unwrap_or_else(|| panic!("{}", render(&source, &diagnostics, Colour::Plain)))
}

/// The models that come with the program are without fault, and say where their numbers come from.
#[test]
fn shipped_models_are_without_fault() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the folder of shipped models") {
        let path = entry.expect("readable entry").path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let source = Source::new(path.to_string_lossy(), fs::read_to_string(&path).expect("readable file"));
        let (model, diagnostics) = Model::parse(&source);
        assert!(diagnostics.is_empty(), "{}", render(&source, &diagnostics, Colour::Plain));
        let model = model.expect("no diagnostics, so a model");
        assert!(model.environment.is_some() && model.comment.is_some(), "{}: no provenance", source.name());
        let prices = Prices::new(vec![model]).expect("one unit");
        assert_eq!(prices.unit(), Unit::Seconds);
        assert!(prices.knows("send") && prices.knows("recv"), "{}", source.name());
        count += 1;
    }
    assert!(count >= 3);
}
