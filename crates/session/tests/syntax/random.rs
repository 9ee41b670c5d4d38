//! Seeded random numbers, and random protocols without faults.

/// A small generator of random numbers (SplitMix64): the same seed, the same numbers.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound as u64).unwrap()
    }
}

/// A protocol without faults of scope: random blocks, loops guarded by a message.
pub(super) fn random_protocol(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::from("global protocol Random(role A, role B, role C) {\n");
    random_block(&mut random, &mut text, 3, &mut Vec::new());
    text + "}\n"
}

/// Appends statements; true if some way through them comes to their end.
fn random_block(
    random: &mut Random,
    text: &mut String,
    depth: usize,
    loops: &mut Vec<(String, bool)>,
) -> bool {
    for _ in 0..random.below(4) {
        let comes_to_end = match random.below(if depth == 0 { 2 } else { 6 }) {
            0..=2 => random_message(random, text),
            3 | 4 => random_choice(random, text, depth, loops),
            _ => {
                let name = format!("X{}", loops.len());
                text.push_str(&format!("rec {name} {{\n"));
                random_message(random, text);
                loops.push((name, false));
                let ends = random_block(random, text, depth - 1, loops);
                text.push_str("}\n");
                loops.pop().is_some_and(|(_, continued)| continued) || ends
            }
        };
        if !comes_to_end {
            return false;
        }
    }
    let goes_back = !loops.is_empty() && random.below(3) == 0;
    if goes_back {
        let target = random.below(loops.len());
        loops[target].1 = true;
        text.push_str(&format!("continue {};\n", loops[target].0));
    }
    !goes_back
}

fn random_choice(
    random: &mut Random,
    text: &mut String,
    depth: usize,
    loops: &mut Vec<(String, bool)>,
) -> bool {
    let mut comes_to_end = false;
    text.push_str("choice at A {\n");
    for branch in 0..=random.below(3) {
        text.push_str(if branch == 0 { "" } else { "} or {\n" });
        text.push_str(&format!("L{branch}() from A to B;\n"));
        comes_to_end |= random_block(random, text, depth - 1, loops);
    }
    text.push_str("}\n");
    comes_to_end
}

fn random_message(random: &mut Random, text: &mut String) -> bool {
    const ENDS: [(&str, &str); 4] = [("A", "B"), ("B", "C"), ("C", "A"), ("B", "A")];
    let (from, to) = ENDS[random.below(ENDS.len())];
    let costs = ["", " @\"size=8, cost=c\"", " @\"size=n*2\""][random.below(3)];
    text.push_str(&format!("M() from {from} to {to};{costs}\n"));
    true
}
