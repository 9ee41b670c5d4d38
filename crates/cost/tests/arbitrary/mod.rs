//! Random formulas and cost models for the laws.
#![allow(dead_code, reason = "each test file uses its part")]

use cost::{Attribute, Cost, Curve, Formula, Law, Model, Operation, Provenance, Spline, Unit};
use proptest::collection::{btree_map, btree_set, vec};
use proptest::prelude::*;
use proptest::sample::select;

/// Names that formulas of [`formula`] use.
pub(crate) const NAMES: [&str; 5] = ["n", "c_1", "size", "\\tau_1", "x'"];

fn literal() -> impl Strategy<Value = f64> {
    prop_oneof![
        (-20_i32..20).prop_map(f64::from),
        any::<f64>().prop_filter("finite", |x| x.is_finite()),
        (-1e3..1e3),
        (1e-12..1e-3),
    ]
}

/// Any formula that can be built, negative literals and quantities included.
pub(crate) fn formula() -> impl Strategy<Value = Formula> {
    let leaf = prop_oneof![
        literal().prop_map(Formula::number),
        (literal(), select(Unit::ALL.to_vec())).prop_map(|(value, unit)| Formula::quantity(value, unit)),
        select(NAMES.to_vec()).prop_map(Formula::name),
    ];
    leaf.prop_recursive(6, 40, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            pair.clone().prop_map(|(a, b)| a + b),
            pair.clone().prop_map(|(a, b)| a - b),
            pair.clone().prop_map(|(a, b)| a * b),
            pair.clone().prop_map(|(a, b)| a / b),
            pair.clone().prop_map(|(a, b)| a.power(b)),
            pair.clone().prop_map(|(a, b)| Formula::max(a, b)),
            pair.prop_map(|(a, b)| Formula::min(a, b)),
            inner.clone().prop_map(|a| -a),
            (select(vec!["log2", "ln", "sqrt", "ceil", "floor", "abs"]), inner.clone()).prop_map(
                |(name, a)| {
                    Formula::parse(&format!("{name}({a})"), 0).expect("a printed formula reads back")
                }
            ),
            (inner.clone(), inner).prop_map(|(a, b)| {
                Formula::parse(&format!("mod({a}, {b})"), 0).expect("a printed formula reads back")
            }),
        ]
    })
}

/// Formulas that have a cost wherever `size` is not negative.
fn cost_formula() -> impl Strategy<Value = Formula> {
    (0.0..1e3, 0.0..1.0, 0_u8..4).prop_map(|(start, slope, shape)| {
        let (start, slope, size) = (Formula::number(start), Formula::number(slope), Formula::name("size"));
        match shape {
            0 => start,
            1 => start + slope * size,
            2 => Formula::max(start, slope * size / Formula::number(8.0)),
            _ => (start + size).power(Formula::number(0.5)),
        }
    })
}

fn spline() -> impl Strategy<Value = Spline> {
    // Values of one size class, so that the curve between them stays above zero.
    vec((0.5..10.0, 1.0..1.1), 2..8).prop_map(|steps| {
        let mut x = 0.0;
        let points = steps.into_iter().map(|(step, y)| {
            x += step;
            (x, y)
        });
        Spline::new(points.collect()).expect("increasing abscissas")
    })
}

fn curve() -> impl Strategy<Value = Curve> {
    prop_oneof![
        cost_formula().prop_map(Curve::Formula),
        spline().prop_map(|spline| Curve::Spline { over: "size".to_owned(), spline }),
    ]
}

fn law() -> impl Strategy<Value = Law<Formula>> {
    let positive = || (1e-3..1e3).prop_map(Formula::number);
    prop_oneof![
        cost_formula().prop_map(|value| Law::Constant { value }),
        (0.0..1.0, 1.0..2.0)
            .prop_map(|(low, high)| Law::Uniform { low: Formula::number(low), high: Formula::number(high) }),
        positive().prop_map(|mean| Law::Exponential { mean }),
        (positive(), positive()).prop_map(|(mean, deviation)| Law::Normal { mean, deviation }),
        (positive(), positive()).prop_map(|(mean, deviation)| Law::Lognormal { mean, deviation }),
    ]
}

fn cost() -> impl Strategy<Value = Cost> {
    prop_oneof![
        (curve(), curve(), curve()).prop_map(|(min, mean, max)| Cost::Lanes { min, mean, max }),
        curve().prop_map(Cost::exactly),
        vec(0.0..1e3, 1..20).prop_map(Cost::Samples),
        law().prop_map(Cost::Law),
    ]
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z]{1,6}", any::<String>(), Just("quotes \" and \\ and\nlines".to_owned())]
}

fn party() -> impl Strategy<Value = String> {
    prop_oneof![Just("*".to_owned()), "[A-C]", any::<String>()]
}

fn attribute() -> impl Strategy<Value = Attribute> {
    prop_oneof![text().prop_map(Attribute::Text), (0.0..1e6).prop_map(Attribute::Number)]
}

fn operation() -> impl Strategy<Value = Operation> {
    let name =
        prop_oneof![select(cost::model::OPERATIONS.to_vec()).prop_map(str::to_owned), "[a-z]{3}\\.[a-z]{3}"];
    let attributes =
        btree_map(select(vec!["table", "lookup", "width_bits"]).prop_map(str::to_owned), attribute(), 0..3);
    let valid = proptest::option::of((0.0..1e3, 0.0..1e3));
    (name, party(), party(), attributes, cost(), valid, proptest::option::of(text())).prop_map(
        |(name, from, to, attributes, cost, valid, comment)| {
            let mut operation = Operation { from, to, attributes, comment, ..Operation::new(&name, cost) };
            // A spline's validity is its points; a wider one would be refused.
            if let (Some((low, width)), true) = (valid, operation.ranges().is_empty()) {
                operation = operation.valid("size", low, low + width);
            }
            operation
        },
    )
}

/// Any model without faults (warnings it may have).
pub(crate) fn model() -> impl Strategy<Value = Model> {
    let header = (text(), select(Unit::ALL.to_vec()), select(Provenance::ALL.to_vec()));
    let details = (
        proptest::option::of(text()),
        proptest::option::of(Just("2026-11-30".to_owned())),
        proptest::option::of(text()),
    );
    let names = (btree_set("[a-z]{1,4}", 0..3), btree_map("[a-z]{1,4}", 0.0..1e9, 0..3));
    (header, details, names, vec(operation(), 0..5)).prop_map(|(header, details, names, operations)| {
        let (environment, date, comment) = details;
        let (variables, parameters) = names;
        Model {
            environment,
            date,
            comment,
            variables,
            parameters,
            operations,
            ..Model::new(&header.0, header.1, header.2)
        }
    })
}
