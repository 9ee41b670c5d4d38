use diag::Span;

use super::{Parsed, Parser};
use crate::global::{Payload, Phase};
use crate::syntax::annotation;
use crate::syntax::ast::{At, Message, RoleReference, StatementKind};
use crate::syntax::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// `L(..) from A to B, C;` or `L(..) from A ~> B, C;`
    pub(super) fn message(&mut self, start: Span) -> Parsed<(StatementKind, Span)> {
        let label = self.name("a label")?;
        let payload = self.payload_list()?;
        self.expect_keyword(Keyword::From)?;
        let from = self.role("the sender")?;
        let phase = if self.take_symbol("~>") {
            Phase::Send
        } else if self.take_keyword(Keyword::To) {
            Phase::Whole
        } else {
            return Err(self.expected("`to` or `~>`"));
        };
        let to = self.list(|parser| parser.role("the receiver"))?;
        self.finish(start, Message { phase, label, payload, from, to, annotation: None })
    }

    /// `recv L(..) at B from A;`
    pub(super) fn receive(&mut self, start: Span) -> Parsed<(StatementKind, Span)> {
        self.next();
        let label = self.name("a label")?;
        let payload = self.payload_list()?;
        self.expect_keyword(Keyword::At)?;
        let to = vec![self.role("the receiver")?];
        self.expect_keyword(Keyword::From)?;
        let from = self.role("the sender")?;
        self.finish(start, Message { phase: Phase::Receive, label, payload, from, to, annotation: None })
    }

    /// The semicolon and the annotation.
    fn finish(&mut self, start: Span, mut message: Message) -> Parsed<(StatementKind, Span)> {
        self.expect_symbol(";")?;
        let at = self.since(start);
        message.annotation = self.annotation(annotation::parse_message)?;
        Ok((StatementKind::Message(Box::new(message)), at))
    }

    /// `A` or `W[i + 1]`.
    pub(super) fn role(&mut self, what: &str) -> Parsed<RoleReference> {
        let name = self.name(what)?;
        let mut index = None;
        let mut at = name.at.0;
        if self.take_symbol("[") {
            index = Some(self.index()?);
            at = at.to(self.expect_symbol("]")?);
        }
        Ok(RoleReference { name, index, at: At(at) })
    }

    fn payload_list(&mut self) -> Parsed<Vec<Payload>> {
        if self.take_symbol("(") { self.list_until(")", Self::payload) } else { Ok(Vec::new()) }
    }

    /// `int`, `a.b.c`, `x: int`, `x: int{x > 0}` or `Protocol@role`.
    pub(super) fn payload(&mut self) -> Parsed<Payload> {
        let first = self.name("a type")?.text;
        if self.take_symbol("@") {
            let role = self.name("the role that is delegated")?.text;
            return Ok(Payload { variable: None, base: format!("{first}@{role}"), refinement: None });
        }
        if !self.take_symbol(":") {
            return Ok(Payload { variable: None, base: self.qualified(first)?, refinement: None });
        }
        let base = self.name("a type")?.text;
        let base = self.qualified(base)?;
        let mut refinement = None;
        if self.take_symbol("{") {
            refinement = self.refinement();
        }
        Ok(Payload { variable: Some(first), base, refinement })
    }

    /// An assertion and the closing brace. After a fault the brace is looked for in the same
    /// statement: it must not be taken for the end of a block.
    fn refinement(&mut self) -> Option<String> {
        let assertion = self.assertion().ok();
        if assertion.is_none() {
            while !matches!(self.peek().kind, TokenKind::End | TokenKind::Symbol("}" | ";")) {
                self.next();
            }
        }
        if !self.take_symbol("}") && assertion.is_some() {
            self.expected("`}`");
        }
        assertion
    }

    /// The rest of a qualified name.
    fn qualified(&mut self, mut name: String) -> Parsed<String> {
        while self.is_symbol(".") && self.peek_after(1) == TokenKind::Identifier {
            self.next();
            name.push('.');
            name.push_str(&self.name("a type")?.text);
        }
        Ok(name)
    }
}
