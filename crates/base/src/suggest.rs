//! Finds the name that the user probably meant.

/// The candidate that is closest to `name`. `None` if no candidate is close enough to be a likely slip.
pub fn closest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let allowed = match name.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.chars().count())
        .min()
        .map(|(_, candidate)| candidate)
}

/// The number of insertions, deletions, replacements and swaps of neighbours between two names. Ignores case, and looks
/// at the first 64 characters only.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().take(64).flat_map(char::to_lowercase).collect();
    let right: Vec<char> = right.chars().take(64).flat_map(char::to_lowercase).collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, r) in right.iter().enumerate() {
            let replaced = row[j] + usize::from(l != r);
            let mut best = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *l == right[j - 1] && left[i - 1] == *r {
                best = best.min(before[j - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn a_slip_is_found_and_a_stranger_is_not() {
        let names = ["DropMessage", "Send", "Receive"];
        assert_eq!(closest("DropMesage", names), Some("DropMessage"));
        assert_eq!(closest("send", names), Some("Send"));
        assert_eq!(closest("Sned", names), Some("Send"));
        assert_eq!(closest("Banana", names), None);
        assert_eq!(closest("x", ["y", "xs"]), Some("xs"));
    }
}
