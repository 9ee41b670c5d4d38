//! What a misspelt word was meant to be.

/// Candidates that are compared; a help line is not worth more.
const MAX_CANDIDATES: usize = 10_000;

/// The candidate nearest to a word, if it is near: at most one letter in three differs.
#[must_use]
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let candidates: Vec<&str> = candidates.into_iter().take(MAX_CANDIDATES).collect();
    if let Some(same) = candidates.iter().find(|candidate| **candidate == word) {
        return Some(same);
    }
    let length = word.chars().count();
    if length > 64 {
        return None;
    }
    let allowed = (length / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// A help line lists no more candidates than this.
const MOST_LISTED: usize = 16;

/// A sentence for a help line: the nearest candidate, or a short list of all.
#[must_use]
pub fn suggestion(word: &str, candidates: &[&str], kind: &str) -> String {
    match nearest(word, candidates.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None if candidates.is_empty() => format!("there are no {kind} here"),
        None if candidates.len() > MOST_LISTED => {
            format!("{kind}: {}, ..", candidates[..MOST_LISTED].join(", "))
        }
        None => format!("{kind}: {}", candidates.join(", ")),
    }
}

/// Edit distance, ignoring case; a swap of neighbours counts once.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    if a.len().abs_diff(b.len()) > a.len() {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let mut best = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            best = best.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_find_their_word() {
        let keys = ["size", "cost", "pre", "prob", "deadline"];
        assert_eq!(nearest("szie", keys), Some("size"));
        assert_eq!(nearest("dedline", keys), Some("deadline"));
        assert_eq!(nearest("weight", keys), None);
        assert_eq!(nearest("res", keys), None);
    }
}
