//! Local types as text and as state machines.

mod machine;
mod text;

pub(crate) use machine::machine;
pub(crate) use text::local_text;

use session::global::Payload;
use session::local::Action;

/// `Data(int, x: int{x > 0})`.
fn signature(action: &Action) -> String {
    let payload: Vec<String> = action.payload.iter().map(element).collect();
    format!("{}({})", action.label, payload.join(", "))
}

fn element(payload: &Payload) -> String {
    let name = payload.variable.as_ref().map_or(String::new(), |variable| format!("{variable}: "));
    let refinement =
        payload.refinement.as_ref().map_or(String::new(), |condition| format!("{{{condition}}}"));
    format!("{name}{}{refinement}", payload.base)
}
