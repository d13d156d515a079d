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
fn a_file_that_ends_too_early_is_an_error_wherever_it_ends() {
    let whole = tiny();
    for len in (0..whole.len()).step_by(37).chain([whole.len() - 1]) {
        assert!(read(whole[..len].to_vec()).is_err(), "{len} bytes");
    }
}

#[test]
fn a_file_that_goes_on_is_an_error() {
    let mut bytes = tiny();
    bytes.push(0);
    assert!(read(bytes).is_err_and(|it| it.contains("goes on for 1 bytes")));
}

#[test]
fn a_changed_byte_is_found_or_is_no_model_at_all() {
    let whole = tiny();
    for at in (0..whole.len()).step_by(101) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        assert!(read(bytes).and_then(|it| it.verify()).is_err(), "byte {at}");
    }
}

#[test]
fn another_version_is_refused_by_its_first_bytes() {
    let mut bytes = tiny();
    bytes[7] = 99;
    assert!(read(bytes).is_err_and(|it| it.contains("of this version")));
}

#[test]
fn numbers_that_no_memory_could_hold_are_refused() {
    let whole = tiny();
    // The numbers of the shape follow magic, checksum and four kinds.
    for field in (56..80).step_by(4) {
        let mut bytes = whole.clone();
        bytes[field..field + 4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(bytes).is_err_and(|it| it.contains("are possible")), "field at {field}");
    }
}
