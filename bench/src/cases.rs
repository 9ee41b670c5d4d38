//! One case: read a protocol, write its equations and price it, find its latency.

use cost::{Model, PriceList, Prices};
use diag::{Colour, Diagnostic, Source};
use session::{GlobalType, Options, Setting};

use crate::measure::{median, peak_memory};
use crate::protocols;

/// What a case took and gave. Times are medians in seconds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figures {
    /// Interactions of the protocol's text after expansion.
    pub(crate) interactions: usize,
    /// From text to global type.
    pub(crate) read: f64,
    /// Equations, and the cost of each role in numbers.
    pub(crate) cost: f64,
    /// The exact latency; `None` for a protocol without a loop.
    pub(crate) latency: Option<f64>,
    /// The completion time or the latency that was computed, in seconds.
    pub(crate) answer: f64,
    /// Largest resident memory of the process in bytes.
    pub(crate) memory: Option<u64>,
}

/// The text of a case by its name: `pipeline-10000`, `butterfly-8`, `mesh-8`, `growth-1000`.
pub(crate) fn text(name: &str) -> Option<String> {
    let (family, size) = name.rsplit_once('-')?;
    let size: usize = size.parse().ok()?;
    match family {
        "pipeline" => Some(protocols::pipeline(size)),
        "butterfly" => Some(protocols::butterfly(u32::try_from(size).ok()?)),
        "mesh" => Some(protocols::mesh(size)),
        "growth" => Some(protocols::growth(size)),
        _ => None,
    }
}

/// The price list of all cases.
pub(crate) fn prices() -> Result<Prices, String> {
    let source = Source::new("cost model", protocols::COST_MODEL);
    let (model, diagnostics) = Model::parse(&source);
    let model = model.ok_or_else(|| diag::render(&source, &diagnostics, Colour::Plain))?;
    Prices::new(vec![model]).map_err(|faults| diag::render(&source, &faults, Colour::Plain))
}

/// Reads a text.
pub(crate) fn read(source: &Source) -> Result<GlobalType, String> {
    let (global, diagnostics) = session::parse(source, &Options::default());
    global.ok_or_else(|| diag::render(source, &diagnostics, Colour::Plain))
}

/// Runs a case with medians over `repeats`.
pub(crate) fn run(text: &str, repeats: usize) -> Result<Figures, String> {
    let source = Source::new("case", text);
    let prices = prices()?;
    let list: &dyn PriceList = &prices;
    // One iteration of a loop: what is timed is the analysis of the text, not the length of a run.
    let setting = Setting { iterations: Some(1), ..Setting::default() };
    let fail = |faults: Vec<Diagnostic>| diag::render(&source, &faults, Colour::Plain);
    let (read_time, global) = median(repeats, || read(&source));
    let global = global?;
    let (cost_time, cost) = median(repeats, || session::cost(&global, Some(list), &setting));
    let cost = cost.map_err(fail)?;
    let mut answer = cost.total.map_or(0.0, |total| total.mean);
    let latency = if global.loops.is_empty() {
        None
    } else {
        let (time, latency) = median(repeats, || session::latency(&global, list, &setting, None));
        answer = latency.map_err(fail)?.latency.mean;
        Some(time)
    };
    let interactions = global.interactions().count();
    Ok(Figures { interactions, read: read_time, cost: cost_time, latency, answer, memory: peak_memory() })
}
