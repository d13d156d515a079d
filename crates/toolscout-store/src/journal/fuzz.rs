//! A fuzz target: lines of the journal, sealed values, and a changed head.

use super::JournalRecord;
use super::head::{HeadState, JournalHead};
use super::line::{self, ChainPosition, JournalLine, LineStart};
use crate::seal;
use toolscout_core::{Moment, Namespace, jsonrpc};

const KEY: [u8; 32] = [7; 32];

/// Reads a line, and a head, that another program may have written. Then writes a line and a value
/// with the input as content: they are accepted as written, and not after any change of one byte,
/// which the input chooses.
pub fn journal(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let start = LineStart::read(&text);
    if let Some(line) = JournalLine::read(&text) {
        assert_eq!(start, Some(line.start));
        assert!(!line.is_sealed(&[9; 32]), "a line without the key is not sealed");
    }
    assert!(!matches!(JournalHead::read(&text, &[9; 32]), HeadState::Head(_)));

    let body = format!(r#"{{"text":{}}}"#, jsonrpc::quoted(&text));
    let record = JournalRecord { at: Moment(1_790_000_000_000), kind: "call", body };
    let mut written = String::new();
    let position = line::write(&mut written, &KEY, ChainPosition::START, &record);
    let written = written.strip_suffix('\n').expect("a line ends");
    let read = JournalLine::read(written).expect("a written line can be read");
    assert!(read.is_sealed(&KEY) && read.follows(ChainPosition::START));
    assert_eq!(read.position(), position);
    let changed = change(written.as_bytes(), bytes);
    if let Some(line) = std::str::from_utf8(&changed).ok().and_then(JournalLine::read) {
        assert!(!line.is_sealed(&KEY), "a changed line is not sealed");
    }

    let sealed = seal::seal(&KEY, Namespace::Approval, "key", bytes);
    let unseal = |key, sealed| seal::unseal(&KEY, Namespace::Approval, key, sealed);
    assert_eq!(unseal("key", sealed.clone()).as_deref(), Some(bytes));
    assert_eq!(unseal("other", sealed.clone()), None);
    assert_eq!(unseal("key", change(&sealed, bytes)), None);
}

/// The text with one other byte, at a place that the input chooses.
fn change(text: &[u8], input: &[u8]) -> Vec<u8> {
    let choice = input
        .iter()
        .fold(0_usize, |sum, byte| sum.wrapping_mul(31).wrapping_add(usize::from(*byte)));
    let mut text = text.to_vec();
    let at = choice % text.len();
    text[at] ^= 1 + (choice % 3) as u8;
    text
}
