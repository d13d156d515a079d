use super::{Seal, State};

#[test]
fn a_state_opens_only_for_the_same_request() {
    let seal = Seal::new(&[7; 32]);
    let text = seal.seal(State::Upstream(Some("secret".into())), 2, "alice tools/call").unwrap();
    assert!(!text.contains("secret"));
    assert_eq!(
        seal.open(&text, "alice tools/call"),
        Some((State::Upstream(Some("secret".into())), 2))
    );
    assert_eq!(seal.open(&text, "bob tools/call"), None);
    assert_eq!(Seal::new(&[8; 32]).open(&text, "alice tools/call"), None);
    assert_ne!(seal.seal(State::Suspended(1), 0, "a"), seal.seal(State::Suspended(1), 0, "a"));
}

#[test]
fn a_modified_state_does_not_open() {
    let seal = Seal::new(&[7; 32]);
    let text = seal.seal(State::Suspended(3), 0, "a").unwrap();
    for index in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[index] = if bytes[index] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        // The last character may contain unused bits.
        assert!(
            changed == text || seal.open(&changed, "a").is_none() || index + 1 == text.len(),
            "{index}"
        );
    }
    for text in ["", "A", "äöü", "AAAAAAAAAAAAAAAA", &text[..20]] {
        assert_eq!(seal.open(text, "a"), None);
    }
}

#[test]
fn a_state_that_is_too_large_is_rejected() {
    assert_eq!(
        Seal::new(&[7; 32]).seal(State::Upstream(Some("x".repeat(100 << 10))), 0, "a"),
        None
    );
}
