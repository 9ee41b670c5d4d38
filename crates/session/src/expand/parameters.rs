//! Values of parameters, as far as they are known before a run: indices and bounds need them.

use std::collections::{BTreeMap, BTreeSet};

use cost::Environment;

use super::Options;
use super::scope::each_protocol;
use crate::global::Parameter;
use crate::syntax::ast::{Module, Protocol};

/// All parameters of a file. They are one name space: the header of the protocol that is expanded
/// comes first, then the others in the order of the text.
pub(super) struct Parameters {
    values: BTreeMap<String, f64>,
    declared: Vec<(*const Protocol, Parameter)>,
}

impl Parameters {
    /// Values from outside, else the defaults as far as they can be computed.
    pub(super) fn new(module: &Module, root: &Protocol, options: &Options) -> Self {
        let mut declared: Vec<(*const Protocol, Parameter)> = header_parameters(root).collect();
        each_protocol(module, &mut |protocol| declared.extend(header_parameters(protocol)));
        let mut environment = Environment { values: options.parameters.clone(), unit: None };
        let mut seen = BTreeSet::new();
        for (_, parameter) in &declared {
            if seen.insert(&parameter.name)
                && !environment.values.contains_key(&parameter.name)
                && let Some(Ok(value)) =
                    parameter.default.as_ref().map(|default| default.evaluate(&environment))
            {
                environment.values.insert(parameter.name.clone(), value);
            }
        }
        Self { values: environment.values, declared }
    }

    pub(super) fn value(&self, name: &str) -> Option<f64> {
        self.values.get(name).copied()
    }

    /// The parameters that the headers of some protocols declare, each once.
    pub(super) fn declared_by(&self, protocols: &BTreeSet<*const Protocol>) -> Vec<Parameter> {
        let mut seen = BTreeSet::new();
        let wanted = self.declared.iter().filter(|(protocol, _)| protocols.contains(protocol));
        wanted
            .filter(|(_, parameter)| seen.insert(&parameter.name))
            .map(|(_, parameter)| parameter.clone())
            .collect()
    }
}

fn header_parameters(protocol: &Protocol) -> impl Iterator<Item = (*const Protocol, Parameter)> {
    let settings = protocol.header.iter().flat_map(|header| &header.content.parameters);
    settings.map(move |setting| {
        let parameter = Parameter {
            name: setting.name.text.clone(),
            default: setting.value.clone(),
            span: setting.name.at.0,
        };
        (std::ptr::from_ref(protocol), parameter)
    })
}
