//! Spelling distance.

use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn slips_are_counted_as_by_the_book(one in "[a-d]{0,12}", other in "[a-d]{0,12}", most in 1usize..3) {
        let expected = strsim::osa_distance(&one, &other);
        let counted = if one.len().abs_diff(other.len()) > most { None } else { edit_distance(&one, &other, most) };
        prop_assert_eq!(counted, Some(expected).filter(|it| *it <= most));
    }
}
