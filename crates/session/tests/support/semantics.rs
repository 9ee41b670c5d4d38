//! The labelled transitions of global types (rules GR1 to GR5), explored interleaving by
//! interleaving, with the cost of each trace (Definition 4.1): an oracle that shares no code with the
//! library.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

/// A global type at run time.
#[derive(Clone, Debug)]
pub enum Term {
    End,
    /// `p -> q : <t.c>. G`
    Message(Step, Box<Term>),
    /// `p ~> q : <t.c>. G`: sent.
    Sent(Step, Box<Term>),
    /// `q : (t.c). G`: received, q computes.
    Computing(Step, Box<Term>),
    /// `p -> q : {l_i. G_i}`
    Choice(u32, u32, Vec<Term>),
    /// `p ~> q : l_j {l_i. G_i}`
    Chosen(u32, u32, usize, Vec<Term>),
}

/// A message with its size and the cost at the receiver.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub from: u32,
    pub to: u32,
    pub size: f64,
    pub cost: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Action {
    Send(u32, u32, f64),
    Receive(u32, u32, f64),
    Compute(u32, f64),
}

impl Action {
    fn subject(self) -> u32 {
        match self {
            Action::Send(role, ..) | Action::Compute(role, _) => role,
            Action::Receive(_, role, _) => role,
        }
    }
}

impl Term {
    /// Reads a loop-free protocol of whole messages and choices.
    pub fn read(steps: &[Value]) -> Self {
        let Some((first, rest)) = steps.split_first() else { return Term::End };
        if let Some(choice) = first.get("choice") {
            let (from, to) = serde_json::from_value(choice.clone()).unwrap();
            let branches = first["alts"].as_object().unwrap().values();
            return Term::Choice(
                from,
                to,
                branches.map(|branch| Term::read(branch.as_array().unwrap())).collect(),
            );
        }
        let (from, to) = serde_json::from_value(first["msg"].clone()).unwrap();
        let number = |key: &str| first[key].as_f64().unwrap();
        Term::Message(
            Step { from, to, size: number("size"), cost: number("cost") },
            Box::new(Term::read(rest)),
        )
    }

    /// All transitions of the term.
    fn transitions(&self) -> Vec<(Action, Term)> {
        match self {
            Term::End => Vec::new(),
            Term::Message(step, next) => {
                let send = Action::Send(step.from, step.to, step.size); // GR1a
                let under = |term| Term::Message(*step, Box::new(term));
                with(send, Term::Sent(*step, next.clone()), next.below(&[step.from, step.to], under)) // GR4a
            }
            Term::Sent(step, next) => {
                let receive = Action::Receive(step.from, step.to, step.size); // GR2a
                let under = |term| Term::Sent(*step, Box::new(term));
                with(receive, Term::Computing(*step, next.clone()), next.below(&[step.to], under)) // GR5a
            }
            Term::Computing(step, next) => {
                let compute = Action::Compute(step.to, step.cost); // GR2b
                let under = |term| Term::Computing(*step, Box::new(term));
                with(compute, (**next).clone(), next.below(&[step.to], under)) // GR5c
            }
            Term::Choice(from, to, branches) => {
                let choose = |index| {
                    (Action::Send(*from, *to, 1.0), Term::Chosen(*from, *to, index, branches.clone()))
                };
                let mut all: Vec<_> = (0..branches.len()).map(choose).collect(); // GR1b
                all.extend(common(*from, *to, branches)); // GR4b
                all
            }
            Term::Chosen(from, to, index, branches) => {
                let mut all = vec![(Action::Receive(*from, *to, 1.0), branches[*index].clone())]; // GR2c
                all.extend(branches[*index].below(&[*to], |term| {
                    let mut others = branches.clone();
                    others[*index] = term;
                    Term::Chosen(*from, *to, *index, others) // GR5b
                }));
                all
            }
        }
    }

    /// Transitions of the continuation whose subject is not blocked.
    fn below(&self, blocked: &[u32], under: impl Fn(Term) -> Term) -> Vec<(Action, Term)> {
        let free = |(action, _): &(Action, Term)| !blocked.contains(&action.subject());
        self.transitions().into_iter().filter(free).map(|(action, term)| (action, under(term))).collect()
    }
}

fn with(action: Action, term: Term, mut others: Vec<(Action, Term)>) -> Vec<(Action, Term)> {
    others.insert(0, (action, term));
    others
}

/// Actions that every branch can do before the choice is made (GR4b).
fn common(from: u32, to: u32, branches: &[Term]) -> Vec<(Action, Term)> {
    let mut found = Vec::new();
    for (action, _) in branches[0].transitions() {
        if action.subject() == from || action.subject() == to {
            continue;
        }
        let after = |branch: &Term| branch.transitions().into_iter().find(|(other, _)| *other == action);
        let all: Option<Vec<Term>> =
            branches.iter().map(|branch| after(branch).map(|(_, term)| term)).collect();
        if let Some(terms) = all {
            found.push((action, Term::Choice(from, to, terms)));
        }
    }
    found
}

/// Clocks and queues of a trace.
#[derive(Clone, Default)]
struct State {
    clocks: BTreeMap<u32, f64>,
    queues: BTreeMap<(u32, u32), VecDeque<f64>>,
}

/// Calls `visit` with the final clocks of every complete trace; gives up after `limit` traces.
pub fn every_trace(
    term: &Term,
    send: &dyn Fn(u32, u32, f64) -> f64,
    recv: &dyn Fn(u32, u32, f64) -> f64,
    limit: usize,
    visit: &mut dyn FnMut(&BTreeMap<u32, f64>),
) -> usize {
    let mut open = vec![(term.clone(), State::default())];
    let mut complete = 0;
    while let Some((term, state)) = open.pop() {
        let transitions = term.transitions();
        if transitions.is_empty() {
            assert!(matches!(term, Term::End), "a global type never gets stuck: {term:?}");
            visit(&state.clocks);
            complete += 1;
            if complete == limit {
                break;
            }
        }
        for (action, next) in transitions {
            let mut state = state.clone();
            match action {
                Action::Send(from, to, size) => {
                    let clock = state.clocks.entry(from).or_default();
                    *clock += send(from, to, size);
                    let sent = *clock;
                    state.queues.entry((from, to)).or_default().push_back(sent);
                }
                Action::Receive(from, to, size) => {
                    let head = state.queues.get_mut(&(from, to)).and_then(VecDeque::pop_front).unwrap();
                    let clock = state.clocks.entry(to).or_default();
                    *clock = clock.max(head) + recv(from, to, size);
                }
                Action::Compute(role, cost) => *state.clocks.entry(role).or_default() += cost,
            }
            open.push((next, state));
        }
    }
    complete
}
