/// Longer words are not compared: distances take time and space by the product of the lengths.
const LONGEST: usize = 64;
/// A help line lists no more candidates than this.
const MOST_LISTED: usize = 16;

/// The candidate that a misspelt word most probably stands for: at most a third of its letters
/// (and at least one) may be inserted, deleted, replaced or swapped with a neighbour.
pub(crate) fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters = word.chars().count();
    if letters > LONGEST {
        return None;
    }
    let allowed = (letters / 3).max(1);
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= LONGEST)
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edit distance with swaps of neighbours (optimal string alignment), ignoring case.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.to_lowercase().chars().collect();
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// A sentence for a help line: the nearest candidate, or all of them.
pub(crate) fn suggestion(word: &str, candidates: &[&str], kind: &str) -> String {
    match nearest(word, candidates.iter().copied()) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None if candidates.is_empty() => format!("there are no {kind} here"),
        None if candidates.len() > MOST_LISTED => {
            format!("{kind}: {}, ..", candidates[..MOST_LISTED].join(", "))
        }
        None => format!("{kind}: {}", candidates.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspellings_find_their_word() {
        let words = ["size", "work", "environment"];
        assert_eq!(nearest("szie", words), Some("size"));
        assert_eq!(nearest("enviroment", words), Some("environment"));
        assert_eq!(nearest("latency", words), None);
        assert_eq!(suggestion("zzz", &words, "variables"), "variables: size, work, environment");
    }
}
