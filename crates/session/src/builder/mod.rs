//! Protocols written in Rust.
//!
//! ```
//! use cost::Formula;
//! use session::builder::ProtocolBuilder;
//!
//! let mut protocol = ProtocolBuilder::new("Stream");
//! let source = protocol.role("Source");
//! let sink = protocol.role("Sink");
//! protocol.parameter("n", Some(64.0.into())).iterations("X", 1000.0.into());
//! protocol.body().rec("X", |x| {
//!     x.choice(source, |choice| {
//!         choice.branch(|more| {
//!             more.message("Data", source, sink).size(Formula::name("n")).cost(Formula::name("c"));
//!             more.continue_with("X");
//!         });
//!         choice.branch(|stop| {
//!             stop.message("Stop", source, sink);
//!         });
//!     });
//! });
//! let global = protocol.build().unwrap();
//!
//! let text = r#"global protocol Stream(role Source, role Sink) @"param n=64; iter X=1000" {
//!   rec X {
//!     choice at Source {
//!       Data() from Source to Sink; @"size=n, cost=c"
//!       continue X;
//!     } or {
//!       Stop() from Source to Sink;
//!     }
//!   }
//! }
//! "#;
//! assert_eq!(session::print_global(&global), text);
//! ```

mod body;

use std::collections::BTreeSet;

use cost::Formula;
use diag::{Diagnostic, Span};

use crate::expand::arena::Arena;
use crate::expand::steps::{Step, lower};
use crate::global::{Capacity, GlobalType, Parameter, Role, RoleId};
use crate::syntax::not_a_name;
use diag::spelling::suggestion;

pub use body::{Body, Branches, MessageBuilder};

/// A protocol under construction.
#[derive(Debug, Clone)]
pub struct ProtocolBuilder {
    name: String,
    roles: Vec<Role>,
    parameters: Vec<Parameter>,
    iterations: Vec<(String, Formula)>,
    capacities: Vec<Capacity>,
    placement: Vec<(RoleId, String)>,
    cores: Vec<(String, u32)>,
    body: Body,
}

impl ProtocolBuilder {
    /// A protocol without roles in which nothing happens.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            roles: Vec::new(),
            parameters: Vec::new(),
            iterations: Vec::new(),
            capacities: Vec::new(),
            placement: Vec::new(),
            cores: Vec::new(),
            body: Body::default(),
        }
    }

    /// Declares a role. Its id is valid in this protocol only.
    pub fn role(&mut self, name: &str) -> RoleId {
        let id = RoleId(u32::try_from(self.roles.len()).expect("fewer than 2^32 roles are declared"));
        self.roles.push(Role { name: name.to_owned(), span: Span::default() });
        id
    }

    /// Declares a parameter.
    pub fn parameter(&mut self, name: &str, default: Option<Formula>) -> &mut Self {
        self.parameters.push(Parameter { name: name.to_owned(), default, span: Span::default() });
        self
    }

    /// Says how often the loops of this name run.
    pub fn iterations(&mut self, name: &str, count: Formula) -> &mut Self {
        self.iterations.push((name.to_owned(), count));
        self
    }

    /// Bounds a channel to so many messages; at least 1.
    pub fn capacity(&mut self, from: RoleId, to: RoleId, slots: u32) -> &mut Self {
        self.capacities.push(Capacity { from, to, slots: slots.max(1), span: Span::default() });
        self
    }

    /// Places a role on a node of a deployment.
    pub fn place(&mut self, role: RoleId, node: &str) -> &mut Self {
        self.placement.push((role, node.to_owned()));
        self
    }

    /// Says how many cores a node has.
    pub fn cores(&mut self, node: &str, count: u32) -> &mut Self {
        self.cores.push((node.to_owned(), count));
        self
    }

    /// What happens, to be added to.
    pub fn body(&mut self) -> &mut Body {
        &mut self.body
    }

    /// The global type.
    ///
    /// # Errors
    /// Everything that is wrong: S022 (a word that is no name), S101 (a role of another protocol),
    /// S102 (a role declared twice), S106, S107, S108, S110, S120, S121.
    pub fn build(mut self) -> Result<GlobalType, Vec<Diagnostic>> {
        let mut diagnostics = Vec::new();
        self.check(&mut diagnostics);
        let mut arena = Arena::new();
        let root = lower(std::mem::take(&mut self.body).steps, &mut arena, &mut diagnostics);
        let parts = arena.finish(&mut diagnostics);
        diagnostics.iter_mut().for_each(|diagnostic| diagnostic.labels.clear());
        diag::sort(&mut diagnostics);
        if !diagnostics.is_empty() {
            return Err(diagnostics);
        }
        self.placement.sort();
        Ok(GlobalType {
            name: self.name,
            roles: self.roles,
            nodes: parts.nodes,
            root,
            loops: parts.loops,
            parameters: self.parameters,
            capacities: self.capacities,
            placement: self.placement,
            cores: self.cores,
        })
    }

    fn check(&mut self, diagnostics: &mut Vec<Diagnostic>) {
        let mut names = BTreeSet::new();
        check_name(&self.name, diagnostics);
        for role in &self.roles {
            check_name(&role.name, diagnostics);
            if !names.insert(&role.name) {
                let message = format!("role `{}` is declared twice", role.name);
                diagnostics.push(Diagnostic::error("S102", message));
            }
        }
        let ends = self.capacities.iter().flat_map(|capacity| [capacity.from, capacity.to]);
        for role in ends.chain(self.placement.iter().map(|(role, _)| *role)) {
            check_role(&self.roles, role, diagnostics);
        }
        let mut loops = BTreeSet::new();
        check_steps(&mut self.body.steps, &self.roles, &self.iterations, &mut loops, diagnostics);
        let known: Vec<&str> = loops.iter().map(String::as_str).collect();
        for (name, _) in self.iterations.iter().filter(|(name, _)| !loops.contains(name)) {
            diagnostics.push(
                Diagnostic::error("S121", format!("there is no loop `{name}` here"))
                    .help(suggestion(name, &known, "loops")),
            );
        }
    }
}

/// Checks names and roles, and gives loops their bounds.
fn check_steps(
    steps: &mut [Step],
    roles: &[Role],
    bounds: &[(String, Formula)],
    loops: &mut BTreeSet<String>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for step in steps {
        match step {
            Step::Message(interaction) => {
                check_name(&interaction.label, diagnostics);
                check_role(roles, interaction.from, diagnostics);
                check_role(roles, interaction.to, diagnostics);
                if interaction.from == interaction.to {
                    let message = format!("the sender of `{}` is its receiver", interaction.label);
                    diagnostics.push(Diagnostic::error("S108", message));
                }
            }
            Step::Choice { at, branches } => {
                check_role(roles, *at, diagnostics);
                branches
                    .iter_mut()
                    .for_each(|(_, body)| check_steps(body, roles, bounds, loops, diagnostics));
            }
            Step::Rec { name, iterations, body } => {
                check_name(name, diagnostics);
                *iterations =
                    bounds.iter().find(|(bounded, _)| bounded == name).map(|(_, count)| count.clone());
                loops.insert(name.clone());
                check_steps(body, roles, bounds, loops, diagnostics);
            }
            Step::Continue(_) => {}
        }
    }
}

fn check_role(roles: &[Role], role: RoleId, diagnostics: &mut Vec<Diagnostic>) {
    if role.index() >= roles.len() {
        diagnostics.push(Diagnostic::error("S101", format!("there is no role number {} here", role.0)));
    }
}

fn check_name(name: &str, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.extend(not_a_name(name));
}
