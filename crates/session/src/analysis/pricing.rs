//! Charges priced by a cost model. Whatever has no price is an error that names it: never 0.

use std::collections::BTreeMap;

use cost::{Environment, Estimate, Formula, PriceError, PriceList, Request};
use diag::{Diagnostic, Span};

use super::charges::{Charge, Charges, Vocabulary};
use crate::global::{GlobalType, Interaction, RoleId};

/// The steps that a price list tells apart.
#[must_use]
pub fn vocabulary(prices: &dyn PriceList) -> Vocabulary {
    Vocabulary { latency: prices.knows("latency"), wake: prices.knows("wake") }
}

/// The price of every charge, in the unit of the price list.
///
/// # Errors
/// S301 parameters without a value, S302 messages without a size, S303 operations without a price,
/// S304 requests outside a model's validity, S307 costs that are no time. All of them, each parameter
/// and each pair of roles once.
pub fn price(
    global: &GlobalType,
    charges: &Charges,
    environment: &Environment,
    prices: &dyn PriceList,
) -> Result<Vec<Estimate>, Vec<Diagnostic>> {
    let scales_compute = prices.knows("compute");
    let mut nodes = vec![None; if global.placement.is_empty() { 0 } else { global.roles.len() }];
    for (role, node) in &global.placement {
        nodes[role.index()] = Some(node.as_str());
    }
    let mut pricing = Pricing { global, nodes, environment, prices, scales_compute, faults: BTreeMap::new() };
    let list = charges.list.iter().map(|charge| pricing.charge(charge)).collect();
    let mut faults: Vec<Diagnostic> = pricing.faults.into_values().collect();
    diag::sort(&mut faults);
    if faults.is_empty() { Ok(list) } else { Err(faults) }
}

/// The value of a size or cost of an interaction; `what` says which: `the size of`.
///
/// # Errors
/// S301 for a parameter without a value, S307 for a value that is negative or cannot be computed.
pub(crate) fn amount(
    interaction: &Interaction,
    formula: &Formula,
    what: &str,
    environment: &Environment,
) -> Result<f64, Diagnostic> {
    let label = &interaction.label;
    let (code, message, help) = match formula.evaluate(environment) {
        Ok(value) if value >= 0.0 => return Ok(value),
        Ok(value) => (
            "S307",
            format!("{what} `{label}` would be {value}, which is negative"),
            "sizes and costs are not negative: check the formula and the parameters".to_owned(),
        ),
        Err(cost::FormulaError::Unbound(name)) => (
            "S301",
            format!("the parameter `{name}` has no value"),
            format!("set it with `--set {name}=VALUE`, or give it a default: @\"param {name}=..\""),
        ),
        Err(cause) => (
            "S307",
            format!("{what} `{label}` cannot be computed: {cause}"),
            "check the formula and the parameters".to_owned(),
        ),
    };
    Err(Diagnostic::error(code, message)
        .at(interaction.span, format!("`{formula}` is needed here"))
        .help(help))
}

/// How many names a role goes by, and the names: its own, and its node's where it is placed.
type Names<'a> = (usize, [&'a str; 2]);

struct Pricing<'a> {
    global: &'a GlobalType,
    /// The node of each role; empty if no role is placed.
    nodes: Vec<Option<&'a str>>,
    environment: &'a Environment,
    prices: &'a dyn PriceList,
    scales_compute: bool,
    /// By what is wrong, so that each thing is said once, at its first use.
    faults: BTreeMap<String, Diagnostic>,
}

impl Pricing<'_> {
    /// The price, or 0 beside a fault that makes the whole list an error.
    fn charge(&mut self, charge: &Charge) -> Estimate {
        let priced =
            if charge.kind.is_computation() { self.computation(charge) } else { self.transport(charge) };
        match priced {
            Ok(estimate) => estimate,
            Err(fault) => {
                self.faults.entry(fault.message.clone()).or_insert(fault);
                Estimate::default()
            }
        }
    }

    fn transport(&self, charge: &Charge) -> Result<Estimate, Diagnostic> {
        let size = match &charge.amount {
            Some(formula) => Some(self.number(charge, formula, "the size of")?),
            None => None,
        };
        self.ask(charge, size, &[])
    }

    fn computation(&self, charge: &Charge) -> Result<Estimate, Diagnostic> {
        let formula = charge.amount.as_ref().expect("computations carry their time");
        let work = self.number(charge, formula, "the cost of")?;
        if self.scales_compute {
            self.ask(charge, None, &[("work", work)])
        } else {
            Ok(Estimate::exactly(work))
        }
    }

    fn number(&self, charge: &Charge, formula: &Formula, what: &str) -> Result<f64, Diagnostic> {
        amount(self.global.interaction(charge.site), formula, what, self.environment)
    }

    fn ask(
        &self,
        charge: &Charge,
        size: Option<f64>,
        variables: &[(&str, f64)],
    ) -> Result<Estimate, Diagnostic> {
        let (sender, receiver) = (self.names(charge.from), self.names(charge.to));
        // A computation has one party: the role that computes.
        let computing = self.names(charge.payer());
        let (from, to) = if charge.kind.is_computation() {
            (&computing.1[..computing.0], &[][..])
        } else {
            (&sender.1[..sender.0], &receiver.1[..receiver.0])
        };
        let mut request = Request::new(charge.kind.operation(), from, to).with_variables(variables);
        request.size = size;
        self.prices.price(&request).map_err(|error| self.fault(charge, &error))
    }

    fn names(&self, role: RoleId) -> Names<'_> {
        let name = self.global.role_name(role);
        let node = self.nodes.get(role.index()).copied().flatten();
        (if node.is_some() { 2 } else { 1 }, [name, node.unwrap_or(name)])
    }

    fn label(&self, charge: &Charge) -> &str {
        &self.global.interaction(charge.site).label
    }

    fn span(&self, charge: &Charge) -> Span {
        self.global.interaction(charge.site).span
    }

    fn fault(&self, charge: &Charge, error: &PriceError) -> Diagnostic {
        let (code, help) = match error {
            PriceError::Missing { operation, from, to, .. } => (
                "S303",
                format!(
                    "add an [[operation]] with name = \"{operation}\", from = \"{from}\", to = \"{to}\" (or \"*\") to a cost model"
                ),
            ),
            PriceError::NoSize { .. } => (
                "S302",
                format!(
                    "say how large `{}` is: @\"size=..\" after the message, or `sizeof` of its payload in the header",
                    self.label(charge)
                ),
            ),
            PriceError::OutOfRange { .. } => {
                ("S304", "calibrate for this range, or use a cost model that covers it".to_owned())
            }
            PriceError::NoValue { .. } => ("S304", "check the entry of the cost model".to_owned()),
        };
        Diagnostic::error(code, error.to_string()).at(self.span(charge), "needed here").help(help)
    }
}
