use diag::{Diagnostic, Span};

use super::{Parsed, Parser, Reported};
use crate::syntax::ast::{At, Name};
use crate::syntax::expression::{Expression, ExpressionKind, FUNCTIONS, NOT, Operator};
use crate::syntax::token::{Keyword, Token, TokenKind};
use diag::spelling::suggestion;

/// Most operators and arguments in one expression.
const MAX_EXPRESSION: usize = 500;

/// What an expression must be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Number,
    Condition,
    /// An assertion of a refinement type: anything that nuScr may understand.
    Assertion,
}

impl Parser<'_> {
    /// An index or bound: arithmetic with a number as its value.
    pub(super) fn index(&mut self) -> Parsed<Expression> {
        self.checked(Wanted::Number)
    }

    /// A guard: a comparison or several, joined by `&&`, `||` and `not`.
    pub(super) fn guard(&mut self) -> Parsed<Expression> {
        self.checked(Wanted::Condition)
    }

    /// An expression that is kept as text: its words with single spaces between them.
    pub(super) fn assertion(&mut self) -> Parsed<String> {
        let start = self.at;
        self.checked(Wanted::Assertion)?;
        let mut text = String::new();
        // A minus after an operator, or first of all, is a sign and sticks to its operand.
        let mut wants_operand = true;
        let mut tight = true;
        for token in &self.tokens[start..self.at] {
            let word = self.text(*token);
            let opens = word == "(" && text.ends_with("len");
            text.push_str(if tight || word == ")" || opens { "" } else { " " });
            text.push_str(word);
            tight = word == "(" || (word == "-" && wants_operand);
            wants_operand = matches!(token.kind, TokenKind::Symbol(symbol) if symbol != ")")
                || token.kind == TokenKind::Keyword(Keyword::Not);
        }
        Ok(text)
    }

    /// An expression with a meaning; one without is reported, but does not end the statement.
    fn checked(&mut self, wanted: Wanted) -> Parsed<Expression> {
        let expression = self.expression()?;
        let _ = self.check(&expression, wanted);
        Ok(expression)
    }

    fn expression(&mut self) -> Parsed<Expression> {
        self.binary(1, &mut 0)
    }

    /// Operands joined by operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: u8, operators: &mut usize) -> Parsed<Expression> {
        let mut left = self.operand(least, operators)?;
        while let TokenKind::Symbol(symbol) = self.peek().kind {
            let Some(operator) = Operator::of(symbol).filter(|operator| operator.precedence() >= least)
            else {
                break;
            };
            *operators += 1;
            if *operators > MAX_EXPRESSION {
                return Err(self.too_long());
            }
            self.next();
            let right = self.binary(operator.precedence() + 1, operators)?;
            let at = At(left.at.0.to(right.at.0));
            left = Expression { kind: ExpressionKind::Binary(operator, Box::new(left), Box::new(right)), at };
        }
        Ok(left)
    }

    /// A long sum is a deep tree, and trees are walked recursively.
    fn too_long(&mut self) -> Reported {
        self.error(
            Diagnostic::error("S007", "this expression is too long")
                .at(self.peek().span, format!("more than {MAX_EXPRESSION} operators"))
                .help("give parts of it a name: a parameter of the protocol"),
        )
    }

    fn operand(&mut self, least: u8, operators: &mut usize) -> Parsed<Expression> {
        self.nested(|parser| {
            let token = parser.next();
            match token.kind {
                TokenKind::Keyword(Keyword::Not) if least <= NOT => {
                    let inner = parser.binary(NOT, operators)?;
                    Ok(prefixed(token, ExpressionKind::Not, inner))
                }
                TokenKind::Symbol("-") => {
                    let inner = parser.operand(u8::MAX, operators)?;
                    Ok(prefixed(token, ExpressionKind::Negate, inner))
                }
                TokenKind::Symbol("(") => {
                    let inner = parser.binary(1, operators)?;
                    let close = parser.expect_symbol(")")?;
                    Ok(Expression { at: At(token.span.to(close)), ..inner })
                }
                _ => parser.atom(token, operators),
            }
        })
    }

    fn atom(&mut self, token: Token, operators: &mut usize) -> Parsed<Expression> {
        let text = self.text(token);
        let kind = match token.kind {
            TokenKind::Integer => ExpressionKind::Number(self.whole_number(token)?),
            TokenKind::Text => ExpressionKind::Text(text.trim_matches('"').to_owned()),
            TokenKind::Keyword(Keyword::True) => ExpressionKind::Truth(true),
            TokenKind::Keyword(Keyword::False) => ExpressionKind::Truth(false),
            TokenKind::Keyword(Keyword::Len) | TokenKind::Identifier if self.is_symbol("(") => {
                return self.function_call(token, operators);
            }
            TokenKind::Identifier => ExpressionKind::Name(text.to_owned()),
            _ => {
                self.at -= usize::from(token.kind != TokenKind::End);
                return Err(self.expected("a number, a name or `(`"));
            }
        };
        Ok(Expression { kind, at: At(token.span) })
    }

    fn function_call(&mut self, function: Token, operators: &mut usize) -> Parsed<Expression> {
        self.expect_symbol("(")?;
        let arguments = self.list_until(")", |parser| {
            *operators += 1;
            if *operators > MAX_EXPRESSION { Err(parser.too_long()) } else { parser.binary(1, operators) }
        })?;
        let at = At(function.span.to(self.tokens[self.at - 1].span));
        let name = Name { text: self.text(function).to_owned(), at: At(function.span) };
        Ok(Expression { kind: ExpressionKind::Call(name, arguments), at })
    }

    /// The value of a word of digits.
    pub(super) fn whole_number(&mut self, token: Token) -> Parsed<i64> {
        self.text(token).parse().map_err(|_| {
            self.error(
                Diagnostic::error("S008", "this number is too large")
                    .at(token.span, "more than 9223372036854775807")
                    .help("indices and bounds are 64-bit numbers"),
            )
        })
    }

    /// Reports conditions used as numbers, numbers used as conditions, and unknown functions.
    fn check(&mut self, expression: &Expression, wanted: Wanted) -> Parsed<()> {
        let is_assertion = wanted == Wanted::Assertion;
        match &expression.kind {
            ExpressionKind::Text(_) | ExpressionKind::Truth(_) if !is_assertion => {
                return Err(self.kind_fault(expression.at.0, wanted));
            }
            _ if !is_assertion && expression.is_condition() != (wanted == Wanted::Condition) => {
                return Err(self.kind_fault(expression.at.0, wanted));
            }
            ExpressionKind::Call(function, arguments) => {
                self.check_call(function, arguments, is_assertion)?
            }
            _ => {}
        }
        let inner = if is_assertion { Wanted::Assertion } else { Wanted::Number };
        match &expression.kind {
            ExpressionKind::Binary(operator, a, b) => {
                let joins = matches!(operator, Operator::And | Operator::Or) && !is_assertion;
                let operands = if joins { Wanted::Condition } else { inner };
                self.check(a, operands)?;
                self.check(b, operands)
            }
            ExpressionKind::Not(a) => self.check(a, if is_assertion { inner } else { Wanted::Condition }),
            ExpressionKind::Negate(a) => self.check(a, inner),
            ExpressionKind::Call(_, arguments) => arguments.iter().try_for_each(|a| self.check(a, inner)),
            _ => Ok(()),
        }
    }

    fn kind_fault(&mut self, span: Span, wanted: Wanted) -> Reported {
        let (message, label) = match wanted {
            Wanted::Condition => ("a condition is wanted here", "this is no comparison"),
            _ => ("a number is wanted here", "this is no number"),
        };
        self.error(
            Diagnostic::error("S016", message)
                .at(span, label)
                .help("conditions compare numbers (== != < <= > >=) and are joined by && || not"),
        )
    }

    fn check_call(&mut self, function: &Name, arguments: &[Expression], is_assertion: bool) -> Parsed<()> {
        let known: &[(&str, usize)] = if is_assertion { &[("len", 1)] } else { &FUNCTIONS };
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        let fault = match known.iter().find(|(name, _)| *name == function.text) {
            Some((_, arity)) if *arity == arguments.len() => return Ok(()),
            Some((name, arity)) => Diagnostic::error(
                "S017",
                format!(
                    "`{name}` takes {arity} argument{}, not {}",
                    if *arity == 1 { "" } else { "s" },
                    arguments.len()
                ),
            )
            .at(function.at.0, "called here"),
            None => Diagnostic::error("S017", format!("there is no function `{}` here", function.text))
                .at(function.at.0, "unknown function")
                .help(suggestion(&function.text, &names, "functions")),
        };
        Err(self.error(fault))
    }
}

fn prefixed(
    operator: Token,
    kind: impl FnOnce(Box<Expression>) -> ExpressionKind,
    inner: Expression,
) -> Expression {
    let at = At(operator.span.to(inner.at.0));
    Expression { kind: kind(Box::new(inner)), at }
}
