//! Formulas: laws over random ones, faults with their places, limits.

mod arbitrary;

use arbitrary::{NAMES, formula};
use cost::{Environment, Formula, FormulaError, Unit};
use diag::Source;
use proptest::prelude::*;

fn parse(text: &str) -> Formula {
    Formula::parse(text, 0).unwrap_or_else(|diagnostics| panic!("{text}: {diagnostics:?}"))
}

fn value(text: &str) -> Result<f64, FormulaError> {
    parse(text).evaluate(&Environment::in_unit(Unit::Microseconds).with("n", 7.0).with("x", 0.0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn printed_formulas_read_back(formula in formula()) {
        prop_assert_eq!(parse(&formula.to_string()), formula);
    }

    /// Simplifying keeps the value to the last bit, whatever part of the variables is known.
    #[test]
    fn substitution_keeps_the_value(
        formula in formula(),
        values in proptest::collection::vec(-50.0..50.0, NAMES.len()),
        known in proptest::collection::vec(any::<bool>(), NAMES.len()),
    ) {
        let mut all = Environment::in_unit(Unit::Milliseconds);
        let mut some = all.clone();
        for ((name, value), known) in NAMES.into_iter().zip(values).zip(known) {
            all.values.insert(name.to_owned(), value);
            if known {
                some.values.insert(name.to_owned(), value);
            }
        }
        let simplified = formula.substitute(&some);
        if let Ok(value) = formula.evaluate(&all) {
            prop_assert_eq!(simplified.evaluate(&all), Ok(value), "{} simplified to {}", formula, simplified);
            prop_assert_eq!(formula.substitute(&all).as_number(), Some(value));
        }
        for name in some.values.keys() {
            prop_assert!(!simplified.names().contains(name), "{} left in {}", name, simplified);
        }
    }

    /// A printed formula with more parentheses is the same formula.
    #[test]
    fn parentheses_change_nothing_but_the_order(formula in formula()) {
        prop_assert_eq!(parse(&format!("(({formula}))")), formula);
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        if let Err(diagnostics) = Formula::parse(&text, 0) {
            prop_assert!(!diagnostics.is_empty());
        }
    }
}

#[test]
fn precedence() {
    assert_eq!(value("2 + 3*4^2"), Ok(50.0));
    assert_eq!(value("2^3^2"), Ok(512.0));
    assert_eq!(value("-2^2"), Ok(-4.0));
    assert_eq!(value("(-2)^2"), Ok(4.0));
    assert_eq!(value("2^-1*4"), Ok(2.0));
    assert_eq!(value("100/10/2 - 1 - 1"), Ok(3.0));
    assert_eq!(value("2*-n"), Ok(-14.0));
    assert_eq!(value("max(1, n, 3) + min(2, n)"), Ok(9.0));
    assert_eq!(value("mod(-1, n) + abs(-2) + ceil(0.5) + floor(1.5) + sqrt(16) + log2(8) + ln(1)"), Ok(17.0));
}

#[test]
fn quantities_are_converted() {
    assert_eq!(value("5us + 1ms + 2000ns"), Ok(1007.0));
    assert_eq!(
        value("1cycles").unwrap_err().to_string(),
        "`1cycles` cannot be expressed in us: cycles are no time without a clock rate"
    );
    assert_eq!(
        parse("5us").evaluate(&Environment::default()),
        Err(FormulaError::UnitNeeded("5us".to_owned()))
    );
}

#[test]
fn what_has_no_value_says_why() {
    assert_eq!(value("1/(x*n)").unwrap_err().to_string(), "division by zero: `x*n` is 0");
    assert_eq!(value("mod(n, x)"), Err(FormulaError::DivisionByZero("x".to_owned())));
    assert_eq!(value("ln(x)"), Err(FormulaError::NotFinite("ln(x)".to_owned())));
    assert_eq!(value("1 + 1e308*n"), Err(FormulaError::NotFinite("1e308*n".to_owned())));
    assert_eq!(value("(x - 1)^0.5"), Err(FormulaError::NotFinite("(x - 1)^0.5".to_owned())));
    assert_eq!(value("m + n"), Err(FormulaError::Unbound("m".to_owned())));
}

#[test]
fn printing_is_sparing() {
    let again = |text: &str| parse(text).to_string();
    assert_eq!(again("((a+b))*(c)"), "(a + b)*c");
    assert_eq!(again("a-(b-c)+(d)"), "a - (b - c) + d");
    assert_eq!(again("a/(b*c)/d"), "a/(b*c)/d");
    assert_eq!(again("(a^b)^c + a^(b^c)"), "(a^b)^c + a^b^c");
    assert_eq!(again("-(a+b) - -3 + (-a)*b"), "-(a + b) - -3 + -a*b");
    assert_eq!(again("max(a,max(b,c))"), "max(a, b, c)");
    assert_eq!(again("0.0000011 + 1e3 + 5.0us"), "1.1e-6 + 1000 + 5us");
}

#[test]
fn simplification_is_visible() {
    let some = Environment::in_unit(Unit::Microseconds).with("n", 4.0).with("one", 1.0).with("zero", 0.0);
    let simplified = |text: &str| parse(text).substitute(&some).to_string();
    assert_eq!(simplified("8*n + c + 1ms"), "32 + c + 1000");
    assert_eq!(simplified("one*c + zero*d + zero"), "c");
    assert_eq!(simplified("zero - c/one"), "-c");
    assert_eq!(simplified("max(2, c, n, c)"), "max(4, c)");
    assert_eq!(simplified("1/zero + n^2"), "1/0 + 16");
    assert_eq!(simplified("c/zero*zero"), "0");
}

/// `text` with carets under it: `^CODE` lines list the expected codes at the column of the caret.
fn faults(text: &str, expected: &[(usize, &str)]) {
    let source = Source::new("formula", text);
    let found = Formula::parse(text, 0).expect_err(text);
    let found_places: Vec<(usize, &str)> =
        found.iter().map(|d| (d.span().expect("a place").start as usize, d.code)).collect();
    assert_eq!(found_places, expected, "{}", diag::render(&source, &found, diag::Colour::Plain));
}

#[test]
fn faults_are_found_at_their_places_and_all_at_once() {
    faults("a ? b", &[(2, "C101")]);
    faults("2 × n − 1", &[(2, "C101"), (7, "C101")]);
    faults("a + ? + b c", &[(4, "C101"), (10, "C102")]);
    faults("a ? + 2kb + maxx(1, 2)", &[(2, "C101"), (6, "C104"), (12, "C105")]);
    faults("1 +", &[(3, "C102")]);
    faults("* 2", &[(0, "C102")]);
    faults("2 ** 3", &[(3, "C102")]);
    faults("+2 + 3", &[(0, "C102")]);
    faults("2 n 3", &[(2, "C102"), (4, "C102")]);
    faults("(a + (b", &[(0, "C103"), (5, "C103")]);
    faults("a) + b)", &[(1, "C103"), (6, "C103")]);
    faults("(a, b) + 1", &[(0, "C102")]);
    faults("a, b", &[(1, "C102")]);
    faults("max(a) + mod(1, 2, 3) + sqrt()", &[(0, "C106"), (9, "C106"), (24, "C106")]);
    faults("1.2.3 + 5. + 1e999 + 3e", &[(0, "C104"), (8, "C104"), (13, "C104"), (21, "C104")]);
    faults("", &[(0, "C108")]);
    faults(" \n ", &[(0, "C108")]);
    faults("()", &[(1, "C102")]);
}

#[test]
fn places_are_shifted_to_the_source() {
    let diagnostics = Formula::parse("1 + $", 100).unwrap_err();
    assert_eq!(diagnostics[0].span(), Some(diag::Span::new(104, 105)));
}

#[test]
fn depth_and_length_are_limited() {
    let nested = |depth: usize| format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Formula::parse(&nested(255), 0).is_ok());
    faults(&nested(256), &[(256, "C107")]);
    faults(&nested(4000), &[(256, "C107")]);
    faults(&format!("{}x", "-".repeat(5000)), &[(256, "C107")]);
    faults(&["x"; 400].join("^"), &[(512, "C107")]);
    faults(&"x".repeat(10_001), &[(0, "C107")]);
    let deep = format!("{}x{}", "max(1, -2^(1*".repeat(50), "))".repeat(50));
    let deep = parse(&deep);
    assert_eq!(parse(&deep.to_string()), deep);
    let environment = Environment::default().with("x", 1.0);
    assert_eq!(deep.substitute(&environment).as_number(), deep.evaluate(&environment).ok());
    assert!(deep.to_latex().len() > 1000);
}

/// A long sum is flat: it is no matter of depth.
#[test]
fn long_sums_and_maxima_are_flat() {
    let sum = parse(&vec!["x"; 3000].join("+"));
    assert_eq!(sum.evaluate(&Environment::default().with("x", 2.0)), Ok(6000.0));
    let maximum =
        (0..100_000).fold(Formula::name("x"), |most, n| Formula::max(most, Formula::number(f64::from(n))));
    assert_eq!(maximum.substitute(&Environment::default().with("x", 5.0)).as_number(), Some(99_999.0));
}

#[test]
fn formulas_are_keys() {
    let mut list = vec![parse("b"), parse("a + 1"), parse("2"), parse("a + 1")];
    list.sort();
    list.dedup();
    assert_eq!(list.len(), 3);
    let set: std::collections::HashSet<Formula> = list.iter().cloned().chain([parse("(2)")]).collect();
    assert_eq!(set.len(), 3);
    assert_ne!(Formula::number(0.0), Formula::number(-0.0));
    assert_eq!(Formula::number(f64::NAN), Formula::number(f64::NAN));
}
