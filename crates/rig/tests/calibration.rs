//! Calibrations end with a usable model, whatever the machine: no test of how fast it is.

use std::time::Duration;

use cost::{PriceList, Prices, Request};
use rig::{
    CalibrateOptions, Placement, RigError, SAME_CORE, Transport, calibrate_transport, measure_transport,
};

fn short(transport: Transport) -> CalibrateOptions {
    CalibrateOptions { sizes: vec![1, 5000], rounds: 1, messages: 20, ..CalibrateOptions::new(transport) }
}

#[test]
fn every_transport_gets_a_model_that_its_file_keeps() {
    for transport in Transport::ALL {
        let options = CalibrateOptions { date: Some("2026-11-30".to_owned()), ..short(transport) };
        let mut steps = Vec::new();
        let model = calibrate_transport(&options, &mut |done, all| steps.push((done, all))).unwrap();
        assert_eq!(steps, [(1, 3), (2, 3), (3, 3)], "two sizes and the computation");
        let names: Vec<&str> = model.operations.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["send", "latency", "wake", "recv", "compute"]);
        assert!(model.environment.as_ref().unwrap().contains(transport.name()));
        assert_eq!(model.date.as_deref(), Some("2026-11-30"));
        let (read, diagnostics) = cost::Model::parse(&diag::Source::new("model.toml", model.to_toml()));
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        assert_eq!(read.as_ref(), Some(&model));
        let prices = Prices::new(vec![model]).unwrap();
        for size in [1.0, 64.0, 5000.0] {
            for operation in ["send", "latency", "wake", "recv"] {
                let request = Request::new(operation, &["P"], &["Q"]).with_size(size);
                let [min, mean, max] = prices.price(&request).unwrap().lanes();
                assert!(
                    0.0 <= min && min <= mean && mean <= max,
                    "{operation} of {size} B: {min} {mean} {max}"
                );
            }
        }
    }
}

#[test]
fn bound_roles_are_measured_on_two_cores_and_on_one() {
    let options =
        CalibrateOptions { placement: Placement::RoundRobin, keep_awake: true, ..short(Transport::Unix) };
    let calibration = measure_transport(&options, &mut |_, _| {}).unwrap();
    for points in [&calibration.apart, &calibration.together] {
        let sizes: Vec<usize> = points.iter().map(|point| point.size).collect();
        assert_eq!(sizes, [1, 5000]);
        assert!(points.iter().all(|point| point.crossing().mean > 0.0 && point.stream > 0.0));
        assert!(points.iter().all(|point| point.ready_send.mean <= point.send.mean));
    }
    assert!(calibration.compute.mean > 0.5, "a second of work does not take less: {:?}", calibration.compute);
    let model = calibration.model();
    assert_eq!(model.operations.iter().filter(|one| one.from == SAME_CORE && one.to == SAME_CORE).count(), 4);
    let environment = &calibration.environment;
    assert!(environment.ends_with("pinned, cores kept awake by idle threads"), "{environment}");
}

#[test]
fn a_spent_budget_leaves_one_round() {
    let options = CalibrateOptions { rounds: 1_000_000, budget: Duration::ZERO, ..short(Transport::Thread) };
    let calibration = measure_transport(&options, &mut |_, _| {}).unwrap();
    assert_eq!(calibration.apart.len(), 2);
}

#[test]
fn messages_larger_than_the_buffers_are_measured_too() {
    // They cannot be there before the receiver takes them.
    let options = CalibrateOptions { sizes: vec![1, 8 << 20], ..short(Transport::Unix) };
    let calibration = measure_transport(&options, &mut |_, _| {}).unwrap();
    let point = calibration.apart[1];
    assert!(point.send.mean + point.recv.mean > 0.0 && point.wake.mean >= 0.0, "{point:?}");
}

#[test]
fn options_that_allow_no_measurement() {
    let base = short(Transport::Tcp);
    let refused = [
        CalibrateOptions { sizes: vec![64], ..base.clone() },
        CalibrateOptions { sizes: vec![0, 64], ..base.clone() },
        CalibrateOptions { sizes: vec![64, 64], ..base.clone() },
        CalibrateOptions { rounds: 0, ..base.clone() },
        CalibrateOptions { messages: 19, ..base.clone() },
        CalibrateOptions { placement: Placement::Cores(vec![0]), ..base.clone() },
    ];
    for options in refused {
        let error = measure_transport(&options, &mut |_, _| {}).unwrap_err();
        assert!(matches!(error, RigError::Options { .. }), "{error}");
    }
    let nowhere = CalibrateOptions { placement: Placement::Cores(vec![0, 100_000]), ..base };
    let error = measure_transport(&nowhere, &mut |_, _| {}).unwrap_err();
    assert!(error.to_string().contains("no core 100000"), "{error}");
}
