//! Cost models: written and read back, layered, asked for prices.

mod arbitrary;

use cost::{
    Cost, Curve, Formula, Model, Operation, PriceError, PriceList, Prices, Provenance, Request, Spline, Unit,
};
use diag::{Colour, Source, render};
use expect_test::expect;
use proptest::prelude::*;

fn read(text: &str) -> Model {
    let source = Source::new("model.toml", text);
    let (model, diagnostics) = Model::parse(&source);
    model.unwrap_or_else(|| panic!("{}", render(&source, &diagnostics, Colour::Plain)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn written_models_read_back(model in arbitrary::model()) {
        prop_assert_eq!(read(&model.to_toml()), model);
    }
}

fn layer(name: &str, unit: Unit, operations: Vec<Operation>) -> Model {
    Model { operations, ..Model::new(name, unit, Provenance::Assumed) }
}

fn flat(name: &str, mean: f64) -> Operation {
    Operation::new(name, Cost::exactly(Curve::Formula(Formula::number(mean))))
}

fn by_size(name: &str, formula: &str) -> Operation {
    Operation::new(name, Cost::exactly(Curve::Formula(Formula::parse(formula, 0).expect("a formula"))))
}

#[test]
fn later_models_win_in_their_own_unit() {
    let below =
        layer("below", Unit::Seconds, vec![flat("send", 1e-3), flat("recv", 2e-3), by_size("wake", "1ms")]);
    let above = layer("above", Unit::Microseconds, vec![flat("send", 7.0)]);
    let prices = Prices::new(vec![below, above]).unwrap();
    let mean = |name| prices.price(&Request::new(name, &["P"], &["Q"])).unwrap().mean;
    assert_eq!(prices.unit(), Unit::Microseconds);
    assert_eq!((mean("send"), mean("recv"), mean("wake")), (7.0, 2000.0, 1000.0));
    assert_eq!(prices.origins().len(), 2);
    assert!(prices.knows("wake") && !prices.knows("latency"));
}

/// A less specific entry of a later model hides a more specific one of an earlier model.
#[test]
fn layers_come_before_specificity() {
    let below = layer("below", Unit::Seconds, vec![flat("send", 1.0).between("P", "Q")]);
    let above = layer("above", Unit::Seconds, vec![flat("send", 2.0)]);
    let prices = Prices::new(vec![below, above]).unwrap();
    let (model, _) = prices.entry(&Request::new("send", &["P"], &["Q"])).unwrap();
    assert_eq!(model.name, "above");
}

#[test]
fn cycles_and_time_do_not_mix() {
    let models = vec![
        layer("switch", Unit::Cycles, vec![]),
        layer("wire", Unit::Seconds, vec![]),
        layer("core", Unit::Cycles, vec![]),
        layer("host", Unit::Nanoseconds, vec![]),
    ];
    let faults = Prices::new(models).unwrap_err();
    let said: Vec<(&str, &str)> = faults.iter().map(|d| (d.code, d.message.as_str())).collect();
    assert_eq!(
        said,
        [
            ("C020", "cost model `switch` counts in cycles, which cannot be turned into ns"),
            ("C020", "cost model `core` counts in cycles, which cannot be turned into ns"),
        ]
    );
    let cycles = layer("core", Unit::Cycles, vec![flat("compute", 4.0)]);
    assert_eq!(Prices::new(vec![cycles]).unwrap().unit(), Unit::Cycles);
}

#[test]
fn what_has_no_price_is_named() {
    let spline = Spline::new(vec![(64.0, 1.0), (1024.0, 2.0)]).unwrap();
    let measured = Cost::exactly(Curve::Spline { over: "size".to_owned(), spline });
    let model = layer(
        "lan",
        Unit::Seconds,
        vec![
            by_size("send", "1 + size").between("P", "Q").valid("size", 1.0, 100.0),
            Operation::new("recv", measured),
            by_size("latency", "work - 5"),
            by_size("compute", "1/work"),
            by_size("wake", "size"),
        ],
    );
    let prices = Prices::new(vec![model]).unwrap();
    let refused = |request: Request| prices.price(&request).unwrap_err().to_string();
    let between = |name| Request::new(name, &["P", "a"], &["Q", "b"]);
    let said = [
        refused(Request::new("encrypt", &["P", "a"], &[])),
        refused(Request::new("send", &["Q"], &["P"])),
        refused(between("send").with_size(101.0)),
        refused(between("send").with_size(f64::NAN)),
        refused(between("recv").with_size(1.0)),
        refused(between("recv")),
        refused(between("wake")),
        refused(between("latency")),
        refused(between("latency").with_variables(&[("work", 2.0)])),
        refused(between("compute").with_variables(&[("work", 0.0)])),
    ];
    expect![[r#"
        no cost model prices `encrypt` at `P`
        no cost model prices `send` from `Q` to `P` (only other uses of it)
        cost model `lan` prices `send` for size from 1 to 100 only, not for 101
        cost model `lan` prices `send` for size from 1 to 100 only, not for NaN
        cost model `lan` prices `recv` for size from 64 to 1024 only, not for 1
        cost model `lan` prices `recv` from `P` to `Q` by its size, which is not known
        cost model `lan` prices `wake` from `P` to `Q` by its size, which is not known
        cost model `lan` gives `latency` no price here: `work` has no value
        cost model `lan` gives `latency` no price here: the cost would be -3, less than nothing
        cost model `lan` gives `compute` no price here: division by zero: `work` is 0"#]]
    .assert_eq(&said.join("\n"));
    let missing = prices.price(&Request::new("send", &["Q"], &["P"])).unwrap_err();
    assert!(matches!(missing, PriceError::Missing { known: true, .. }));
}

#[test]
fn samples_and_laws_carry_a_distribution() {
    let model = read(
        r#"
        [model]
        name = "spread"
        unit = "us"
        source = "measured"
        [[operation]]
        name = "wake"
        samples = [4, 7, 4, 5]
        [[operation]]
        name = "latency"
        distribution = { kind = "lognormal", mean = "size", deviation = 2 }
        [[operation]]
        name = "send"
        mean = 3
        "#,
    );
    let seconds = layer("unit", Unit::Nanoseconds, vec![]);
    let prices = Prices::new(vec![model, seconds]).unwrap();
    let distribution = |request: Request| prices.distribution(&request).unwrap();
    let wake = distribution(Request::new("wake", &["P"], &[])).unwrap();
    assert_eq!((wake.mean(), wake.quantile(0.5), wake.quantile(0.9)), (5000.0, 4000.0, 7000.0));
    let latency = distribution(Request::new("latency", &["P"], &["Q"]).with_size(10.0)).unwrap();
    assert!((latency.mean() - 10_000.0).abs() < 1e-6);
    assert!(latency.quantile(0.999) > 17_000.0);
    assert_eq!(distribution(Request::new("send", &["P"], &["Q"])), None);
    assert!(prices.distribution(&Request::new("latency", &["P"], &["Q"])).is_err());
}

#[test]
fn a_written_model_is_for_people() {
    let spline = Spline::new((0..7).map(|i| (f64::from(i), 1.5 + f64::from(i))).collect()).unwrap();
    let mut model = layer(
        "tcp \"loopback\"",
        Unit::Seconds,
        vec![
            Operation::new(
                "send",
                Cost::Lanes {
                    min: Curve::Formula(Formula::parse("1.1e-6 + 2.3e-10*size", 0).unwrap()),
                    mean: Curve::Spline { over: "size".to_owned(), spline },
                    max: Curve::Formula(Formula::number(9e-6)),
                },
            )
            .between("P", "*")
            .valid("size", 0.0, 6.0)
            .comment("residual 3.1 %, spread 0.2 us"),
            Operation::new("wake", Cost::Samples(vec![1e-6, 2e-6])),
        ],
    );
    model.environment = Some("2 cores".to_owned());
    model.parameters.insert("clock".to_owned(), 2.1e9);
    expect![[r#"
        [model]
        version = 1
        name = 'tcp "loopback"'
        unit = "s"
        source = "assumed"
        environment = "2 cores"

        [parameters]
        clock = 2100000000

        [[operation]]
        name = "send"
        comment = "residual 3.1 %, spread 0.2 us"
        from = "P"
        min = "1.1e-6 + 2.3e-10*size"
        mean = { spline = "size", points = [
          [0, 1.5], [1, 2.5], [2, 3.5], [3, 4.5], [4, 5.5],
          [5, 6.5], [6, 7.5]
        ] }
        max = 9e-6
        valid = { size = [0, 6] }

        [[operation]]
        name = "wake"
        samples = [1e-6, 2e-6]
    "#]]
    .assert_eq(&model.to_toml());
}

#[test]
fn sample_files_are_asked_for_by_name_and_judged() {
    let header =
        "[model]\nname = \"m\"\nunit = \"us\"\nsource = \"measured\"\n[[operation]]\nname = \"send\"\n";
    let said = |entry: &str, file: Result<&str, &str>| {
        let source = Source::new("model.toml", format!("{header}{entry}"));
        let mut files = |name: &str| {
            assert_eq!(name, "send.csv");
            file.map(str::to_owned).map_err(str::to_owned)
        };
        let (model, diagnostics) = Model::parse_with(&source, &mut files);
        assert_eq!(model.is_none(), !diagnostics.is_empty());
        diagnostics.iter().map(|d| format!("{}: {}", d.code, d.message)).collect::<Vec<_>>().join("\n")
    };
    let flat = "samples = \"send.csv\"";
    let sized = "samples = { file = \"send.csv\", over = \"size\" }";
    assert_eq!(said(flat, Ok("# us\n1.5\r\n2.5\n\n")), "");
    assert_eq!(
        said(flat, Err("no such file")),
        "C021: the sample file `send.csv` cannot be read: no such file"
    );
    assert_eq!(said(flat, Ok("us\n")), "C011: these samples are no costs: there are none");
    assert_eq!(said(flat, Ok("1\n-2\n")), "C011: these samples are no costs: -2 is less than nothing");
    assert_eq!(said(flat, Ok("1\n1 2\n")), "C021: line 2 of the sample file `send.csv` is not one number");
    assert_eq!(said(flat, Ok("1\nfast\n")), "C021: line 2 of the sample file `send.csv` is not one number");
    assert_eq!(said(sized, Ok("size;us\n64;1\n128;2\n")), "");
    assert_eq!(said(sized, Ok("64\t1\n64\t2\n")), "C010: no spline goes through these samples of `size`");
    assert_eq!(
        said(sized, Ok("64 1\n65 nan\n")),
        "C021: line 2 of the sample file `send.csv` is not two numbers"
    );
}
