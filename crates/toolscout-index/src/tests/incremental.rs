//! Computed data is kept, and does not change results.

use super::{Concepts, LIB10, document, encoded, tools};
use crate::{Encoder, Index, IndexData, Language, Query};
use std::sync::Arc;
use toolscout_core::Tool;

fn arcs() -> Vec<Arc<Tool>> {
    tools(LIB10).into_iter().map(Arc::new).collect()
}

fn index_after(known: &IndexData, tools: &[Arc<Tool>], stamps: &[u128]) -> Index {
    let documents: Vec<_> =
        tools.iter().zip(stamps).map(|(tool, stamp)| document(tool, *stamp)).collect();
    Index::after(known, Language::English, &documents)
}

#[test]
fn an_index_that_grew_is_the_one_that_was_built_at_once() {
    let all = arcs();
    let stamps: Vec<u128> = (1..=10).collect();
    let at_once = index_after(&IndexData::default(), &all, &stamps);
    let few = index_after(&IndexData::default(), &all[..6], &stamps[..6]);
    let grown = index_after(few.known(), &all, &stamps);
    assert!(grown.known() == at_once.known());
    let shrunk = index_after(at_once.known(), &all[..6], &stamps[..6]);
    assert!(shrunk.known() == few.known());
}

#[test]
fn a_tool_whose_stamp_changed_is_read_again() {
    let mut all = arcs();
    let before = index_after(&IndexData::default(), &all, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    Arc::make_mut(&mut all[0]).description = Some("Whistle a tune".to_owned());
    let after = index_after(before.known(), &all, &[11, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert!(before.search(&Query::new("whistle")).is_empty());
    assert_eq!(after.search(&Query::new("whistle"))[0].id.name.as_str(), "send_email");
}

#[test]
fn vectors_stay_with_their_tools_and_go_with_their_encoder() {
    let all = arcs();
    let stamps: Vec<u128> = (1..=10).collect();
    let whole = encoded(&index_after(&IndexData::default(), &all, &stamps));
    assert_eq!(whole.vectors(), 10);
    let fewer = index_after(whole.known(), &all[3..], &stamps[3..]);
    assert_eq!((fewer.vectors(), fewer.without_vector(Concepts.id()).count()), (7, 0));
    assert_eq!(fewer.without_vector("another").count(), 7);
    let renewed = fewer.with_vectors("another", []);
    assert_eq!(renewed.vectors(), 0);
}

#[test]
fn what_is_written_down_is_read_as_it_was() {
    let index =
        encoded(&index_after(&IndexData::default(), &arcs(), &(1..=10).collect::<Vec<_>>()));
    let bytes = index.known().to_bytes();
    assert!(IndexData::from_bytes(&bytes).as_ref() == Some(index.known()));
    assert!(IndexData::from_bytes(&IndexData::default().to_bytes()) == Some(IndexData::default()));
}

#[test]
fn what_was_cut_or_changed_on_disk_is_not_read() {
    let index =
        encoded(&index_after(&IndexData::default(), &arcs(), &(1..=10).collect::<Vec<_>>()));
    let bytes = index.known().to_bytes();
    for end in (0..bytes.len()).step_by(7) {
        assert!(IndexData::from_bytes(&bytes[..end]).is_none(), "cut at {end}");
    }
    for at in (0..bytes.len()).step_by(11) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x20;
        assert!(IndexData::from_bytes(&bytes).is_none(), "changed at {at}");
    }
}

/// A file may have a valid checksum and invalid numbers.
#[test]
fn what_does_not_fit_together_is_not_read() {
    let index =
        encoded(&index_after(&IndexData::default(), &arcs(), &(1..=10).collect::<Vec<_>>()));
    let bytes = index.known().to_bytes();
    let body = bytes.len() - 16;
    let mut read = 0;
    for at in (4..body).step_by(3) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x55;
        let check = blake3::hash(&bytes[..body]);
        bytes[body..].copy_from_slice(&check.as_bytes()[..16]);
        let Some(known) = IndexData::from_bytes(&bytes) else { continue };
        read += 1;
        // Whatever the data contains, a search must not panic.
        index_after(&known, &arcs(), &(1..=10).collect::<Vec<_>>())
            .search(&Query::new("send databse email"));
        index_after(&known, &arcs()[..5], &(1..=5).collect::<Vec<_>>())
            .search(&Query::new("send email"));
    }
    assert!(read > 0, "some numbers may be anything");
}
