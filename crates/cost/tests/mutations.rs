//! Nothing panics: good and faulty texts are cut, doubled, swapped and spattered at random (seeded),
//! and read again.
#![allow(clippy::disallowed_methods, reason = "tests read their corpus themselves")]

use std::fs;
use std::path::PathBuf;

use cost::{Formula, Model, Prices};
use diag::{Colour, Source, render};

/// xorshift64: enough for damage, and the same on every machine.
struct Damage(u64);

impl Damage {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).expect("below a usize")
    }

    /// One to four injuries.
    fn hurt(&mut self, text: &str) -> String {
        const SPLINTERS: [&str; 24] = [
            "\"", "'", "[", "]", "{", "}", "=", ",", "#", "\n", "(", ")", "^", "-", "1e999", "nan", "inf",
            "é", "\\", "0", "max(", "size", "=[[", "\u{0}",
        ];
        let mut letters: Vec<char> = text.chars().collect();
        for _ in 0..=self.below(4) {
            let at = self.below(letters.len() + 1);
            let end = (at + 1 + self.below(12)).min(letters.len());
            match self.below(4) {
                0 => drop(letters.drain(at.min(end)..end)),
                1 => {
                    let splinter = SPLINTERS[self.below(SPLINTERS.len())];
                    letters.splice(at..at, splinter.chars());
                }
                2 => {
                    let again: Vec<char> = letters[at.min(end)..end].to_vec();
                    letters.splice(at..at, again);
                }
                _ => {
                    let other = self.below(letters.len());
                    if at < letters.len() {
                        letters.swap(at, other);
                    }
                }
            }
        }
        letters.into_iter().collect()
    }
}

fn models() -> Vec<String> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus/cost");
    let folders = ["good", "faulty"].map(|folder| root.join(folder));
    let paths = folders.iter().flat_map(|folder| fs::read_dir(folder).expect("the corpus folder exists"));
    let mut texts: Vec<String> =
        paths.map(|entry| fs::read_to_string(entry.expect("entry").path()).expect("readable file")).collect();
    texts.sort();
    texts
}

#[test]
fn damaged_models_are_read_or_refused() {
    let texts = models();
    let mut damage = Damage(0x5eed);
    let mut refused = 0;
    for round in 0..10_000 {
        let source = Source::new("damaged", damage.hurt(&texts[round % texts.len()]));
        let (model, diagnostics) = Model::parse_with(&source, &mut |_| Ok("64,1\n128,2\n".to_owned()));
        assert_eq!(model.is_none(), diag::has_errors(&diagnostics));
        for diagnostic in &diagnostics {
            for label in &diagnostic.labels {
                assert!(label.span.end as usize <= source.text().len(), "{}", source.text());
            }
        }
        if let Some(model) = model {
            assert!(Model::parse(&Source::new("written", model.to_toml())).0.as_ref() == Some(&model));
            assert!(Prices::new(vec![model]).is_ok());
        } else {
            refused += 1;
            if round % 100 == 0 {
                assert!(!render(&source, &diagnostics, Colour::Plain).is_empty());
            }
        }
    }
    assert!(refused > 1000, "only {refused} of the damaged models are refused");
}

#[test]
fn damaged_formulas_are_read_or_refused() {
    let texts = [
        "1.1e-6 + 2.3e-10*size",
        "max(8*n, 64, mod(n, 3)) + 5us - (c_1/2)^-2",
        "-(-(a))^b^c*ln(\\tau_1)/sqrt(floor(x'))",
        "max(",
        "",
    ];
    let mut damage = Damage(0xf0f0);
    for round in 0..10_000 {
        let text = damage.hurt(texts[round % texts.len()]);
        match Formula::parse(&text, 0) {
            Ok(formula) => {
                assert_eq!(Formula::parse(&formula.to_string(), 0).as_ref(), Ok(&formula), "{text}")
            }
            Err(diagnostics) => {
                assert!(!diagnostics.is_empty());
                let inside =
                    |d: &diag::Diagnostic| d.labels.iter().all(|l| l.span.end as usize <= text.len());
                assert!(diagnostics.iter().all(inside), "{text}");
            }
        }
    }
}
