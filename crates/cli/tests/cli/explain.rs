use crate::support::{Desk, parse};

#[test]
fn a_page_and_the_list_of_all() {
    let desk = Desk::new();
    let page = desk.quietly("explain S303");
    assert!(page.starts_with("# S303: ") && page.contains("```"), "{page}");
    assert_eq!(desk.quietly("explain s303"), page, "case does not matter");
    let list = desk.quietly("explain");
    let codes: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(codes.contains(&"S303") && codes.contains(&"C001") && codes.is_sorted(), "{list}");
    let value = desk.json("explain S303");
    assert_eq!((value["code"].as_str(), value["page"].as_str()), (Some("S303"), Some(page.as_str())));
    assert!(desk.json("explain").as_array().unwrap().len() == codes.len());
}

#[test]
fn every_code_that_a_diagnostic_carries_has_a_page() {
    let desk = Desk::new();
    let ran = desk.run("session check ill.nuscr --format json");
    let code = parse(&ran.out)["diagnostics"][0]["code"].as_str().unwrap().to_owned();
    assert!(desk.quietly(&format!("explain {code}")).starts_with(&format!("# {code}: ")));
}

#[test]
fn an_unknown_code_names_the_nearest() {
    let desk = Desk::new();
    for (code, near) in
        [("S399", "S3"), ("C999", "C1"), ("c000", "C001"), ("nonsense", "the nearest is"), ("", "error")]
    {
        let ran = desk.command("explain").arg(code).output().unwrap();
        let err = String::from_utf8(ran.stderr).unwrap();
        assert_eq!((ran.status.code(), ran.stdout.len()), (Some(2), 0), "{code}");
        assert!(err.contains(near), "{code}: {err}");
    }
}
