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
    Index::build_from(known, Language::English, &documents)
}

#[test]
fn an_incremental_index_equals_a_full_build() {
    let all = arcs();
    let stamps: Vec<u128> = (1..=10).collect();
    let at_once = index_after(&IndexData::default(), &all, &stamps);
    let few = index_after(&IndexData::default(), &all[..6], &stamps[..6]);
    let grown = index_after(few.data(), &all, &stamps);
    assert!(grown.data() == at_once.data());
    let shrunk = index_after(at_once.data(), &all[..6], &stamps[..6]);
    assert!(shrunk.data() == few.data());
}

#[test]
fn a_tool_with_a_changed_stamp_is_indexed_again() {
    let mut all = arcs();
    let before = index_after(&IndexData::default(), &all, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    Arc::make_mut(&mut all[0]).description = Some("Whistle a tune".to_owned());
    let after = index_after(before.data(), &all, &[11, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    assert!(before.search(&Query::new("whistle")).is_empty());
    assert_eq!(after.search(&Query::new("whistle"))[0].id.name.as_str(), "send_email");
}

#[test]
fn vectors_are_kept_per_tool_and_dropped_with_their_encoder() {
    let all = arcs();
    let stamps: Vec<u128> = (1..=10).collect();
    let whole = encoded(&index_after(&IndexData::default(), &all, &stamps));
    assert_eq!(whole.vectors(), 10);
    let fewer = index_after(whole.data(), &all[3..], &stamps[3..]);
    assert_eq!((fewer.vectors(), fewer.without_vector(Concepts.id()).count()), (7, 0));
    assert_eq!(fewer.without_vector("another").count(), 7);
    let renewed = fewer.with_vectors("another", []);
    assert_eq!(renewed.vectors(), 0);
}

#[test]
fn serialized_data_is_read_back_unchanged() {
    let index =
        encoded(&index_after(&IndexData::default(), &arcs(), &(1..=10).collect::<Vec<_>>()));
    let bytes = index.data().to_bytes();
    assert!(IndexData::from_bytes(&bytes).as_ref() == Some(index.data()));
    assert!(IndexData::from_bytes(&IndexData::default().to_bytes()) == Some(IndexData::default()));
}

#[test]
fn truncated_or_changed_data_is_rejected() {
    let index =
        encoded(&index_after(&IndexData::default(), &arcs(), &(1..=10).collect::<Vec<_>>()));
    let bytes = index.data().to_bytes();
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
fn inconsistent_data_is_rejected() {
    let index =
        encoded(&index_after(&IndexData::default(), &arcs(), &(1..=10).collect::<Vec<_>>()));
    let bytes = index.data().to_bytes();
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
    assert!(read > 0, "some changed bytes pass the checks");
}
