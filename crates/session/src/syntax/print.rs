//! A tree back to text, laid out one statement per line.

use std::fmt::{self, Display, Formatter};

use super::ast::{
    Annotation, Block, Call, Foreach, Message, Module, Protocol, RecVariable, RoleDeclaration, RoleReference,
    Statement, StatementKind,
};
use crate::global::{Payload, Phase};

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if !self.pragmas.is_empty() {
            let pragmas = self.pragmas.iter().map(|pragma| match &pragma.value {
                Some(value) => format!("{}: {}", pragma.name.text, value.text),
                None => pragma.name.text.clone(),
            });
            writeln!(f, "(*# {} #*)", comma_separated(pragmas))?;
        }
        for protocol in &self.nested {
            write_protocol(f, protocol, "nested protocol", 0)?;
        }
        for protocol in &self.protocols {
            write_protocol(f, protocol, "global protocol", 0)?;
        }
        Ok(())
    }
}

impl Display for RoleDeclaration {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "role {}", self.name.text)?;
        match &self.range {
            Some((first, last)) => write!(f, "[{first}..{last}]"),
            None => Ok(()),
        }
    }
}

impl Display for RoleReference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name.text)?;
        match &self.index {
            Some(index) => write!(f, "[{index}]"),
            None => Ok(()),
        }
    }
}

impl Display for Payload {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(variable) = &self.variable {
            write!(f, "{variable}: ")?;
        }
        f.write_str(&self.base)?;
        match &self.refinement {
            Some(refinement) => write!(f, "{{{refinement}}}"),
            None => Ok(()),
        }
    }
}

impl Display for RecVariable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let roles = comma_separated(self.roles.iter().map(|role| &role.text));
        write!(f, "{}<{roles}>: {} = {}", self.name.text, self.payload, self.initial)
    }
}

impl Display for Message {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let label = &self.label.text;
        let payload = comma_separated(&self.payload);
        let to = comma_separated(&self.to);
        match self.phase {
            Phase::Whole => write!(f, "{label}({payload}) from {} to {to};", self.from),
            Phase::Send => write!(f, "{label}({payload}) from {} ~> {to};", self.from),
            Phase::Receive => write!(f, "recv {label}({payload}) at {to} from {};", self.from),
        }
    }
}

impl Display for Call {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.caller {
            Some(caller) => write!(f, "{caller} calls {}", self.protocol.text)?,
            None => write!(f, "do {}", self.protocol.text)?,
        }
        if !self.arguments.is_empty() {
            write!(f, "({})", comma_separated(&self.arguments))?;
        }
        f.write_str(";")
    }
}

impl Display for Foreach {
    /// The words before the body.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "foreach {} in {}..{}", self.variable.text, self.first, self.last)?;
        if self.down {
            f.write_str(" down")?;
        }
        match &self.guard {
            Some(guard) => write!(f, " where {guard}"),
            None => Ok(()),
        }
    }
}

fn comma_separated<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    items.join(", ")
}

fn indent(f: &mut Formatter<'_>, depth: usize) -> fmt::Result {
    write!(f, "{:1$}", "", 2 * depth)
}

fn write_protocol(f: &mut Formatter<'_>, protocol: &Protocol, head: &str, depth: usize) -> fmt::Result {
    indent(f, depth)?;
    let aux = if protocol.aux { "aux " } else { "" };
    write!(f, "{aux}{head} {}({}", protocol.name.text, comma_separated(&protocol.roles))?;
    if !protocol.new_roles.is_empty() {
        write!(f, "; new {}", comma_separated(&protocol.new_roles))?;
    }
    f.write_str(")")?;
    write_annotation(f, protocol.header.as_ref())?;
    f.write_str(" {\n")?;
    for nested in &protocol.nested {
        write_protocol(f, nested, "nested protocol", depth + 1)?;
    }
    write_block(f, &protocol.body, depth + 1)?;
    indent(f, depth)?;
    f.write_str("}\n")
}

fn write_annotation<T>(f: &mut Formatter<'_>, annotation: Option<&Annotation<T>>) -> fmt::Result {
    match annotation {
        Some(annotation) => write!(f, " @\"{}\"", annotation.text),
        None => Ok(()),
    }
}

fn write_block(f: &mut Formatter<'_>, block: &Block, depth: usize) -> fmt::Result {
    block.iter().try_for_each(|statement| {
        indent(f, depth)?;
        write_statement(f, statement, depth)?;
        f.write_str("\n")
    })
}

/// `{ .. }` with its statements one level deeper.
fn write_braces(f: &mut Formatter<'_>, block: &Block, depth: usize) -> fmt::Result {
    f.write_str("{\n")?;
    write_block(f, block, depth + 1)?;
    indent(f, depth)?;
    f.write_str("}")
}

fn write_statement(f: &mut Formatter<'_>, statement: &Statement, depth: usize) -> fmt::Result {
    match &statement.kind {
        StatementKind::Message(message) => {
            write!(f, "{message}")?;
            write_annotation(f, message.annotation.as_ref())
        }
        StatementKind::Call(call) => {
            write!(f, "{call}")?;
            write_annotation(f, call.annotation.as_ref())
        }
        StatementKind::Rec { name, variables, body } => {
            write!(f, "rec {} ", name.text)?;
            if !variables.is_empty() {
                write!(f, "[{}] ", comma_separated(variables))?;
            }
            write_braces(f, body, depth)
        }
        StatementKind::Continue { name, values } if values.is_empty() => write!(f, "continue {};", name.text),
        StatementKind::Continue { name, values } => {
            write!(f, "continue {} [{}];", name.text, comma_separated(values))
        }
        StatementKind::Choice { role, branches } => {
            write!(f, "choice at {role} ")?;
            branches.iter().enumerate().try_for_each(|(index, branch)| {
                f.write_str(if index == 0 { "" } else { " or " })?;
                write_braces(f, branch, depth)
            })
        }
        StatementKind::Foreach(foreach) => {
            write!(f, "{foreach} ")?;
            write_braces(f, &foreach.body, depth)
        }
    }
}
