use diag::{Diagnostic, Span};

use super::token::{Token, tokens};
use super::{Formula, Function, MAX_DEPTH, MAX_LENGTH};
use diag::spelling::suggestion;

/// How tightly an operator binds; an operand is parsed up to the next looser one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Sign,
    Power,
}

impl Formula {
    /// Reads a formula. `offset` is where `text` begins in the source, in bytes: spans are shifted by it.
    ///
    /// # Errors
    /// All faults found, codes C101 to C108, at least one.
    pub fn parse(text: &str, offset: usize) -> Result<Formula, Vec<Diagnostic>> {
        if text.len() > MAX_LENGTH {
            return Err(vec![
                Diagnostic::error("C107", format!("this formula is longer than {MAX_LENGTH} bytes"))
                    .at(Span::new(0, text.len()).shift(offset), "too long")
                    .help("give parts of it names"),
            ]);
        }
        let mut diagnostics = Vec::new();
        let tokens = tokens(text, &mut diagnostics);
        let mut parser = Parser { tokens, next: 0, depth: 0, diagnostics };
        let formula = parser.formula(text);
        if parser.diagnostics.is_empty() {
            return Ok(formula);
        }
        let mut diagnostics = parser.diagnostics;
        for label in diagnostics.iter_mut().flat_map(|diagnostic| &mut diagnostic.labels) {
            label.span = label.span.shift(offset);
        }
        diag::sort(&mut diagnostics);
        Err(diagnostics)
    }
}

/// A Pratt parser that goes on after faults: a missing operand stands as 1.
struct Parser {
    tokens: Vec<(Token, Span)>,
    next: usize,
    depth: usize,
    diagnostics: Vec<Diagnostic>,
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn span(&self) -> Span {
        self.tokens[self.next].1
    }

    fn take(&mut self) -> Span {
        let span = self.span();
        self.next = (self.next + 1).min(self.tokens.len() - 1);
        span
    }

    fn eat(&mut self, token: &Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.take();
        }
        found
    }

    fn formula(&mut self, text: &str) -> Formula {
        if *self.peek() == Token::End {
            if self.diagnostics.is_empty() {
                self.diagnostics.push(
                    Diagnostic::error("C108", "this formula is empty")
                        .at(Span::new(0, text.len()), "a value is missing")
                        .help("write a number, a name or an expression such as `8*n`"),
                );
            }
            return Formula::number(1.0);
        }
        let mut formula = self.operand(Binding::Sum);
        // Whatever ends an operand at the outermost level has no partner.
        while *self.peek() != Token::End {
            let span = self.span();
            let diagnostic = match self.peek() {
                Token::Close => Diagnostic::error("C103", "this parenthesis closes nothing")
                    .at(span, "no `(` before it")
                    .help("remove it, or open one"),
                _ => Diagnostic::error("C102", "a comma may only separate the arguments of a function")
                    .at(span, "not inside a call")
                    .help("decimals are written with a point"),
            };
            self.diagnostics.push(diagnostic);
            let comma = *self.peek() == Token::Comma;
            self.take();
            formula = if comma { self.operand(Binding::Sum) } else { self.operators(formula, Binding::Sum) };
        }
        formula
    }

    /// One operand and all operators that bind at least as tightly as `least`.
    fn operand(&mut self, least: Binding) -> Formula {
        if self.depth == MAX_DEPTH {
            return self.too_deep();
        }
        self.depth += 1;
        let first = self.prefix();
        let formula = self.operators(first, least);
        self.depth -= 1;
        formula
    }

    fn too_deep(&mut self) -> Formula {
        let diagnostic =
            Diagnostic::error("C107", format!("this formula is nested more than {MAX_DEPTH} deep"))
                .at(self.span(), "one level too many")
                .help("give parts of it names");
        // Nothing after this point can be judged: leave everything at once, without follow-up faults.
        self.diagnostics.retain(|earlier| earlier.code == "C101" || earlier.code == "C104");
        self.diagnostics.push(diagnostic);
        self.next = self.tokens.len() - 1;
        Formula::number(1.0)
    }

    fn gave_up(&self) -> bool {
        self.diagnostics.last().is_some_and(|last| last.code == "C107")
    }

    fn operators(&mut self, mut left: Formula, least: Binding) -> Formula {
        loop {
            let (binding, right) = match self.peek() {
                Token::Plus | Token::Minus => (Binding::Sum, Binding::Product),
                Token::Times | Token::Over => (Binding::Product, Binding::Sign),
                Token::Power => (Binding::Power, Binding::Power),
                token if token.begins_value() => {
                    self.missing_operator();
                    (Binding::Product, Binding::Sign)
                }
                _ => return left,
            };
            if binding < least {
                return left;
            }
            let operator = self.peek().clone();
            if !operator.begins_value() {
                self.take();
            }
            let right = self.operand(right);
            left = match operator {
                Token::Plus => left + right,
                Token::Minus => left - right,
                Token::Over => left / right,
                Token::Power => left.power(right),
                _ => left * right,
            };
        }
    }

    /// Whether a character that was left out just before the next word explains why something is missing.
    fn explained(&self) -> bool {
        let before = self.next.checked_sub(1).map_or(0, |previous| self.tokens[previous].1.end);
        let here = before..=self.span().start;
        let left_out = |d: &Diagnostic| d.code == "C101" && d.span().is_some_and(|s| here.contains(&s.start));
        self.diagnostics.iter().any(left_out)
    }

    fn missing_operator(&mut self) {
        let span = self.span();
        // Looser levels come back to the same place: it is reported once.
        if self.explained() || self.diagnostics.iter().any(|d| d.code == "C102" && d.span() == Some(span)) {
            return;
        }
        self.diagnostics.push(
            Diagnostic::error("C102", "an operator is missing between two values")
                .at(span, "expected an operator before this")
                .help("a product needs its sign: `2*n`"),
        );
    }

    fn prefix(&mut self) -> Formula {
        match self.peek().clone() {
            Token::Minus => {
                self.take();
                -self.operand(Binding::Power)
            }
            Token::Number(value) => {
                self.take();
                Formula::number(value)
            }
            Token::Quantity(value, unit) => {
                self.take();
                Formula::quantity(value, unit)
            }
            Token::Name(name) => {
                let span = self.take();
                if *self.peek() == Token::Open { self.call(&name, span) } else { Formula::name(&name) }
            }
            Token::Open => {
                let open = self.take();
                let inner = self.operand(Binding::Sum);
                self.close(open);
                inner
            }
            _ => {
                self.missing_value();
                Formula::number(1.0)
            }
        }
    }

    fn missing_value(&mut self) {
        let span = self.span();
        let (label, help) = match self.peek() {
            Token::End => ("the formula ends here", "write the missing operand, or remove the operator"),
            Token::Times if self.next > 0 && self.tokens[self.next - 1].0 == Token::Times => {
                ("expected a value before this", "powers are written `x^2`")
            }
            Token::Plus => ("expected a value before this", "there is no sign `+`: leave it out"),
            _ => ("expected a value before this", "write the missing operand"),
        };
        if !self.explained() {
            self.diagnostics.push(Diagnostic::error("C102", "a value is missing").at(span, label).help(help));
        }
        // `+x` as a sign: the value follows, so that it is not reported again.
        if *self.peek() == Token::Plus {
            self.take();
            self.operand(Binding::Power);
        }
    }

    fn close(&mut self, open: Span) {
        if self.eat(&Token::Close) || self.gave_up() {
            return;
        }
        let diagnostic = if *self.peek() == Token::Comma {
            self.skip_to_close();
            Diagnostic::error("C102", "a comma may only separate the arguments of a function")
                .at(open, "these parentheses only group")
                .help("name the function: `max(a, b)`")
        } else {
            Diagnostic::error("C103", "this parenthesis is never closed")
                .at(open, "opened here")
                .help("add the missing `)`")
        };
        self.diagnostics.push(diagnostic);
    }

    /// Reads further operands up to the parenthesis that closes the group.
    fn skip_to_close(&mut self) {
        while self.eat(&Token::Comma) {
            self.operand(Binding::Sum);
        }
        self.eat(&Token::Close);
    }

    fn call(&mut self, name: &str, span: Span) -> Formula {
        let open = self.take();
        let mut arguments = Vec::new();
        if !self.eat(&Token::Close) {
            arguments.push(self.operand(Binding::Sum));
            while self.eat(&Token::Comma) {
                arguments.push(self.operand(Binding::Sum));
            }
            self.close(open);
        }
        let Some(function) = Function::from_name(name) else {
            let names = Function::ALL.map(Function::name);
            self.push_unless_given_up(
                Diagnostic::error("C105", format!("there is no function `{name}`"))
                    .at(span, "unknown function")
                    .help(suggestion(name, &names, "functions")),
            );
            return Formula::number(1.0);
        };
        let (fewest, most) = function.arity();
        if arguments.len() < fewest || arguments.len() > most {
            let wanted = match (fewest, most) {
                (1, _) => "one argument",
                (_, 2) => "two arguments",
                _ => "at least two arguments",
            };
            self.push_unless_given_up(
                Diagnostic::error("C106", format!("`{name}` takes {wanted}, not {}", arguments.len()))
                    .at(span, format!("called with {}", arguments.len()))
                    .help(format!("give it {wanted}")),
            );
            return Formula::number(1.0);
        }
        Formula::call(function, arguments)
    }

    fn push_unless_given_up(&mut self, diagnostic: Diagnostic) {
        if !self.gave_up() {
            self.diagnostics.push(diagnostic);
        }
    }
}
