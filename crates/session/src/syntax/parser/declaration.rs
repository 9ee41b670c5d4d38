use diag::Diagnostic;

use super::{Parsed, Parser};
use crate::syntax::annotation::{self, Header};
use crate::syntax::ast::{Annotation, At, Module, Name, Pragma, Protocol, RoleDeclaration};
use crate::syntax::token::{Keyword, TokenKind};
use diag::spelling::suggestion;

/// The pragmas of nuScr.
const PRAGMAS: [&str; 8] = [
    "NestedProtocols",
    "ShowPragmas",
    "PrintUsage",
    "RefinementTypes",
    "SenderValidateRefinements",
    "ReceiverValidateRefinements",
    "ValidateRefinementSatisfiability",
    "ValidateRefinementProgress",
];

impl Parser<'_> {
    /// The whole file.
    pub(in crate::syntax) fn module(mut self) -> (Module, Vec<Diagnostic>) {
        let mut module = Module::default();
        if self.peek().kind == TokenKind::PragmaOpen {
            let pragmas = self.pragmas();
            module.pragmas = pragmas.unwrap_or_default();
        }
        while self.peek().kind != TokenKind::End && !self.hopeless() {
            if self.is_protocol_start() {
                self.module_protocol(&mut module);
            } else {
                let _ = self.expected("a protocol");
                self.skip_to_protocol();
            }
        }
        if self.hopeless() {
            self.diagnostics.push(
                Diagnostic::note("S018", "too many faults: the rest of the file was not read")
                    .at(self.peek().span, "given up here"),
            );
        }
        (module, self.diagnostics)
    }

    fn module_protocol(&mut self, module: &mut Module) {
        if self.is_keyword(Keyword::Nested) {
            if !module.protocols.is_empty() {
                self.misplaced_nested("nested protocols come before the global ones");
            }
            if let Ok(protocol) = self.protocol() {
                module.nested.push(protocol);
            } else {
                self.skip_to_protocol();
            }
        } else if let Ok(protocol) = self.protocol() {
            module.protocols.push(protocol);
        } else {
            self.skip_to_protocol();
        }
    }

    pub(super) fn misplaced_nested(&mut self, rule: &str) {
        self.error(
            Diagnostic::error("S009", "this nested protocol stands in the wrong place")
                .at(self.peek().span, rule.to_owned())
                .help("move it up"),
        );
    }

    fn is_protocol_start(&self) -> bool {
        use Keyword::{Aux, Global, Nested, Protocol};
        [Aux, Global, Nested, Protocol].into_iter().any(|keyword| self.is_keyword(keyword))
    }

    /// Skips to the next word that may begin a protocol, past whole blocks.
    fn skip_to_protocol(&mut self) {
        while self.peek().kind != TokenKind::End && !self.is_protocol_start() {
            if self.is_symbol("{") {
                self.skip_braces();
            } else {
                self.next();
            }
        }
    }

    fn pragmas(&mut self) -> Parsed<Vec<Pragma>> {
        self.next();
        let pragmas = self.pragma_list();
        if pragmas.is_err() {
            while !matches!(self.peek().kind, TokenKind::End | TokenKind::PragmaClose)
                && !self.is_protocol_start()
            {
                self.next();
            }
            self.take_if(self.peek().kind == TokenKind::PragmaClose);
        }
        pragmas
    }

    fn pragma_list(&mut self) -> Parsed<Vec<Pragma>> {
        let mut pragmas = Vec::new();
        if self.peek().kind != TokenKind::PragmaClose {
            pragmas = self.list(Self::pragma)?;
        }
        if self.peek().kind != TokenKind::PragmaClose {
            return Err(self.expected("`#*)`"));
        }
        self.next();
        Ok(pragmas)
    }

    fn pragma(&mut self) -> Parsed<Pragma> {
        let name = self.name("the name of a pragma")?;
        if !PRAGMAS.contains(&name.text.as_str()) {
            self.error(
                Diagnostic::error("S005", format!("there is no pragma `{}`", name.text))
                    .at(name.at.0, "unknown pragma")
                    .help(suggestion(&name.text, &PRAGMAS, "pragmas")),
            );
        }
        let value = if self.take_symbol(":") { Some(self.name("the value of the pragma")?) } else { None };
        Ok(Pragma { name, value })
    }

    /// `[aux] (global [protocol] | protocol | nested protocol) name (roles) [@".."] { .. }`
    fn protocol(&mut self) -> Parsed<Protocol> {
        self.nested(|parser| {
            let start = parser.peek().span;
            let is_nested = parser.is_keyword(Keyword::Nested);
            let aux = !is_nested && parser.take_keyword(Keyword::Aux);
            if is_nested {
                parser.next();
                parser.expect_keyword(Keyword::Protocol)?;
            } else if parser.take_keyword(Keyword::Global) {
                parser.take_keyword(Keyword::Protocol);
            } else {
                parser.expect_keyword(Keyword::Protocol)?;
            }
            let name = parser.name("the name of the protocol")?;
            let (roles, new_roles) = parser.roles(is_nested)?;
            let at = At(start.to(parser.tokens[parser.at - 1].span));
            let header = parser.header()?;
            let open = parser.expect_symbol("{")?;
            let nested = parser.nested_protocols();
            let body = parser.statements(true);
            parser.close(open)?;
            Ok(Protocol { aux, name, roles, new_roles, header, nested, body, at })
        })
    }

    /// Nested protocols at the head of a body.
    pub(super) fn nested_protocols(&mut self) -> Vec<Protocol> {
        let mut nested = Vec::new();
        while self.is_keyword(Keyword::Nested) && !self.hopeless() {
            match self.protocol() {
                Ok(protocol) => nested.push(protocol),
                Err(_) => self.skip_statement(),
            }
        }
        nested
    }

    /// `(role A, role W[1..n])`, for nested protocols with `; new role C, role D`.
    fn roles(&mut self, is_nested: bool) -> Parsed<(Vec<RoleDeclaration>, Vec<RoleDeclaration>)> {
        self.expect_symbol("(")?;
        let roles = self.list(Self::role_declaration)?;
        let mut new_roles = Vec::new();
        if is_nested && self.take_symbol(";") {
            self.expect_keyword(Keyword::New)?;
            new_roles = self.list(Self::role_declaration)?;
        }
        self.expect_symbol(")")?;
        Ok((roles, new_roles))
    }

    fn role_declaration(&mut self) -> Parsed<RoleDeclaration> {
        self.expect_keyword(Keyword::Role)?;
        let name: Name = self.name("the name of a role")?;
        let mut range = None;
        if self.take_symbol("[") {
            let first = self.index()?;
            self.expect_symbol("..")?;
            range = Some((first, self.index()?));
            self.expect_symbol("]")?;
        }
        Ok(RoleDeclaration { name, range })
    }

    fn header(&mut self) -> Parsed<Option<Annotation<Header>>> {
        self.annotation(annotation::parse_header)
    }

    /// `@".."`, read by `read`, if there is one.
    pub(super) fn annotation<T>(
        &mut self,
        read: impl FnOnce(&str, usize) -> (T, Vec<Diagnostic>),
    ) -> Parsed<Option<Annotation<T>>> {
        if !self.take_symbol("@") {
            return Ok(None);
        }
        let token = self.peek();
        if token.kind != TokenKind::Text {
            return Err(self.expected("a string"));
        }
        self.next();
        let quoted = self.text(token);
        let text = quoted.trim_matches('"');
        let start = token.span.start as usize + 1;
        let (content, diagnostics) = read(text, start);
        self.errors += diagnostics.iter().filter(|d| d.is_error()).count();
        self.diagnostics.extend(diagnostics);
        let at = At(diag::Span::new(start, start + text.len()));
        Ok(Some(Annotation { text: text.to_owned(), content, at }))
    }
}
