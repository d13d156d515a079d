//! Splitting a stream into lines.

use super::super::lines::{LineBuffer, TooLong};

fn lines(limit: usize, chunks: &[&[u8]]) -> (Vec<String>, Result<(), TooLong>) {
    let mut all = Vec::new();
    let mut lines = LineBuffer::new(limit);
    let each = |value: &[u8]| all.push(String::from_utf8_lossy(value).into_owned());
    let mut each = each;
    let outcome = chunks.iter().try_for_each(|chunk| lines.push(chunk, &mut each));
    (all, outcome)
}

#[test]
fn lines_are_cut_wherever_chunks_end() {
    let (all, outcome) = lines(100, &[b"a", b"b\nc\r", b"\n\n", b"d\ne\nf"]);
    assert_eq!((all, outcome), (["ab", "c\r", "", "d", "e"].map(str::to_owned).to_vec(), Ok(())));
}

#[test]
fn a_byte_order_mark_is_skipped_once() {
    let (all, _) = lines(100, &[b"\xef\xbb", b"\xbf{}\n\xef\xbb\xbf{}\n"]);
    assert_eq!(all, ["{}", "\u{feff}{}"]);
}

/// T02: limit - 1, limit, limit + 1, in one chunk and in many, with and without a line end.
#[test]
fn a_line_may_be_as_long_as_the_limit() {
    for (length, fits) in [(9, true), (10, true), (11, false)] {
        let text = vec![b'x'; length];
        let ended = [text.as_slice(), b"\n"].concat();
        let bytewise: Vec<&[u8]> = ended.chunks(1).collect();
        assert_eq!(lines(10, &[&ended]).1.is_ok(), fits, "{length}");
        assert_eq!(lines(10, &bytewise).1.is_ok(), fits, "{length}");
        assert_eq!(lines(10, &[&text]).1.is_ok(), fits, "{length}");
    }
}

#[test]
fn the_memory_of_a_long_line_is_freed() {
    let mut lines = LineBuffer::new(8 << 20);
    lines.push(&vec![b'x'; 8 << 20], |_| ()).expect("within the limit");
    lines.push(b"\n", |_| ()).expect("within the limit");
    assert!(format!("{lines:?}").len() < 1_000);
    assert!(lines.capacity() <= 256 << 10);
}
