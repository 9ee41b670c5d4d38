//! Random syntax trees: right in form, without any sense.

use proptest::prelude::*;
use session::global::{Payload, Phase};
use session::syntax::annotation::{parse_header, parse_message};
use session::syntax::ast::{
    Annotation, At, Block, Call, Foreach, Message, Module, Name, Pragma, Protocol, RecVariable,
    RoleDeclaration, RoleReference, Statement, StatementKind,
};
use session::syntax::expression::{Expression, ExpressionKind, FUNCTIONS, Operator};

fn name() -> impl Strategy<Value = Name> {
    prop::sample::select(vec!["A", "B", "W", "x'", "42", "7up", "foreach", "recv", "in", "down", "_"])
        .prop_map(Name::new)
}

/// A name that cannot be taken for a number or a call.
fn variable() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["i", "n", "rows", "x'"]).prop_map(str::to_owned)
}

fn expression(kind: ExpressionKind) -> Expression {
    Expression { kind, at: At::default() }
}

fn number() -> impl Strategy<Value = Expression> {
    let leaf = prop_oneof![
        (0..1000_i64).prop_map(|value| expression(ExpressionKind::Number(value))),
        variable().prop_map(|name| expression(ExpressionKind::Name(name))),
    ];
    let arithmetic: Vec<Operator> =
        Operator::ALL.into_iter().filter(|operator| !operator.yields_condition()).collect();
    leaf.prop_recursive(4, 16, 2, move |inner| {
        prop_oneof![
            (prop::sample::select(arithmetic.clone()), inner.clone(), inner.clone())
                .prop_map(|(op, a, b)| expression(ExpressionKind::Binary(op, Box::new(a), Box::new(b)))),
            inner.clone().prop_map(|a| expression(ExpressionKind::Negate(Box::new(a)))),
            (prop::sample::select(FUNCTIONS.to_vec()), inner.clone(), inner).prop_map(
                |((name, arity), a, b)| {
                    let arguments = [a, b].into_iter().take(arity).collect();
                    expression(ExpressionKind::Call(Name::new(name), arguments))
                }
            ),
        ]
    })
}

fn condition() -> impl Strategy<Value = Expression> {
    let compare: Vec<Operator> =
        Operator::ALL.into_iter().filter(|operator| operator.precedence() == 4).collect();
    let leaf = (prop::sample::select(compare), number(), number())
        .prop_map(|(op, a, b)| expression(ExpressionKind::Binary(op, Box::new(a), Box::new(b))));
    leaf.prop_recursive(3, 8, 2, |inner| {
        prop_oneof![
            (prop::sample::select(vec![Operator::And, Operator::Or]), inner.clone(), inner.clone())
                .prop_map(|(op, a, b)| expression(ExpressionKind::Binary(op, Box::new(a), Box::new(b)))),
            inner.prop_map(|a| expression(ExpressionKind::Not(Box::new(a)))),
        ]
    })
}

fn role() -> impl Strategy<Value = RoleReference> {
    (name(), prop::option::of(number())).prop_map(|(name, index)| RoleReference {
        name,
        index,
        at: At::default(),
    })
}

fn payload() -> impl Strategy<Value = Payload> {
    let base = prop::sample::select(vec!["int", "string", "lib.sub.Type"]);
    let assertion = prop::sample::select(vec![
        "x > 0 && len(y) = 2",
        "not (a <> b)",
        "true",
        "s = \"text\" || n - 1 < -2",
    ]);
    prop_oneof![
        base.clone().prop_map(|base| Payload { variable: None, base: base.to_owned(), refinement: None }),
        (variable(), base, prop::option::of(assertion)).prop_map(|(variable, base, refinement)| Payload {
            variable: Some(variable),
            base: base.to_owned(),
            refinement: refinement.map(str::to_owned),
        }),
        Just(Payload { variable: None, base: "P@A".to_owned(), refinement: None }),
    ]
}

fn message() -> impl Strategy<Value = StatementKind> {
    let texts = vec!["size=8*n, cost=max(c1, 2us)", "prob=0.5", "", "deadline=1ms, pre=-c^2"];
    let annotation = prop::option::of(prop::sample::select(texts)).prop_map(|text| {
        text.map(|text| Annotation {
            text: text.to_owned(),
            content: parse_message(text, 0).0,
            at: At::default(),
        })
    });
    let phase = prop::sample::select(vec![Phase::Whole, Phase::Send, Phase::Receive]);
    let payload = prop::collection::vec(payload(), 0..3);
    (phase, name(), payload, role(), prop::collection::vec(role(), 1..3), annotation).prop_map(
        |(phase, label, payload, from, mut to, annotation)| {
            if phase == Phase::Receive {
                to.truncate(1);
            }
            StatementKind::Message(Box::new(Message { phase, label, payload, from, to, annotation }))
        },
    )
}

fn call() -> impl Strategy<Value = StatementKind> {
    (prop::option::of(role()), name(), prop::collection::vec(role(), 0..3)).prop_map(
        |(caller, protocol, arguments)| {
            StatementKind::Call(Box::new(Call { caller, protocol, arguments, annotation: None }))
        },
    )
}

fn rec_variable() -> impl Strategy<Value = RecVariable> {
    (name(), prop::collection::vec(name(), 1..3), payload()).prop_map(|(name, roles, payload)| RecVariable {
        name,
        roles,
        payload,
        initial: "n + 1".to_owned(),
    })
}

fn block() -> impl Strategy<Value = Block> {
    let values = prop::collection::vec(Just("count - 1".to_owned()), 0..2);
    let leaf = prop_oneof![
        4 => message(),
        1 => call(),
        1 => (name(), values).prop_map(|(name, values)| StatementKind::Continue { name, values }),
    ];
    let statement = |kind| Statement { kind, at: At::default() };
    leaf.prop_map(statement)
        .prop_recursive(3, 24, 4, move |inner| {
            let body = prop::collection::vec(inner, 0..4);
            let bounds = (number(), number(), any::<bool>(), prop::option::of(condition()));
            prop_oneof![
                (name(), prop::collection::vec(rec_variable(), 0..2), body.clone())
                    .prop_map(|(name, variables, body)| StatementKind::Rec { name, variables, body }),
                (role(), prop::collection::vec(body.clone(), 1..3))
                    .prop_map(|(role, branches)| StatementKind::Choice { role, branches }),
                (variable(), bounds, body).prop_map(|(variable, (first, last, down, guard), body)| {
                    let variable = Name::new(variable);
                    StatementKind::Foreach(Box::new(Foreach { variable, first, last, down, guard, body }))
                }),
            ]
            .prop_map(statement)
        })
        .prop_map(|statement| vec![statement])
        .boxed()
}

fn protocol(is_nested: bool) -> impl Strategy<Value = Protocol> {
    let declaration = || {
        (name(), prop::option::of((number(), number())))
            .prop_map(|(name, range)| RoleDeclaration { name, range })
    };
    let texts = vec!["param n=64, c; iter X=10", "place A=a; cores a=2", "A < B"];
    let header = prop::option::of(prop::sample::select(texts)).prop_map(|text| {
        text.map(|text| Annotation {
            text: text.to_owned(),
            content: parse_header(text, 0).0,
            at: At::default(),
        })
    });
    let roles = prop::collection::vec(declaration(), 1..3);
    let new_roles = prop::collection::vec(declaration(), 0..(1 + usize::from(is_nested)));
    let body = prop::collection::vec(block(), 0..3).prop_map(|blocks| blocks.concat());
    (any::<bool>(), name(), roles, new_roles, header, body).prop_map(
        move |(aux, name, roles, new_roles, header, body)| {
            let aux = aux && !is_nested;
            Protocol { aux, name, roles, new_roles, header, nested: Vec::new(), body, at: At::default() }
        },
    )
}

pub(super) fn module() -> impl Strategy<Value = Module> {
    let pragma = Pragma { name: Name::new("RefinementTypes"), value: Some(Name::new("on")) };
    let with_nested = (protocol(false), prop::collection::vec(protocol(true), 0..2))
        .prop_map(|(protocol, nested)| Protocol { nested, ..protocol });
    (
        prop::collection::vec(Just(pragma), 0..2),
        prop::collection::vec(protocol(true), 0..2),
        prop::collection::vec(with_nested, 0..2),
    )
        .prop_map(|(pragmas, nested, protocols)| Module { pragmas, nested, protocols })
}
