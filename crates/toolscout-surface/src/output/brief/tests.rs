//! 1. A text that fits is unchanged; any other is no wider than the room, and ends with an
//!    ellipsis.
//! 2. A sentence is cut after its end, words between two of them, and columns are counted, not
//!    bytes.

use super::{brief, room};
use proptest::prelude::*;
use unicode_width::UnicodeWidthStr;

#[test]
fn a_text_is_cut_where_a_reader_would() {
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
fn a_narrow_terminal_leaves_some_room_all_the_same() {
    assert_eq!(
        (room(None, "name - "), room(Some(80), "name - "), room(Some(20), "name - ")),
        (100, 73, 30)
    );
}

proptest! {
    #[test]
    fn nothing_is_wider_than_its_room(text in "[a-zA-Z .,!。漢字]{0,90}", room in 2_usize..60) {
        let short = brief(&text, room);
        prop_assert!(short.width() <= room || short == text);
        prop_assert_eq!(short == text, text.width() <= room);
    }
}
