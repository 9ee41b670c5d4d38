//! `--costs MODEL.toml`: cost models in layers.

use std::path::{Path, PathBuf};

use clap::Args;
use cost::{Model, Origin, Prices};
use rig::Placement;
use serde_json::{Value, json};
use session::plan::Plan;

use crate::output::{Failure, show};

/// Options of every subcommand that prices something.
#[derive(Debug, Args)]
pub(crate) struct CostArguments {
    /// Cost model that prices sending, receiving and computing; repeatable, later files win
    #[arg(long, short, value_name = "MODEL.toml")]
    pub(crate) costs: Vec<PathBuf>,
}

/// Prices with where they came from.
#[derive(Debug)]
pub(crate) struct Priced {
    /// The layers.
    pub(crate) prices: Prices,
    /// Where they came from, the last one on top.
    pub(crate) origins: Vec<Origin>,
}

impl CostArguments {
    /// Reads all models; `None` if no `--costs` was given.
    pub(crate) fn read(&self) -> Result<Option<Priced>, Failure> {
        if self.costs.is_empty() {
            return Ok(None);
        }
        let models = self.costs.iter().map(|path| model(path)).collect::<Result<Vec<Model>, Failure>>()?;
        Priced::layered(models).map(Some)
    }

    /// Reads all models; without `--costs` the failure says what `command` needs them for.
    pub(crate) fn required(&self, command: &str) -> Result<Priced, Failure> {
        self.read()?.ok_or_else(|| {
            Failure::with_help(
                format!("{command} needs a cost model"),
                "name one with --costs MODEL.toml; `lagcast calibrate transport --pin --awake -o MODEL.toml` measures one",
            )
        })
    }
}

impl Priced {
    /// Layers models, the later over the earlier.
    pub(crate) fn layered(models: Vec<Model>) -> Result<Self, Failure> {
        let prices = Prices::new(models).map_err(|diagnostics| {
            // What cannot be layered has no place in any one of the files.
            let messages: Vec<&str> = diagnostics.iter().map(|one| one.message.as_str()).collect();
            let help = diagnostics.first().and_then(|one| one.help.first()).cloned();
            Failure::with_help(messages.join("; "), help.unwrap_or_default())
        })?;
        Ok(Self { origins: prices.origins(), prices })
    }

    /// The same with prices between roles that share a core where `placement` puts two roles on one, as far
    /// as the models have such prices (those of pinned calibrations do).
    pub(crate) fn placed(&self, plan: &Plan, placement: &Placement) -> Result<Self, Failure> {
        let cores = placement
            .cores(plan.roles.len())
            .map_err(|error| Failure::new(format!("cannot tell the cores of this process: {error}")))?;
        Self::layered(
            self.prices.models().iter().map(|model| rig::share_cores(model, plan, &cores)).collect(),
        )
    }

    /// One line per model: `tcp-loopback: measured, 2 cores, 2026-11-30`.
    pub(crate) fn lines(&self) -> Vec<String> {
        self.origins.iter().map(origin_line).collect()
    }

    /// The models for JSON documents.
    pub(crate) fn to_json(&self) -> Value {
        json!(self.origins)
    }
}

/// Where the numbers of a model come from, in one line.
pub(crate) fn origin_line(origin: &Origin) -> String {
    let known = [origin.environment.as_deref(), origin.date.as_deref()];
    let mut parts = vec![origin.source.word()];
    parts.extend(known.into_iter().flatten());
    format!("{}: {}", origin.model, parts.join(", "))
}

/// Reads one model. Its sample files are named relative to its own folder.
fn model(path: &Path) -> Result<Model, Failure> {
    let source = super::read(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut samples = |name: &str| -> Result<String, String> {
        super::read(&folder.join(name))
            .map(|file| file.text().to_owned())
            .map_err(|failure| failure.sentence())
    };
    let (model, diagnostics) = Model::parse_with(&source, &mut samples);
    match model {
        Some(model) => {
            show(&source, &diagnostics);
            Ok(model)
        }
        None => Err(Failure::Text(Box::new(source), diagnostics)),
    }
}
