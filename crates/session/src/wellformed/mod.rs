//! Well-formedness: the checks on the global type, and projection onto every role.

mod choice;
mod flight;
mod merge;
mod project;

use diag::Diagnostic;

use crate::global::GlobalType;
use crate::local::LocalType;

/// Projects a global type onto every role, with full merging.
///
/// The diagnostics are the verdict "well formed by projection": no error among them means that every
/// role's local type is defined, that choices are announced by the role that makes them, and that
/// every separate receive meets the message it names. Local types of roles whose projection failed
/// are as far as they are defined.
#[must_use]
pub fn project(global: &GlobalType) -> (Vec<LocalType>, Vec<Diagnostic>) {
    let mut diagnostics = choice::check(global);
    diagnostics.extend(flight::check(global));
    let mut locals = Vec::with_capacity(global.roles.len());
    // Projection of a choice that is not announced would only repeat the same fault for every role.
    if !diag::has_errors(&diagnostics) {
        let plan = project::Chains::new(global);
        for role in global.role_ids() {
            let (local, mut found) = project::project_role(global, &plan, role);
            locals.push(local);
            diagnostics.append(&mut found);
        }
    }
    diag::sort(&mut diagnostics);
    (locals, diagnostics)
}

/// Checks that evaluation rests on: every separate receive meets its message and loops leave the
/// channels as they found them. Cheaper than [`project`], which includes it.
#[must_use]
pub fn check_flight(global: &GlobalType) -> Vec<Diagnostic> {
    flight::check(global)
}
