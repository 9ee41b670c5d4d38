use crate::support::{Desk, has_keys};

#[test]
fn the_tour_in_its_short_form() {
    let desk = Desk::new();
    let ran = desk.run("demo --quick --out tour --format json");
    assert_eq!(ran.status, 0, "{}", ran.err);
    let value = crate::support::parse(&ran.out);
    let results = value["results"].as_array().unwrap();
    let names: Vec<&str> = results.iter().map(|one| one["protocol"].as_str().unwrap()).collect();
    assert_eq!(names, ["Pipeline", "Ring", "ScatterGather"]);
    for one in results {
        has_keys(one, &["predicted", "measured", "error", "bottleneck"]);
        let (predicted, mean) =
            (one["predicted"].as_f64().unwrap(), one["measured"]["mean"].as_f64().unwrap());
        // The computations alone are more than this.
        assert!(predicted > 150e-6, "{one}");
        assert!((one["error"].as_f64().unwrap() - (predicted - mean) / mean).abs() < 1e-9);
        assert!(!one["bottleneck"].as_array().unwrap().is_empty());
    }
    assert_eq!(value["costs"][0]["source"], "measured");
    for picture in ["demo.svg", "pipeline.svg", "ring.svg", "scatter_gather.svg"] {
        assert!(desk.read(&format!("tour/{picture}")).ends_with("</svg>\n"), "{picture}");
    }
    desk.json("session cost pair.nuscr --costs tour/tcp.toml -s c=0");
}

#[test]
fn a_folder_that_cannot_be_made() {
    let ran = Desk::new().run("demo --quick --out pair.nuscr/tour");
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("pair.nuscr/tour"), "{}", ran.err);
}
