use diag::{Diagnostic, Span};

use super::{Parsed, Parser};
use crate::syntax::ast::{At, Block, Call, Foreach, RecVariable, RoleReference, Statement, StatementKind};
use crate::syntax::token::{Keyword, TokenKind};

impl Parser<'_> {
    /// Statements up to a closing brace, which is left. `in_protocol`: nested protocols that come
    /// too late are read and reported.
    pub(super) fn statements(&mut self, in_protocol: bool) -> Block {
        let mut statements = Vec::new();
        while !matches!(self.peek().kind, TokenKind::End | TokenKind::Symbol("}")) && !self.hopeless() {
            if in_protocol && self.is_keyword(Keyword::Nested) {
                self.misplaced_nested("nested protocols come before all messages");
                self.nested_protocols();
                continue;
            }
            let before = self.at;
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(_) => self.recover(before),
            }
        }
        statements
    }

    /// After a fault: goes on at once where the next statement begins on a new line, else skips.
    fn recover(&mut self, before: usize) {
        let here = self.peek();
        if self.at > before && self.begins_statement() {
            let end = self.tokens[self.at - 1].span.end as usize;
            if self.source.text()[end..here.span.start as usize].contains('\n') {
                return;
            }
        }
        if self.at == before && !self.is_symbol("{") {
            self.next();
        }
        self.skip_statement();
    }

    fn begins_statement(&self) -> bool {
        use Keyword::{Choice, Continue, Do, Rec};
        matches!(self.peek().kind, TokenKind::Identifier | TokenKind::Integer)
            || [Choice, Continue, Do, Rec].into_iter().any(|keyword| self.is_keyword(keyword))
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.peek().span;
        let (kind, at) = match self.peek().kind {
            TokenKind::Keyword(Keyword::Rec) => self.rec(start)?,
            TokenKind::Keyword(Keyword::Choice) => self.choice(start)?,
            TokenKind::Keyword(Keyword::Continue) => self.continuation(start)?,
            TokenKind::Keyword(Keyword::Do) => {
                self.next();
                self.call(None, start)?
            }
            TokenKind::Identifier if self.starts_foreach() => self.foreach(start)?,
            TokenKind::Identifier if self.starts_receive() => self.receive(start)?,
            TokenKind::Identifier | TokenKind::Integer if self.starts_call() => {
                let caller = self.role("the caller")?;
                self.expect_keyword(Keyword::Calls)?;
                self.call(Some(caller), start)?
            }
            TokenKind::Identifier | TokenKind::Integer => self.message(start)?,
            _ => return Err(self.expected("a message, `choice`, `rec`, `continue`, `do`, `foreach` or `}`")),
        };
        Ok(Statement { kind, at: At(at) })
    }

    /// `foreach i`: a message labelled `foreach` continues with `(` or `from`.
    fn starts_foreach(&self) -> bool {
        self.is_soft("foreach") && self.peek_after(1) == TokenKind::Identifier
    }

    /// `recv L`: a message labelled `recv` continues with `(` or `from`.
    fn starts_receive(&self) -> bool {
        self.is_soft("recv") && matches!(self.peek_after(1), TokenKind::Identifier | TokenKind::Integer)
    }

    /// `A calls` or `W[..`.
    fn starts_call(&self) -> bool {
        matches!(self.peek_after(1), TokenKind::Keyword(Keyword::Calls) | TokenKind::Symbol("["))
    }

    /// The span from a start to the last word taken.
    pub(super) fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at - 1].span)
    }

    fn block(&mut self) -> Parsed<Block> {
        self.nested(|parser| {
            let open = parser.expect_symbol("{")?;
            let statements = parser.statements(false);
            parser.close(open)?;
            Ok(statements)
        })
    }

    fn rec(&mut self, start: Span) -> Parsed<(StatementKind, Span)> {
        self.next();
        let name = self.name("the name of the loop")?;
        let variables =
            if self.take_symbol("[") { self.list_until("]", Self::rec_variable)? } else { Vec::new() };
        let at = self.since(start);
        let body = self.block()?;
        Ok((StatementKind::Rec { name, variables, body }, at))
    }

    fn rec_variable(&mut self) -> Parsed<RecVariable> {
        let name = self.name("a variable")?;
        self.expect_symbol("<")?;
        let roles = self.list(|parser| parser.name("a role"))?;
        self.expect_symbol(">")?;
        self.expect_symbol(":")?;
        let in_parentheses = self.take_symbol("(");
        let payload = self.payload()?;
        if in_parentheses {
            self.expect_symbol(")")?;
        }
        self.expect_symbol("=")?;
        let initial = self.assertion()?;
        Ok(RecVariable { name, roles, payload, initial })
    }

    fn choice(&mut self, start: Span) -> Parsed<(StatementKind, Span)> {
        self.next();
        self.expect_keyword(Keyword::At)?;
        let role = self.role("the role that decides")?;
        let at = self.since(start);
        let mut branches = vec![self.block()?];
        while self.take_keyword(Keyword::Or) {
            branches.push(self.block()?);
        }
        Ok((StatementKind::Choice { role, branches }, at))
    }

    fn continuation(&mut self, start: Span) -> Parsed<(StatementKind, Span)> {
        self.next();
        let name = self.name("the name of a loop")?;
        let values = if self.take_symbol("[") { self.list_until("]", Self::assertion)? } else { Vec::new() };
        self.expect_symbol(";")?;
        Ok((StatementKind::Continue { name, values }, self.since(start)))
    }

    fn call(&mut self, caller: Option<RoleReference>, start: Span) -> Parsed<(StatementKind, Span)> {
        let protocol = self.name("the name of a protocol")?;
        let mut arguments = Vec::new();
        if self.take_symbol("(") {
            arguments = self.list(|parser| parser.role("a role"))?;
            self.expect_symbol(")")?;
        }
        self.expect_symbol(";")?;
        let at = self.since(start);
        let annotation = self.annotation(|text, offset| ((), meaningless(text, offset)))?;
        Ok((StatementKind::Call(Box::new(Call { caller, protocol, arguments, annotation })), at))
    }

    fn foreach(&mut self, start: Span) -> Parsed<(StatementKind, Span)> {
        self.next();
        let variable = self.name("the index of `foreach`")?;
        if !self.take_soft("in") {
            return Err(self.expected("`in`"));
        }
        let first = self.index()?;
        self.expect_symbol("..")?;
        let last = self.index()?;
        let down = self.take_soft("down");
        let guard = if self.take_soft("where") { Some(self.guard()?) } else { None };
        let at = self.since(start);
        let body = self.block()?;
        Ok((StatementKind::Foreach(Box::new(Foreach { variable, first, last, down, guard, body })), at))
    }
}

/// An annotation where none has a meaning.
fn meaningless(text: &str, offset: usize) -> Vec<Diagnostic> {
    let says_costs = text.contains('=');
    let diagnostic = if says_costs { Diagnostic::warning } else { Diagnostic::note };
    vec![
        diagnostic("S013", "an annotation of a call says nothing to Lagcast".to_owned())
            .at(Span::new(offset, offset + text.len()), "ignored")
            .help("costs belong to the messages of the protocol that is called"),
    ]
}
