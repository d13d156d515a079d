//! 1. A text that fits is unchanged. A longer text is cut to the given width and ends with an
//!    ellipsis.
//! 2. A text is cut at the end of a sentence if possible, otherwise between words. Width is counted
//!    in columns, not bytes.

use super::{brief, remaining_width};
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

#[test]
fn texts_are_cut_after_sentences_or_words() {
    let text =
        "Reads a file. Use it for everything there is to read, whatever its size, wherever it is.";
    assert_eq!(brief(text, 100), text);
    assert_eq!(brief(text, 40), "Reads a file. …");
    assert_eq!(
        brief("E.g. reads all of the files, one after the other", 31),
        "E.g. reads all of the files…"
    );
    assert_eq!(brief(&"x".repeat(50), 10), format!("{}…", "x".repeat(8)));
    assert_eq!(
        brief("ファイルを読み込んで内容を返します。大きなファイルにも使えます。", 40),
        "ファイルを読み込んで内容を返します。 …"
    );
}

#[test]
fn a_narrow_terminal_has_a_minimum_width() {
    assert_eq!(
        (
            remaining_width(None, "name - "),
            remaining_width(Some(80), "name - "),
            remaining_width(Some(20), "name - ")
        ),
        (100, 73, 30)
    );
}

proptest! {
    #[test]
    fn no_text_is_wider_than_its_width(text in "[a-zA-Z .,!。漢字]{0,90}", width in 2_usize..60) {
        let short = brief(&text, width);
        prop_assert!(short.width() <= width || short == text);
        prop_assert_eq!(short == text, text.width() <= width);
    }
}
