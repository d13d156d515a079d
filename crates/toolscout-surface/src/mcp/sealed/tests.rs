use super::{Seal, State};

#[test]
fn what_is_sealed_opens_for_the_same_request_only() {
    let seal = Seal::new(&[7; 32]);
    let text = seal.close(State::Upstream(Some("secret".into())), 2, "alice tools/call").unwrap();
    assert!(!text.contains("secret"));
    assert_eq!(
        seal.open(&text, "alice tools/call"),
        Some((State::Upstream(Some("secret".into())), 2))
    );
    assert_eq!(seal.open(&text, "bob tools/call"), None);
    assert_eq!(Seal::new(&[8; 32]).open(&text, "alice tools/call"), None);
    assert_ne!(seal.close(State::Suspended(1), 0, "a"), seal.close(State::Suspended(1), 0, "a"));
}

#[test]
fn what_was_changed_on_the_way_does_not_open() {
    let seal = Seal::new(&[7; 32]);
    let text = seal.close(State::Suspended(3), 0, "a").unwrap();
    for at in 0..text.len() {
        let mut bytes = text.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        let changed = String::from_utf8(bytes).unwrap();
        // The last character may contain unused bits.
        assert!(
            changed == text || seal.open(&changed, "a").is_none() || at + 1 == text.len(),
            "{at}"
        );
    }
    for text in ["", "A", "äöü", "AAAAAAAAAAAAAAAA", &text[..20]] {
        assert_eq!(seal.open(text, "a"), None);
    }
}

#[test]
fn what_is_too_long_is_not_carried() {
    assert_eq!(
        Seal::new(&[7; 32]).close(State::Upstream(Some("x".repeat(100 << 10))), 0, "a"),
        None
    );
}
