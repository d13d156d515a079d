//! Suggests the known word nearest to a mistyped one.

#[cfg(test)]
mod tests;

/// Longer words are not typing mistakes, and comparing them costs the square of their length.
const MAX_LENGTH: usize = 64;

/// The candidate that the user most likely intended with `word`; `None` if nothing is near enough.
///
/// Up to a third of the letters may be wrong, swapped, missing or superfluous. If no candidate is
/// that near, the only one that starts with the word is returned. The first of equally near
/// candidates wins.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    if length == 0 || length > MAX_LENGTH {
        return None;
    }
    let limit = (length / 3).max(1);
    let mut best = None;
    let mut prefixed = Vec::new();
    for candidate in candidates {
        if candidate.chars().count().abs_diff(length) <= limit {
            let distance = strsim::damerau_levenshtein(word, candidate);
            // A distance as long as the word means that no letter matches: `-x` is not a mistyped
            // `-y`.
            if distance <= limit
                && distance < length
                && best.is_none_or(|(least, _)| distance < least)
            {
                best = Some((distance, candidate));
            }
        } else if length >= 3 && candidate.starts_with(word) {
            prefixed.push(candidate);
        }
    }
    match (best, prefixed.as_slice()) {
        (Some((_, candidate)), _) => Some(candidate),
        (None, [only]) => Some(only),
        (None, _) => None,
    }
}
