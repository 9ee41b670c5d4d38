//! The protocols that are timed, as texts of the protocol language.

/// A pipeline of `roles` roles: in each iteration every role passes a message on.
pub(crate) fn pipeline(roles: usize) -> String {
    format!(
        "global protocol Pipeline(role W[1..n]) @\"param n={roles}; iter X=1000\" {{\n\
           rec X {{\n\
             foreach i in 1..n-1 {{ Data() from W[i] to W[i+1]; @\"size=64, cost=1us\" }}\n\
             continue X;\n\
           }}\n\
         }}\n"
    )
}

/// A butterfly of `2^stages` roles: in each stage every role exchanges a message with the one whose number
/// differs in one bit.
pub(crate) fn butterfly(stages: u32) -> String {
    format!(
        "global protocol Butterfly(role W[0..n-1]) @\"param n={roles}, k={stages}; iter X=1000\" {{\n\
           rec X {{\n\
             foreach s in 0..k-1 {{\n\
               foreach i in 0..n-1 {{ Half() from W[i] ~> W[xor(i, pow(2, s))]; @\"size=4096\" }}\n\
               foreach i in 0..n-1 {{ recv Half() at W[i] from W[xor(i, pow(2, s))]; @\"size=4096, cost=3us\" }}\n\
             }}\n\
             continue X;\n\
           }}\n\
         }}\n",
        roles = 1usize << stages
    )
}

/// The wraparound mesh of `side * side` roles (row `ls-64` of the CAMP prototype for a side of 8): all send along
/// their rows, all send along their columns, all receive along their rows, all receive along their
/// columns and compute.
pub(crate) fn mesh(side: usize) -> String {
    format!(
        "global protocol Mesh(role W[0..n*n-1]) @\"param n={side}, c={cost}\" {{\n\
           foreach i in 0..n*n-1 {{ Row() from W[i] ~> W[i/n*n + (i+1)%n]; @\"size=1\" }}\n\
           foreach i in 0..n*n-1 {{ Column() from W[i] ~> W[(i+n)%(n*n)]; @\"size=1\" }}\n\
           foreach i in 0..n*n-1 {{ recv Row() at W[i/n*n + (i+1)%n] from W[i]; @\"size=1\" }}\n\
           foreach i in 0..n*n-1 {{ recv Column() at W[(i+n)%(n*n)] from W[i]; @\"size=1, cost=c\" }}\n\
         }}\n",
        cost = MESH_COST
    )
}

/// Seconds of computation of each role in the reference row: 4.5836835/8^2 + 6.4/8.
pub(crate) const MESH_COST: f64 = 0.871_620_054_687_5;

/// Seconds that the CAMP prototype predicts for the mesh of 64 roles (authors' artifact, row `ls-64`).
pub(crate) const MESH_PREDICTED: f64 = 0.871_625_934_687_5;

/// Seconds that the CAMP prototype takes to predict it.
pub(crate) const MESH_PROTOTYPE: f64 = 8.0;

/// A straight line of `interactions` interactions around a ring of ten roles, a tenth of them per round.
pub(crate) fn growth(interactions: usize) -> String {
    format!(
        "global protocol Growth(role W[0..9]) {{\n\
           foreach round in 1..{} {{\n\
             foreach i in 0..9 {{ Token() from W[i] to W[(i+1)%10]; @\"size=8, cost=1us\" }}\n\
           }}\n\
         }}\n",
        interactions / 10
    )
}

/// The cost model of all cases: the one of the reference row.
pub(crate) const COST_MODEL: &str = r#"
[model]
name = "mesh"
unit = "s"
source = "published"
comment = "CAMP prototype, authors' artifact, row ls-64"

[[operation]]
name = "send"
mean = "2.17e-6"

[[operation]]
name = "recv"
mean = "0.77e-6"
"#;
