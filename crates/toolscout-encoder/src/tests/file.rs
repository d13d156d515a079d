use super::tiny::Tiny;
use crate::bytes::Bytes;
use crate::directory;
use crate::file::ModelFile;
use std::sync::Arc;

fn tiny() -> Vec<u8> {
    directory::convert(&Tiny::new().path()).expect("the directory is a model")
}

fn read(bytes: Vec<u8>) -> Result<ModelFile, String> {
    ModelFile::read(Bytes::Shared(Arc::new(bytes)))
}

#[test]
fn the_same_weights_give_the_same_bytes() {
    assert!(tiny() == tiny());
}

#[test]
fn a_file_truncated_anywhere_is_an_error() {
    let whole = tiny();
    for len in (0..whole.len()).step_by(37).chain([whole.len() - 1]) {
        assert!(read(whole[..len].to_vec()).is_err(), "{len} bytes");
    }
}

#[test]
fn a_file_with_trailing_bytes_is_an_error() {
    let mut bytes = tiny();
    bytes.push(0);
    assert!(
        read(bytes).is_err_and(|error| error.contains("it has extra data at its end (1 bytes)"))
    );
}

#[test]
fn a_changed_byte_is_detected_or_makes_the_model_unreadable() {
    let whole = tiny();
    for at in (0..whole.len()).step_by(101) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        assert!(read(bytes).and_then(|value| value.verify()).is_err(), "byte {at}");
    }
}

#[test]
fn another_version_is_refused_by_its_first_bytes() {
    let mut bytes = tiny();
    bytes[7] = 99;
    assert!(read(bytes).is_err_and(|error| error.contains("of this version")));
}

#[test]
fn impossible_sizes_are_refused() {
    let whole = tiny();
    // The numbers of the shape follow magic, checksum and four kinds.
    for field in (56..80).step_by(4) {
        let mut bytes = whole.clone();
        bytes[field..field + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(
            read(bytes).is_err_and(|error| error.contains("it must be from")),
            "field at {field}"
        );
    }
}
