//! From names and indices to roles.

use diag::{Diagnostic, Span};

use super::inline::Expander;
use crate::global::{Role, RoleId};
use crate::syntax::ast::{At, Name, RoleDeclaration, RoleReference};
use crate::syntax::expression::{ArithmeticFault, Expression};

/// What a declared role name stands for: one role, or an array of them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Binding {
    /// Index of the first member.
    pub(super) first: i64,
    /// The members; exactly one if it is no array.
    pub(super) members: Vec<RoleId>,
}

impl Binding {
    pub(super) fn one(role: RoleId) -> Self {
        Self { first: 1, members: vec![role] }
    }

    /// The same roles, whatever their indices: what a call passes on.
    pub(super) fn as_argument(&self) -> Self {
        Self { first: 1, members: self.members.clone() }
    }

    /// Index of the last member.
    pub(super) fn last(&self) -> i64 {
        self.first + i64::try_from(self.members.len()).expect("arrays are limited in size") - 1
    }

    pub(super) fn member(&self, index: i64) -> Option<RoleId> {
        let offset = usize::try_from(index.checked_sub(self.first)?).ok()?;
        self.members.get(offset).copied()
    }
}

/// Why an expression has no value here.
enum Fault {
    Arithmetic(ArithmeticFault),
    NoValue(String, Span),
    NotWhole(String, f64, Span),
}

impl From<ArithmeticFault> for Fault {
    fn from(fault: ArithmeticFault) -> Self {
        Fault::Arithmetic(fault)
    }
}

/// Largest magnitude below which every whole number is a floating-point number.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl<'a> Expander<'a> {
    /// The value of an index, bound or guard; `None` if it has none, which is reported (S113, S115).
    pub(super) fn value(&mut self, expression: &Expression) -> Option<i64> {
        let result = expression.evaluate(&|name, At(span)| {
            if let Some((_, value)) = self.frame().indices.iter().rev().find(|(index, _)| *index == name) {
                return Ok(*value);
            }
            let value = self.parameters.value(name).ok_or_else(|| Fault::NoValue(name.to_owned(), span))?;
            if value.fract() != 0.0 || value.abs() >= EXACT {
                return Err(Fault::NotWhole(name.to_owned(), value, span));
            }
            #[expect(clippy::cast_possible_truncation, reason = "checked to be a whole number that fits")]
            Ok(value as i64)
        });
        let diagnostic = match result {
            Ok(value) => return Some(value),
            Err(Fault::Arithmetic(fault)) => {
                Diagnostic::error("S115", format!("`{expression}` has no value{}: {fault}", self.indices()))
                    .at(expression.at.0, "computed here")
            }
            Err(Fault::NoValue(name, span)) => {
                Diagnostic::error("S113", format!("the parameter `{name}` needs a value"))
                    .at(span, "the shape of the protocol depends on it")
                    .help(format!(
                        "say --set {name}=4, or declare a default in the header: @\"param {name}=4\""
                    ))
            }
            Err(Fault::NotWhole(name, value, span)) => {
                Diagnostic::error("S115", format!("the parameter `{name}` is {value}, not a whole number"))
                    .at(span, "used as an index or bound")
            }
        };
        self.report(diagnostic);
        None
    }

    /// The current indices as ` for i = 1, j = 2`, or nothing.
    fn indices(&self) -> String {
        let indices: Vec<String> =
            self.frame().indices.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        if indices.is_empty() { String::new() } else { format!(" for {}", indices.join(", ")) }
    }

    /// The role that a reference means; `None` if the index is out of range, which is reported (S114).
    pub(super) fn resolve(&mut self, role: &'a RoleReference) -> Option<RoleId> {
        let Some(index) = &role.index else {
            return Some(self.frame().roles[role.name.text.as_str()].members[0]);
        };
        let index = self.value(index)?;
        let binding = &self.frame().roles[role.name.text.as_str()];
        let found = binding.member(index);
        if found.is_none() {
            let name = &role.name.text;
            let (first, last) = (binding.first, binding.last());
            let message = format!("`{role}` is {name}[{index}]{}", self.indices());
            let range = match last < first {
                true => format!("`{name}` has no members"),
                false => format!("`{name}` runs from {first} to {last}"),
            };
            self.report(
                Diagnostic::error("S114", format!("{message}, but {range}"))
                    .at(role.at.0, "out of range")
                    .help("leave values out with `where`, or wrap around with `%`"),
            );
        }
        found
    }

    /// Creates the roles of a declaration.
    pub(super) fn declare(&mut self, declaration: &'a RoleDeclaration) -> Option<Binding> {
        let Some((first, last)) = &declaration.range else {
            return Some(Binding::one(self.new_role(&declaration.name, declaration.name.text.clone())?));
        };
        let (first, last) = (self.value(first)?, self.value(last)?);
        let count = last.saturating_sub(first).saturating_add(1).max(0);
        if usize::try_from(count)
            .is_ok_and(|count| self.roles.len().saturating_add(count) > self.limits.roles)
        {
            self.too_many_roles(declaration.name.at.0);
            return None;
        }
        let mut members = Vec::new();
        for index in first..=last {
            members.push(self.new_role(&declaration.name, format!("{}_{index}", declaration.name.text))?);
        }
        Some(Binding { first, members })
    }

    /// A role. At the outermost level its name must be free (S117); roles that a call brings along
    /// get their names in the end.
    fn new_role(&mut self, declared: &Name, name: String) -> Option<RoleId> {
        let span = declared.at.0;
        if self.roles.len() >= self.limits.roles {
            self.too_many_roles(span);
            return None;
        }
        let id = RoleId(u32::try_from(self.roles.len()).expect("roles are limited"));
        if self.is_outermost()
            && let Some(other) = self.role_names.insert(name.clone(), id)
        {
            let other = self.roles[other.index()].span;
            self.report(
                Diagnostic::error("S117", format!("two roles are called `{name}`"))
                    .at(span, "a member of an array is called by its name, `_` and its index")
                    .at(other, "declared here")
                    .help("rename one of them"),
            );
        }
        self.roles.push(Role { name, span });
        Some(id)
    }

    fn too_many_roles(&mut self, span: Span) {
        let limit = self.limits.roles;
        self.aborted = true;
        self.report(
            Diagnostic::error("S119", format!("this protocol has more than {limit} roles"))
                .at(span, "declared here")
                .help("choose smaller parameters"),
        );
    }
}
