//! Names of journal segments.

use super::*;

#[test]
fn only_what_we_would_name_so_is_a_segment() {
    assert_eq!(parse_number("000012.jsonl"), Some(12));
    assert_eq!(parse_number("1000000.jsonl"), Some(1_000_000));
    for other in
        ["12.jsonl", "000012.jsonl~", "half", "0000012.jsonl", "-00001.jsonl", "+00001.jsonl"]
    {
        assert_eq!(parse_number(other), None, "{other}");
    }
}
