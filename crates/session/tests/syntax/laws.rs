//! Reading what was printed gives it back.

use std::collections::BTreeSet;

use diag::{Source, Span};
use proptest::prelude::*;
use session::expand::check_invariants;
use session::global::{Branch, GlobalType, Interaction, Node, NodeId};
use session::syntax::parse_module;
use session::{Options, print_global};

use super::modules::module;
use super::random::random_protocol;

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_a_printed_module_gives_it_back(module in module()) {
        let source = Source::new("print", module.to_string());
        let (again, diagnostics) = parse_module(&source);
        prop_assert!(!diag::has_errors(&diagnostics), "{}", super::rendered(&source, &diagnostics));
        prop_assert_eq!(again, module);
    }

    #[test]
    fn printed_global_types_print_the_same_again(seed in any::<u64>()) {
        let text = random_protocol(seed);
        let source = Source::new("random", &text);
        let (global, diagnostics) = session::parse(&source, &Options::default());
        let Some(global) = global else { panic!("{}", super::rendered(&source, &diagnostics)) };
        check_invariants(&global).map_err(TestCaseError::fail)?;
        let print = print_global(&global);
        let again = super::global(&print);
        check_invariants(&again).map_err(TestCaseError::fail)?;
        prop_assert!(same_behaviour(&global, &again), "{}", print);
        prop_assert_eq!(print_global(&again), print);

        // The same through JSON, which knows no labels of plain messages: compare from the second round on.
        if let Ok(json) = session::to_json(&global) {
            let (read, diagnostics) = session::parse_json(&Source::new("json", json.to_string()), &Options::default());
            prop_assert!(diagnostics.is_empty());
            let read = read.unwrap();
            check_invariants(&read).map_err(TestCaseError::fail)?;
            prop_assert_eq!(session::to_json(&read), Ok(json));
        }
    }
}

/// Whether two protocols do the same from node to node, loops seen as the graph they are.
pub(super) fn same_behaviour(a: &GlobalType, b: &GlobalType) -> bool {
    let mut seen = BTreeSet::new();
    let mut pending = vec![(a.root, b.root)];
    while let Some((x, y)) = pending.pop() {
        if !seen.insert((x, y)) {
            continue;
        }
        match (a.node(x), b.node(y)) {
            (Node::End, Node::End) => {}
            (Node::Continue(x), Node::Continue(y)) => {
                pending.push((a.loops[x.index()].node, b.loops[y.index()].node));
            }
            (Node::Interaction(x), Node::Interaction(y)) => {
                pending.push((x.next, y.next));
                let without_place =
                    |i: &Interaction| Interaction { span: Span::default(), next: NodeId(0), ..i.clone() };
                if without_place(x) != without_place(y) {
                    return false;
                }
            }
            (Node::Choice { at: p, branches: xs, .. }, Node::Choice { at: q, branches: ys, .. }) => {
                let same = |(x, y): (&Branch, &Branch)| x.probability == y.probability;
                if p != q || xs.len() != ys.len() || !xs.iter().zip(ys).all(same) {
                    return false;
                }
                pending.extend(xs.iter().zip(ys).map(|(x, y)| (x.first, y.first)));
            }
            (Node::Loop { id: p, body: x, exit: u }, Node::Loop { id: q, body: y, exit: v }) => {
                pending.extend([(*x, *y), (*u, *v)]);
                let (p, q) = (&a.loops[p.index()], &b.loops[q.index()]);
                if (&p.iterations, &p.roles) != (&q.iterations, &q.roles) {
                    return false;
                }
            }
            _ => return false,
        }
    }
    true
}
