use super::print::Level;
use super::{Formula, Function, Literal, Node, Scale, Sign};
use crate::Unit;

impl Formula {
    /// The formula in LaTeX's mathematical mode: fractions for divisions, names with underscores as
    /// subscripts (`c_1` gives `c_{1}`), names that begin with a backslash as they are.
    #[must_use]
    pub fn to_latex(&self) -> String {
        match &self.0 {
            Node::Number(value) => number(*value),
            Node::Quantity(value, unit) => format!("{}\\,\\mathrm{{{}}}", number(*value), symbol(*unit)),
            Node::Name(text) => name(text),
            Node::Negate(inner) => format!("-{}", inner.latex_within(Level::Sign)),
            Node::Sum { first, rest } => rest.iter().fold(first.to_latex(), |sum, (sign, term)| {
                let sign = if *sign == Sign::Plus { '+' } else { '-' };
                format!("{sum} {sign} {}", term.latex_within(Level::Product))
            }),
            Node::Product { first, rest } => product(first, rest),
            Node::Power(base, exponent) => {
                // In print a power of ten is a product: as a base it needs parentheses.
                let scientific =
                    matches!(base.0, Node::Number(Literal(v)) if number(Literal(v)).contains('{'));
                let base = match &base.0 {
                    Node::Quantity(..) => parenthesised(&base.to_latex()),
                    _ if scientific => parenthesised(&base.to_latex()),
                    _ => base.latex_within(Level::Atom),
                };
                format!("{base}^{{{}}}", exponent.to_latex())
            }
            Node::Call(function, arguments) => call(*function, arguments),
        }
    }

    fn latex_within(&self, level: Level) -> String {
        let text = self.to_latex();
        if self.level() < level { parenthesised(&text) } else { text }
    }
}

fn parenthesised(text: &str) -> String {
    format!("\\left({text}\\right)")
}

fn number(value: Literal) -> String {
    let text = value.to_string();
    match text.split_once('e') {
        Some(("1", exponent)) => format!("10^{{{exponent}}}"),
        Some(("-1", exponent)) => format!("-10^{{{exponent}}}"),
        Some((mantissa, exponent)) => format!("{mantissa} \\cdot 10^{{{exponent}}}"),
        None => text,
    }
}

fn symbol(unit: Unit) -> &'static str {
    match unit {
        Unit::Microseconds => "\\mu s",
        other => other.symbol(),
    }
}

/// `c_1` and `c1` give `c_{1}`, `size` gives `\mathit{size}`, `n_max` gives `n_{\mathit{max}}`.
fn name(text: &str) -> String {
    let bare = text.trim_end_matches('\'');
    format!("{}{}", subscripted(bare), &text[bare.len()..])
}

fn subscripted(text: &str) -> String {
    let (base, index) = match text.find('_') {
        Some(at) if at > 0 => (&text[..at], text[at + 1..].to_owned()),
        _ => {
            let letters = text.trim_end_matches(|c: char| c.is_ascii_digit());
            let one = letters.len() == 1 || letters.starts_with('\\');
            if one { (letters, text[letters.len()..].to_owned()) } else { (text, String::new()) }
        }
    };
    let parts: Vec<String> = index.split('_').filter(|part| !part.is_empty()).map(word).collect();
    if parts.is_empty() { word(base) } else { format!("{}_{{{}}}", word(base), parts.join(",")) }
}

fn word(text: &str) -> String {
    let plain = text.len() == 1 || text.starts_with('\\') || text.bytes().all(|b| b.is_ascii_digit());
    if plain && text != "_" { text.to_owned() } else { format!("\\mathit{{{}}}", text.replace('_', "\\_")) }
}

fn product(first: &Formula, rest: &[(Scale, Formula)]) -> String {
    let mut text = first.latex_within(Level::Product);
    let mut after_number = first.as_number().is_some();
    for (scale, factor) in rest {
        if *scale == Scale::Over {
            text = format!("\\frac{{{text}}}{{{}}}", factor.to_latex());
            after_number = false;
            continue;
        }
        let right = factor.latex_within(Level::Sign);
        let right = if factor.level() == Level::Sign { parenthesised(&right) } else { right };
        // A number before a letter or parenthesis needs no dot; everything else would run together.
        let digit = right.starts_with(|c: char| c.is_ascii_digit() || c == '.');
        let dot = if after_number && !digit { " " } else { " \\cdot " };
        text = format!("{text}{dot}{right}");
        after_number = factor.as_number().is_some();
    }
    text
}

fn call(function: Function, arguments: &[Formula]) -> String {
    let list: Vec<String> = arguments.iter().map(Formula::to_latex).collect();
    let list = list.join(", ");
    match function {
        Function::Max => format!("\\max\\left({list}\\right)"),
        Function::Min => format!("\\min\\left({list}\\right)"),
        Function::Log2 => format!("\\log_2\\left({list}\\right)"),
        Function::Ln => format!("\\ln\\left({list}\\right)"),
        Function::Sqrt => format!("\\sqrt{{{list}}}"),
        Function::Ceil => format!("\\left\\lceil {list} \\right\\rceil"),
        Function::Floor => format!("\\left\\lfloor {list} \\right\\rfloor"),
        Function::Abs => format!("\\left|{list}\\right|"),
        Function::Mod => {
            let sides: Vec<String> = arguments.iter().map(|side| side.latex_within(Level::Power)).collect();
            parenthesised(&sides.join(" \\bmod "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn latex(text: &str) -> String {
        Formula::parse(text, 0).unwrap().to_latex()
    }

    #[test]
    fn operators() {
        assert_eq!(latex("a*b/c*d"), "\\frac{a \\cdot b}{c} \\cdot d");
        assert_eq!(latex("2*x + 8*3 - -y"), "2 x + 8 \\cdot 3 - -y");
        assert_eq!(latex("2*(x - 1)"), "2 \\left(x - 1\\right)");
        assert_eq!(latex("(x + 1)^-2"), "\\left(x + 1\\right)^{-2}");
        assert_eq!(latex("x*-y"), "x \\cdot \\left(-y\\right)");
    }

    #[test]
    fn names() {
        assert_eq!(latex("c_1"), "c_{1}");
        assert_eq!(latex("c1'"), "c_{1}'");
        assert_eq!(latex("\\tau"), "\\tau");
        assert_eq!(latex("\\tau_1"), "\\tau_{1}");
        assert_eq!(latex("size"), "\\mathit{size}");
        assert_eq!(latex("n_max_2"), "n_{\\mathit{max},2}");
        assert_eq!(latex("_x"), "\\mathit{\\_x}");
    }

    #[test]
    fn numbers_and_functions() {
        assert_eq!(latex("1.1e-6 + 1e-9*x"), "1.1 \\cdot 10^{-6} + 10^{-9} x");
        assert_eq!(latex("5us"), "5\\,\\mathrm{\\mu s}");
        assert_eq!(latex("max(a, b, 2)"), "\\max\\left(a, b, 2\\right)");
        assert_eq!(latex("mod(a + 1, b)"), "\\left(\\left(a + 1\\right) \\bmod b\\right)");
        assert_eq!(latex("1e-6^2"), "\\left(10^{-6}\\right)^{2}");
    }
}
