//! The expansion itself. Statements are visited from the last to the first, each given what follows it.

use std::collections::{BTreeMap, BTreeSet};

use cost::{Environment, Formula};
use diag::{Diagnostic, Span};

use super::arena::Arena;
use super::binding::Binding;
use super::parameters::Parameters;
use super::{Limits, Options};
use crate::global::{Branch, GlobalType, LoopId, NodeId, Role, RoleId};
use crate::syntax::MAX_FAULTS;
use crate::syntax::annotation::Header;
use crate::syntax::ast::{Block, Module, Name, Protocol, RoleReference, Statement, StatementKind};

/// Expands one protocol of a module whose scopes have been checked.
pub(super) fn expand(
    module: &Module,
    root: &Protocol,
    options: &Options,
    limits: Limits,
) -> (Option<GlobalType>, Vec<Diagnostic>) {
    let mut expander = Expander {
        module,
        globals: module.protocols.iter().map(|protocol| (protocol.name.text.as_str(), protocol)).collect(),
        limits,
        parameters: Parameters::new(module, root, options),
        arena: Arena::new(),
        roles: Vec::new(),
        role_names: BTreeMap::new(),
        frames: Vec::new(),
        memo: vec![Memo::new()],
        probabilities: BTreeMap::new(),
        depth: 0,
        work: 0,
        counted: false,
        aborted: false,
        diagnostics: Vec::new(),
        reported: BTreeSet::new(),
        reached: BTreeSet::new(),
    };
    let global = expander.root(root);
    (global, expander.diagnostics)
}

/// A protocol together with who plays its roles.
pub(super) type Instance = (*const Protocol, Vec<Binding>);
/// Calls already expanded in the current loop: the instance and what follows it.
pub(super) type Memo = BTreeMap<(Instance, NodeId), NodeId>;

pub(super) struct Expander<'a> {
    pub(super) module: &'a Module,
    pub(super) globals: BTreeMap<&'a str, &'a Protocol>,
    pub(super) limits: Limits,
    pub(super) parameters: Parameters,
    pub(super) arena: Arena,
    pub(super) roles: Vec<Role>,
    /// Names of the roles of the outermost protocol.
    pub(super) role_names: BTreeMap<String, RoleId>,
    pub(super) frames: Vec<Frame<'a>>,
    /// One memo per open loop: a part of a loop's body must not be entered from elsewhere.
    pub(super) memo: Vec<Memo>,
    /// Probabilities said by messages: of which node, where, and whether a branch begins with it.
    pub(super) probabilities: BTreeMap<NodeId, Probability>,
    depth: usize,
    /// Work done so far, see [`Expander::works`].
    pub(super) work: usize,
    /// Whether the repetitions around have been counted already.
    pub(super) counted: bool,
    pub(super) aborted: bool,
    pub(super) diagnostics: Vec<Diagnostic>,
    reported: BTreeSet<(&'static str, Option<Span>)>,
    /// Protocols that have been expanded.
    reached: BTreeSet<*const Protocol>,
}

/// What a message says about the branch that it begins.
pub(super) struct Probability {
    pub(super) value: Formula,
    pub(super) span: Span,
    pub(super) used: bool,
}

/// A protocol under expansion.
pub(super) struct Frame<'a> {
    pub(super) instance: Instance,
    protocol: &'a Protocol,
    /// The nested protocols in view, the innermost last.
    pub(super) visible: Vec<&'a [Protocol]>,
    pub(super) roles: BTreeMap<&'a str, Binding>,
    /// The loop that a call of the protocol by itself becomes.
    pub(super) recursion: LoopId,
    /// What follows the call.
    pub(super) exit: NodeId,
    /// The `rec`s around, the innermost last.
    loops: Vec<(&'a str, LoopId)>,
    /// Indices of `foreach` around, the innermost last.
    pub(super) indices: Vec<(&'a str, i64)>,
    /// The same for formulas.
    pub(super) environment: Environment,
}

impl<'a> Frame<'a> {
    pub(super) fn header(&self) -> Option<&'a Header> {
        self.protocol.header.as_ref().map(|header| &header.content)
    }
}

impl<'a> Expander<'a> {
    fn root(&mut self, protocol: &'a Protocol) -> Option<GlobalType> {
        self.push_frame(protocol, vec![&self.module.nested, &protocol.nested], Vec::new(), Arena::end());
        for role in protocol.roles.iter().chain(&protocol.new_roles) {
            let binding = self.declare(role)?;
            let frame = self.frame_mut();
            frame.instance.1.push(binding.as_argument());
            frame.roles.insert(&role.name.text, binding);
        }
        let root = self.body(protocol, protocol.name.at.0);
        self.report_unused_probabilities();
        let (placement, capacities) = self.deployment();
        let cores = self.frame().header().map_or(&[][..], |header| &header.cores);
        let cores = cores.iter().map(|(node, count)| (node.text.clone(), *count)).collect();
        let mut unguarded = Vec::new();
        let mut parts = std::mem::replace(&mut self.arena, Arena::new()).finish(&mut unguarded);
        unguarded.into_iter().for_each(|diagnostic| self.report(diagnostic));
        self.name_new_roles(&mut parts);
        Some(GlobalType {
            name: protocol.name.text.clone(),
            roles: std::mem::take(&mut self.roles),
            nodes: parts.nodes,
            root,
            loops: parts.loops,
            parameters: self.parameters.declared_by(&self.reached),
            capacities,
            placement,
            cores,
        })
    }

    pub(super) fn frame(&self) -> &Frame<'a> {
        self.frames.last().expect("expansion happens inside a protocol")
    }

    pub(super) fn frame_mut(&mut self) -> &mut Frame<'a> {
        self.frames.last_mut().expect("expansion happens inside a protocol")
    }

    pub(super) fn is_outermost(&self) -> bool {
        self.frames.len() == 1
    }

    /// Reports a fault once per place, however often the place is expanded.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.reported.len() < MAX_FAULTS && self.reported.insert((diagnostic.code, diagnostic.span())) {
            self.diagnostics.push(diagnostic);
        }
    }

    pub(super) fn push_frame(
        &mut self,
        protocol: &'a Protocol,
        visible: Vec<&'a [Protocol]>,
        arguments: Vec<Binding>,
        exit: NodeId,
    ) {
        self.reached.insert(std::ptr::from_ref(protocol));
        self.frames.push(Frame {
            instance: (std::ptr::from_ref(protocol), arguments),
            protocol,
            visible,
            roles: BTreeMap::new(),
            recursion: LoopId(0),
            exit,
            loops: Vec::new(),
            indices: Vec::new(),
            environment: Environment::default(),
        });
    }

    /// Expands the body of the protocol of the current frame, as a loop if it calls itself.
    pub(super) fn body(&mut self, protocol: &'a Protocol, span: Span) -> NodeId {
        let exit = self.frame().exit;
        let iterations = self.iterations(&protocol.name.text);
        let recursion = self.open_loop(&protocol.name.text, span, iterations);
        self.frame_mut().recursion = recursion;
        let body = self.block(&protocol.body, exit);
        self.close_loop(recursion, body, exit)
    }

    fn open_loop(&mut self, name: &str, span: Span, iterations: Option<Formula>) -> LoopId {
        self.memo.push(Memo::new());
        self.arena.open_loop(name, span, iterations)
    }

    fn close_loop(&mut self, id: LoopId, body: NodeId, exit: NodeId) -> NodeId {
        self.memo.pop();
        self.arena.close_loop(id, body, exit)
    }

    /// The bound of a loop: from the header of its protocol, else of the nearest caller that has one.
    fn iterations(&self, name: &str) -> Option<Formula> {
        let headers = self.frames.iter().rev().filter_map(Frame::header);
        headers.flat_map(|header| &header.iterations).find(|bound| bound.name.text == name)?.value.clone()
    }

    pub(super) fn block(&mut self, block: &'a Block, next: NodeId) -> NodeId {
        if self.depth == self.limits.depth {
            let span = block.first().map_or_else(Span::default, |statement| statement.at.0);
            let limit = self.limits.depth;
            self.aborted = true;
            self.report(
                Diagnostic::error("S120", format!("calls and blocks go more than {limit} levels deep"))
                    .at(span, "reached here")
                    .help("a protocol that calls itself with ever new roles has no finite form"),
            );
        }
        if self.aborted {
            return next;
        }
        self.depth += 1;
        let first = block.iter().rev().fold(next, |next, statement| self.statement(statement, next));
        self.depth -= 1;
        first
    }

    fn statement(&mut self, statement: &'a Statement, next: NodeId) -> NodeId {
        if self.aborted || !self.has_room(1, statement.at.0) {
            return next;
        }
        match &statement.kind {
            StatementKind::Message(message) => self.message(message, statement.at.0, next),
            StatementKind::Call(call) => self.call(call, statement.at.0, next),
            StatementKind::Rec { name, body, .. } => self.rec(name, body, statement.at.0, next),
            StatementKind::Continue { name, .. } => self.continuation(name, statement.at.0),
            StatementKind::Choice { role, branches } => self.choice(role, branches, statement.at.0, next),
            StatementKind::Foreach(foreach) => self.foreach(foreach, statement.at.0, next),
        }
    }

    fn rec(&mut self, name: &'a Name, body: &'a Block, span: Span, next: NodeId) -> NodeId {
        let iterations = self.iterations(&name.text);
        let id = self.open_loop(&name.text, span, iterations);
        self.frame_mut().loops.push((&name.text, id));
        let body = self.block(body, next);
        self.frame_mut().loops.pop();
        self.close_loop(id, body, next)
    }

    fn continuation(&mut self, name: &'a Name, span: Span) -> NodeId {
        let target = self.frame().loops.iter().rev().find(|(around, _)| *around == name.text);
        let (_, id) = *target.expect("scopes have been checked");
        self.arena.continue_loop(id, span)
    }

    fn choice(&mut self, at: &'a RoleReference, branches: &'a [Block], span: Span, next: NodeId) -> NodeId {
        let at = self.resolve(at);
        let mut expanded: Vec<Branch> = branches
            .iter()
            .rev()
            .map(|branch| {
                let first = self.block(branch, next);
                Branch { probability: self.probability(first, next), first }
            })
            .collect();
        expanded.reverse();
        match at {
            Some(at) => self.arena.choice(at, expanded, span),
            None => self.arena.fault(),
        }
    }

    /// The probability that the first message of a branch states.
    fn probability(&mut self, first: NodeId, next: NodeId) -> Option<Formula> {
        if first == next {
            return None;
        }
        let said = self.probabilities.get_mut(&self.arena.first(first))?;
        said.used = true;
        Some(said.value.clone())
    }

    fn report_unused_probabilities(&mut self) {
        for (_, said) in std::mem::take(&mut self.probabilities).into_iter().filter(|(_, said)| !said.used) {
            self.report(
                Diagnostic::error("S123", "this message begins no branch of a choice")
                    .at(said.span, "`prob` has no meaning here")
                    .help("the probability of a branch is said by its first message"),
            );
        }
    }
}
