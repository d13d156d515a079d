//! Counts for messages: with their noun, and with separators.

/// `1 tool`, `2 tools`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// `5012` as `5,012`.
pub fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let starts_group = |at: usize| at > 0 && (digits.len() - at).is_multiple_of(3);
    let with_comma = |(at, digit)| [starts_group(at).then_some(','), Some(digit)];
    digits.char_indices().flat_map(with_comma).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        let texts = [0, 12, 488, 5012, 123_456, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "12", "488", "5,012", "123,456", "1,234,567"]);
    }
}
