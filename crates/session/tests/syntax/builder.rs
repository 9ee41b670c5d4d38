//! Protocols written in Rust.

use cost::Formula;
use session::builder::ProtocolBuilder;

#[test]
fn the_builder_gives_what_the_text_gives() {
    let mut protocol = ProtocolBuilder::new("P");
    let [a, b] = ["A", "B"].map(|name| protocol.role(name));
    protocol
        .parameter("n", None)
        .iterations("X", 3.0.into())
        .capacity(a, b, 2)
        .place(b, "node")
        .cores("node", 4);
    protocol.body().send("Go", b, a);
    protocol.body().rec("X", |x| {
        x.receive("Go", b, a).cost(Formula::name("c"));
        x.choice(a, |choice| {
            choice.branch_with(0.9.into(), |more| {
                more.message("Data", a, b).payload("int").size(8.0.into()).pre(Formula::name("n"));
                more.send("Go", b, a);
                more.continue_with("X");
            });
            choice.branch_with(0.1.into(), |stop| {
                stop.message("Stop", a, b).deadline(5.0.into());
            });
        });
    });
    let built = protocol.build().unwrap();
    session::expand::check_invariants(&built).unwrap();
    let text = r#"
        protocol P(role A, role B) @"param n; iter X=3; place B=node; cores node=4; capacity A->B=2" {
            Go() from B ~> A;
            rec X {
                recv Go() at A from B; @"cost=c"
                choice at A { Data(int) from A to B; @"size=8, pre=n, prob=0.9" Go() from B ~> A; continue X; }
                or { Stop() from A to B; @"deadline=5, prob=0.1" }
            }
        }"#;
    assert_eq!(session::print_global(&built), session::print_global(&super::global(text)));
}

#[test]
fn everything_that_is_wrong_is_reported() {
    let mut protocol = ProtocolBuilder::new("P");
    let stranger = session::global::RoleId(7);
    let a = protocol.role("A");
    let b = protocol.role("A");
    protocol.iterations("Z", 1.0.into());
    protocol.body().message("to", a, b);
    protocol.body().message("M", a, a);
    protocol.body().message("M", a, stranger);
    protocol.body().rec("X", |x| x.continue_with("X"));
    protocol.body().continue_with("Y");
    protocol.body().message("M", a, b);
    let mut codes = super::codes(&protocol.build().unwrap_err());
    codes.sort_unstable();
    assert_eq!(codes, ["S022", "S101", "S102", "S106", "S107", "S108", "S110", "S121"]);
}
