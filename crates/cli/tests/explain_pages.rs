//! Executes the explain pages: on every page of docs/src/explain the failing example gets the page's code
//! and the mended one does not, nor any error where the failing one had it.
//!
//! The first word after the fence says what an example is: `protocol`, `json-protocol`, `cost-model` or
//! `formula`; the second one `fails` or `works`. Further words set something: `n=4` a parameter,
//! `iterations=5` the outermost loops, `protocol=P` which protocol of the file, `loop=X` the loop asked
//! about. A `cost-model` block without a second word prices the protocols below it.

mod markdown;

use std::collections::BTreeMap;
use std::path::Path;

use cost::{Formula, Model, PriceList, Prices};
use diag::{Diagnostic, Source};
use markdown::{Fence, fences, pages_under, root};
use session::{GlobalType, Options, Setting};

/// What the words after `fails` or `works` set.
#[derive(Debug, Default)]
struct Wanted {
    options: Options,
    setting: Setting,
    repeated: Option<String>,
}

/// What each step said about an example, in order of the steps.
type Said = Vec<(&'static str, Vec<Diagnostic>)>;

#[test]
fn every_page_fails_and_is_mended_as_it_says() {
    let pages: Vec<_> = pages_under(&root().join("docs/src/explain"));
    let pages: Vec<_> = pages.iter().filter(|page| !page.ends_with("README.md")).collect();
    assert!(!pages.is_empty(), "there are no explain pages");
    let faults: Vec<String> = pages.iter().flat_map(|page| check(page)).collect();
    assert!(faults.is_empty(), "\n{}", faults.join("\n\n"));
}

fn check(path: &Path) -> Vec<String> {
    let code = path.file_stem().expect("a page has a name").to_string_lossy();
    let page = std::fs::read_to_string(path).expect("the page is readable");
    check_page(&code, &page).into_iter().map(|fault| format!("docs/src/explain/{code}.md:{fault}")).collect()
}

fn check_page(code: &str, page: &str) -> Vec<String> {
    let mut faults = Vec::new();
    let (mut failing, mut mended) = (0, 0);
    let mut prices = None;
    // The step that gave the code in the failing example; the mended one must have no error there.
    let mut step = None;
    for fence in fences(page) {
        let words: Vec<&str> = fence.info.split_whitespace().collect();
        match (words.first().copied(), words.get(1).copied()) {
            (Some("cost-model"), None) => prices = Some(fence.text.clone()),
            (Some(kind), Some("fails")) => {
                failing += 1;
                let said = say(kind, &fence, &words[2..], prices.as_deref());
                step =
                    said.iter().find(|(_, list)| list.iter().any(|d| d.code == code)).map(|(step, _)| *step);
                if step.is_none() {
                    faults.push(format!(
                        "{}: this example does not give {code} but {}",
                        fence.line,
                        summary(&said)
                    ));
                }
            }
            (Some(kind), Some("works")) => {
                mended += 1;
                let said = say(kind, &fence, &words[2..], prices.as_deref());
                faults.extend(not_mended(code, step, &said).map(|fault| format!("{}: {fault}", fence.line)));
            }
            _ => {}
        }
    }
    if failing == 0 || mended == 0 {
        faults.push(format!(
            "1: a page has a failing and a mended example; this one has {failing} and {mended}"
        ));
    }
    faults
}

/// What is wrong with a mended example.
fn not_mended(code: &str, step: Option<&str>, said: &Said) -> Option<String> {
    let still = said.iter().any(|(_, list)| list.iter().any(|d| d.code == code));
    // A step beyond reading and projecting counts only if it is the one the page is about: a protocol
    // without a loop has no latency, and nothing is wrong with that.
    let counts = |name: &str| ["read", "project"].contains(&name) || Some(name) == step;
    let errors = said.iter().any(|(name, list)| counts(name) && diag::has_errors(list));
    (still || errors).then(|| format!("this example is not mended: {}", summary(said)))
}

fn summary(said: &Said) -> String {
    let lines: Vec<String> = said
        .iter()
        .flat_map(|(step, list)| list.iter().map(move |d| format!("{step}: {} {}", d.code, d.message)))
        .collect();
    if lines.is_empty() { "nothing is said".to_owned() } else { lines.join("; ") }
}

/// Takes an example through all steps that it can go through.
fn say(kind: &str, fence: &Fence, words: &[&str], model: Option<&str>) -> Said {
    let source = Source::new("example", fence.text.as_str());
    let wanted = wanted(words);
    match kind {
        "formula" => vec![("read", Formula::parse(fence.text.trim_end(), 0).err().unwrap_or_default())],
        "cost-model" => cost_model(&source),
        "protocol" => analysed(session::parse(&source, &wanted.options), &wanted, model),
        "json-protocol" => analysed(session::parse_json(&source, &wanted.options), &wanted, model),
        other => panic!("line {}: no kind of example is called `{other}`", fence.line),
    }
}

fn cost_model(source: &Source) -> Said {
    let (model, said) = Model::parse(source);
    let layered = model.map(|model| Prices::new(vec![model]).err().unwrap_or_default());
    vec![("read", said), ("layer", layered.unwrap_or_default())]
}

fn wanted(words: &[&str]) -> Wanted {
    let mut wanted = Wanted::default();
    for word in words {
        let (name, value) = word.split_once('=').expect("words after `fails` and `works` read NAME=VALUE");
        match name {
            "protocol" => wanted.options.protocol = Some(value.to_owned()),
            "loop" => wanted.repeated = Some(value.to_owned()),
            "iterations" => wanted.setting.iterations = Some(value.parse().expect("a whole number")),
            _ => {
                let value = value.parse().expect("a number");
                wanted.options.parameters.insert(name.to_owned(), value);
                wanted.setting.values.insert(name.to_owned(), value);
            }
        }
    }
    wanted
}

fn analysed(read: (Option<GlobalType>, Vec<Diagnostic>), wanted: &Wanted, model: Option<&str>) -> Said {
    let (global, said) = read;
    let mut steps = vec![("read", said)];
    let Some(global) = global else { return steps };
    let (locals, said) = session::project(&global);
    let well_formed = !diag::has_errors(&said);
    steps.push(("project", said));
    let prices = model.map(prices);
    let list = prices.as_ref().map(|prices| prices as &dyn PriceList);
    let cost = session::cost(&global, list, &wanted.setting);
    steps.push(("cost", cost.map_or_else(|faults| faults, |report| report.warnings)));
    if let Some(prices) = list {
        let latency = session::latency(&global, prices, &wanted.setting, wanted.repeated.as_deref());
        steps.push(("latency", latency.map_or_else(|faults| faults, |report| report.warnings)));
    }
    if well_formed {
        let unit = list.map_or(cost::Unit::Seconds, PriceList::unit);
        let plan = session::plan(&global, &locals, &wanted.setting, unit, 0);
        steps.push(("plan", plan.map_or_else(|faults| faults, |(_, warnings)| warnings)));
    }
    steps
}

fn prices(text: &str) -> Prices {
    let (model, diagnostics) = Model::parse(&Source::new("cost model", text));
    assert!(!diag::has_errors(&diagnostics), "the page's cost model has faults: {diagnostics:?}");
    Prices::new(vec![model.expect("a model without errors")]).expect("one model has one unit")
}

#[test]
fn a_page_that_lies_is_found() {
    let page = "# S001: title\n```protocol fails\nglobal protocol P(role A, role B) { M() from A to B; }\n```\n\
                ```formula works\n1 +\n```\n";
    let faults = check_page("S001", page);
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert_eq!(check_page("S001", "# S001: title\n").len(), 1);
}

#[test]
fn words_after_the_fence_are_read() {
    let wanted = wanted(&["n=4", "iterations=5", "protocol=P"]);
    assert_eq!(wanted.options.parameters, BTreeMap::from([("n".to_owned(), 4.0)]));
    assert_eq!((wanted.setting.iterations, wanted.options.protocol.as_deref()), (Some(5), Some("P")));
}
