//! The protocol text as a tree: what was written, nothing resolved.
//!
//! Two trees are equal if they say the same; where it was written does not matter ([`At`]).

use diag::Span;

use super::annotation::{Header, MessageCosts};
use super::expression::Expression;
use crate::global::{Payload, Phase};

/// Where something was written. All places are equal, so that trees compare by what they say.
#[derive(Debug, Clone, Copy, Default)]
pub struct At(pub Span);

impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for At {}

/// A name as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Where it stands.
    pub at: At,
}

impl Name {
    /// A name that stands nowhere.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), at: At::default() }
    }
}

/// A file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Module {
    /// `(*# Name, Name: value #*)`.
    pub pragmas: Vec<Pragma>,
    /// The nested protocols before the global ones.
    pub nested: Vec<Protocol>,
    /// The global protocols.
    pub protocols: Vec<Protocol>,
}

/// One entry of the pragma list. Read and kept; they steer nuScr, not Lagcast.
#[derive(Debug, Clone, PartialEq)]
pub struct Pragma {
    /// Its name.
    pub name: Name,
    /// Its value, if any.
    pub value: Option<Name>,
}

/// `global protocol P(role A, role B) { .. }` or `nested protocol P(role A; new role B) { .. }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Protocol {
    /// Whether it is marked `aux`: meant to be called only.
    pub aux: bool,
    /// Its name.
    pub name: Name,
    /// Its roles in order.
    pub roles: Vec<RoleDeclaration>,
    /// The roles that a nested protocol brings along.
    pub new_roles: Vec<RoleDeclaration>,
    /// The string after the roles.
    pub header: Option<Annotation<Header>>,
    /// Nested protocols, visible inside this one.
    pub nested: Vec<Protocol>,
    /// What happens.
    pub body: Block,
    /// The words up to the opening brace.
    pub at: At,
}

/// `role A` or `role W[1..n]`.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleDeclaration {
    /// The name.
    pub name: Name,
    /// First and last index of an array of roles.
    pub range: Option<(Expression, Expression)>,
}

/// `A` or `W[i + 1]`.
#[derive(Debug, Clone, PartialEq)]
pub struct RoleReference {
    /// The name.
    pub name: Name,
    /// Which member of an array of roles.
    pub index: Option<Expression>,
    /// The whole reference.
    pub at: At,
}

/// A string `@".."` and what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct Annotation<T> {
    /// The string without its quotation marks.
    pub text: String,
    /// What Lagcast reads in it.
    pub content: T,
    /// The string without its quotation marks.
    pub at: At,
}

/// Statements in order.
pub type Block = Vec<Statement>;

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Statement {
    /// Its form.
    pub kind: StatementKind,
    /// For a message or call the whole statement, for a block statement the words before the brace.
    pub at: At,
}

/// The forms of a [`Statement`].
#[derive(Debug, Clone, PartialEq)]
pub enum StatementKind {
    /// A message or half of one.
    Message(Box<Message>),
    /// `rec X [vars] { .. }`.
    Rec {
        /// The name of the loop.
        name: Name,
        /// Its variables.
        variables: Vec<RecVariable>,
        /// Its body.
        body: Block,
    },
    /// `continue X [expressions];`
    Continue {
        /// The loop.
        name: Name,
        /// Next values of its variables, kept as text.
        values: Vec<String>,
    },
    /// `choice at P { .. } or { .. }`.
    Choice {
        /// Who decides.
        role: RoleReference,
        /// The alternatives.
        branches: Vec<Block>,
    },
    /// `do P(A, B);` or `A calls P(A, B);`
    Call(Box<Call>),
    /// `foreach i in 1..n where i != j { .. }`.
    Foreach(Box<Foreach>),
}

/// `L(payload) from A to B, C;`, `L(..) from A ~> B;` or `recv L(..) at B from A;`
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Whole message, or which half.
    pub phase: Phase,
    /// The label.
    pub label: Name,
    /// The payload.
    pub payload: Vec<Payload>,
    /// The sender.
    pub from: RoleReference,
    /// The receivers, in order; one for `recv`.
    pub to: Vec<RoleReference>,
    /// The string after the semicolon.
    pub annotation: Option<Annotation<MessageCosts>>,
}

/// `do P(A, B);` or `A calls P(A, B);`
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Who calls; `None` for `do`.
    pub caller: Option<RoleReference>,
    /// The protocol.
    pub protocol: Name,
    /// Its roles here.
    pub arguments: Vec<RoleReference>,
    /// The string after the semicolon; it has no meaning for Lagcast.
    pub annotation: Option<Annotation<()>>,
}

/// `foreach i in first..last [down] [where guard] { .. }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Foreach {
    /// The index.
    pub variable: Name,
    /// Its first value.
    pub first: Expression,
    /// Its last value.
    pub last: Expression,
    /// Whether it counts down.
    pub down: bool,
    /// Values for which this does not hold are left out.
    pub guard: Option<Expression>,
    /// What happens for each value.
    pub body: Block,
}

/// `x<A, B>: int = 0` or `x<A>: (x: int{x >= 0}) = 0`: kept, not interpreted.
#[derive(Debug, Clone, PartialEq)]
pub struct RecVariable {
    /// The variable.
    pub name: Name,
    /// Who knows it.
    pub roles: Vec<Name>,
    /// Its type.
    pub payload: Payload,
    /// Its first value, kept as text.
    pub initial: String,
}
