//! One protocol, predicted and then run for real: what `session run` and `demo` have in common.

use cost::{Comparison, Estimate, Observation, Prediction, PriceList, Unit};
use rig::{Measurement, RunOptions, Summary};
use session::analysis::charges::Charges;
use session::global::LoopId;
use session::plan::{Plan, Trace, trace};

use super::prediction::{COMPLETION, PER_ITERATION, subject_of_loop, subject_of_run};
use super::timeline::{self, Course, EVENTS};
use crate::date::today;
use crate::input::{Priced, Protocol};
use crate::output::Failure;

/// A protocol made concrete, and what it should take.
pub(crate) struct Forecast<'a> {
    /// The protocol.
    pub(crate) protocol: &'a Protocol,
    /// What is run.
    pub(crate) plan: Plan,
    /// How often each loop runs.
    pub(crate) iterations: Vec<u64>,
    /// The course of the run for min, mean and max costs; `None` without a cost model.
    course: Option<[Trace; 3]>,
    /// Unit of the course.
    unit: Unit,
    /// The prices, for where the roles run; `None` without a cost model.
    pub(crate) priced: Option<Priced>,
}

/// A quantity that was measured, and predicted if there was a cost model.
pub(crate) struct Compared {
    /// What the measurement says.
    pub(crate) observation: Observation,
    /// The four numbers of the measurement, in seconds.
    pub(crate) measured: Summary,
    /// What the model says, in seconds.
    pub(crate) prediction: Option<Prediction>,
    /// The two side by side.
    pub(crate) comparison: Option<Comparison>,
}

/// Plans the run and plays it through on clocks. Nothing is measured yet.
pub(crate) fn forecast<'a>(
    protocol: &'a Protocol,
    priced: Option<&Priced>,
    options: &RunOptions,
    seed: u64,
) -> Result<Forecast<'a>, Failure> {
    let unit = priced.map_or(Unit::Seconds, |priced| priced.prices.unit());
    let global = &protocol.global;
    let (locals, diagnostics) = session::project(global);
    if diag::has_errors(&diagnostics) {
        return Err(protocol.failure(diagnostics));
    }
    let failed = |diagnostics| protocol.failure(diagnostics);
    let (plan, warnings) = session::plan(global, &locals, &protocol.setting, unit, seed).map_err(failed)?;
    protocol.show(&diagnostics);
    protocol.show(&warnings);
    let environment = protocol.setting.environment(global, Some(unit)).map_err(failed)?;
    let (iterations, _) = protocol.setting.iterations(global, &environment).map_err(failed)?;
    let priced = priced.map(|priced| priced.placed(&plan, &options.placement)).transpose()?;
    let course = priced.as_ref().map(|priced| course(protocol, &plan, priced)).transpose()?;
    Ok(Forecast { protocol, plan, iterations, course, unit, priced })
}

/// The course of the run, once for each lane, so that passes of loops have three lanes too.
fn course(protocol: &Protocol, plan: &Plan, priced: &Priced) -> Result<[Trace; 3], Failure> {
    let global = &protocol.global;
    let failed = |diagnostics| protocol.failure(diagnostics);
    let environment = protocol.setting.environment(global, Some(priced.prices.unit())).map_err(failed)?;
    let charges = Charges::new(global, session::analysis::vocabulary(&priced.prices), &environment);
    let prices = session::analysis::price(global, &charges, &environment, &priced.prices).map_err(failed)?;
    let lane = |index: usize| {
        let only: Vec<Estimate> =
            prices.iter().map(|price| Estimate::exactly(price.lanes()[index])).collect();
        trace(plan, &charges, &only, EVENTS).map_err(|deadlock| stuck(plan, &deadlock.waiting))
    };
    Ok([lane(0)?, lane(1)?, lane(2)?])
}

fn stuck(plan: &Plan, waiting: &[(usize, usize)]) -> Failure {
    let name = |role: usize| plan.roles.get(role).map_or("?", |role| role.name.as_str());
    let pairs: Vec<String> = waiting
        .iter()
        .take(5)
        .map(|(role, peer)| format!("{} waits for {}", name(*role), name(*peer)))
        .collect();
    Failure::with_help(
        format!("the run would deadlock: {}", pairs.join(", ")),
        "check the bounded channels: a capacity may be too small",
    )
}

/// Runs the plan for real.
pub(crate) fn measure(forecast: &Forecast, options: &RunOptions) -> Result<Measurement, Failure> {
    rig::run(&forecast.plan, options).map_err(|error| Failure::new(error.to_string()))
}

impl Forecast<'_> {
    /// Completion times beside the predicted one.
    pub(crate) fn completion(&self, measurement: &Measurement, tolerance: f64) -> Result<Compared, Failure> {
        let subject = subject_of_run(self.protocol, &self.iterations);
        let value = self.lanes(|trace| Some(trace.completion.mean));
        self.compare((subject, COMPLETION), value, &measurement.completion, measurement, tolerance)
    }

    /// Times per iteration beside the predicted one; `None` for a protocol without loops.
    pub(crate) fn iteration(
        &self,
        measurement: &Measurement,
        tolerance: f64,
    ) -> Result<Option<Compared>, Failure> {
        let Some(times) = measurement.iteration.as_ref().filter(|times| !times.samples.is_empty()) else {
            return Ok(None);
        };
        let subject = subject_of_loop(self.protocol, times.id);
        let value = self.lanes(|trace| self.mean_pass(trace, times.role, times.id));
        self.compare((subject, PER_ITERATION), value, &times.samples, measurement, tolerance).map(Some)
    }

    /// Mean time between passes of a loop's head at one role: what the rig measures there, too.
    fn mean_pass(&self, trace: &Trace, role: usize, id: LoopId) -> Option<f64> {
        let outermost = self.protocol.global.loops.iter().filter(|one| one.parent.is_none()).count();
        let only = outermost == 1 && self.protocol.global.loops.get(id.index())?.parent.is_none();
        let passes = trace.passes.get(role).filter(|passes| only && passes.len() > 1)?;
        Some((passes.last()? - passes.first()?) / (passes.len() - 1) as f64)
    }

    fn lanes(&self, value: impl Fn(&Trace) -> Option<f64>) -> Option<Estimate> {
        let [min, mean, max] = self.course.as_ref()?;
        Some(Estimate { min: value(min)?, mean: value(mean)?, max: value(max)? })
    }

    fn compare(
        &self,
        (subject, quantity): (String, &str),
        predicted: Option<Estimate>,
        samples: &[f64],
        measurement: &Measurement,
        tolerance: f64,
    ) -> Result<Compared, Failure> {
        let measured = Summary::of(samples).ok_or_else(|| Failure::new("the run gave no samples"))?;
        let observation = Observation {
            subject: subject.clone(),
            quantity: quantity.to_owned(),
            unit: Unit::Seconds,
            estimator: format!("measured, {} samples", samples.len()),
            value: Estimate {
                min: measured.min,
                mean: measured.mean,
                max: samples.iter().copied().fold(0.0, f64::max),
            },
            quantiles: cost::Distribution::from_samples(samples).map(|distribution| distribution.quantiles()),
            runs: samples.len() as u64,
            environment: Some(measurement.environment.clone()),
            date: Some(today()),
        };
        let prediction = predicted.map(|value| self.in_seconds(subject, quantity, value)).transpose()?;
        let comparison = prediction
            .as_ref()
            .map(|prediction| Comparison::new(prediction, &observation, tolerance))
            .transpose()
            .map_err(|error| Failure::new(error.to_string()))?;
        Ok(Compared { observation, measured, prediction, comparison })
    }

    fn in_seconds(&self, subject: String, quantity: &str, value: Estimate) -> Result<Prediction, Failure> {
        if Unit::Seconds.convert_from(1.0, self.unit).is_none() {
            return Err(Failure::with_help(
                "the cost models count in cycles, and a run is measured in seconds",
                "use a cost model in a unit of time, such as one from `lagcast calibrate transport`",
            ));
        }
        Ok(Prediction {
            subject,
            quantity: quantity.to_owned(),
            unit: Unit::Seconds,
            estimator: "the course of this very run, from min, mean and max costs".to_owned(),
            value: value.map(|lane| Unit::Seconds.convert_from(lane, self.unit).unwrap_or(f64::NAN)),
            quantiles: None,
            costs: self.priced.as_ref().map_or_else(Vec::new, |priced| priced.origins.clone()),
        })
    }

    /// The first iterations as a picture, predicted above measured.
    pub(crate) fn picture(&self, measurement: &Measurement) -> String {
        let predicted = self.course.as_ref().map_or(&[][..], |[_, mean, _]| &mean.events);
        let course = Course {
            global: &self.protocol.global,
            predicted,
            measured: &measurement.timeline,
            unit: self.unit,
        };
        let title = format!("{} over {}: how it begins", self.protocol.subject(), measurement.transport);
        let costs = self.priced.as_ref().map(Priced::lines).unwrap_or_default();
        let mut subtitle: Vec<String> = costs.into_iter().map(|line| format!("costs from {line}")).collect();
        subtitle.push(format!("measured on {}", measurement.environment));
        timeline::draw(&course, title, subtitle)
    }
}
