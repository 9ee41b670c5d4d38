//! Tables in their four forms.

use cost::Unit;
use report::{Cell, Column, Form, Table};

fn example() -> Table {
    let mut table = Table::new(vec![
        Column::words("role"),
        Column::quantity("cost", Unit::Seconds),
        Column::fraction("error"),
        Column::words("equation"),
    ]);
    let equation = Cell::Formula { text: "max(a, b_1)".into(), latex: "\\max(a, b_{1})".into() };
    table.push(vec!["A".into(), 1.51000032e-4.into(), 0.054.into(), equation]);
    table.push(vec!["W_1, \"the\nworker\"".into(), 6.0.into(), Cell::Missing, "100 % & more".into()]);
    table
}

#[test]
fn text_is_aligned_and_keeps_each_row_on_its_line() {
    let expected = "\
role                   cost  error  equation
-----------------  --------  -----  ------------
A                  151.0 us  5.4 %  max(a, b_1)
W_1, \"the worker\"       6 s      -  100 % & more
";
    assert_eq!(example().render(Form::Text), expected);
}

#[test]
fn csv_follows_rfc_4180_with_full_precision() {
    let expected = "role,cost (s),error,equation\r\n\
                    A,0.000151000032,0.054,\"max(a, b_1)\"\r\n\
                    \"W_1, \"\"the\nworker\"\"\",6,,100 % & more\r\n";
    assert_eq!(example().render(Form::Csv), expected);
}

#[test]
fn json_names_units_and_keeps_numbers_exact() {
    let value: serde_json::Value = serde_json::from_str(&example().render(Form::Json)).unwrap();
    assert_eq!(value["columns"][1]["unit"], "s");
    assert_eq!(value["rows"][0]["cost"], 1.51000032e-4);
    assert_eq!(value["rows"][1]["error"], serde_json::Value::Null);
    assert_eq!(value["rows"][1]["role"], "W_1, \"the\nworker\"");
}

#[test]
fn latex_escapes_everything_with_a_meaning() {
    let expected = r#"\begin{tabular}{lrrl}
\hline
role & cost & error & equation \\
\hline
A & 151.0\,$\mu$s & 5.4 \% & $\max(a, b_{1})$ \\
W\_1, "the worker" & 6\,s & -- & 100 \% \& more \\
\hline
\end{tabular}
"#;
    assert_eq!(example().render(Form::Latex), expected);
    assert_eq!(
        report::table::latex_escaped(r"\~^&%$#_{}<>"),
        r"\textbackslash{}\textasciitilde{}\textasciicircum{}\&\%\$\#\_\{\}\textless{}\textgreater{}"
    );
}

#[test]
fn an_empty_table_has_a_head_in_every_form() {
    let table = Table::new(vec![Column::words("only")]);
    assert_eq!(table.render(Form::Text), "only\n----\n");
    assert_eq!(table.render(Form::Csv), "only\r\n");
    assert!(table.render(Form::Latex).contains("only \\\\"));
    assert!(table.render(Form::Json).contains("\"rows\": []"));
}

#[test]
#[should_panic(expected = "one cell per column")]
fn a_row_of_the_wrong_length_is_our_mistake() {
    Table::new(vec![Column::words("only")]).push(vec![]);
}
