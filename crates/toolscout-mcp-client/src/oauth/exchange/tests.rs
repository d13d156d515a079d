use super::*;
use serde_json::json;

#[test]
fn lives_of_tokens_are_read_in_all_their_spellings() {
    let read = |value: Value| seconds(&value).map(|second| second.as_secs());
    assert_eq!(read(json!(3600)), Some(3600));
    assert_eq!(read(json!("3600")), Some(3600));
    assert_eq!(read(json!(59.9)), Some(59));
    assert_eq!(read(json!(-5)), Some(0));
    assert_eq!(read(json!(1e300)), Some(MAX_LIFETIME as u64));
    assert_eq!(read(json!(null)), None);
    assert_eq!(read(json!("soon")), None);
    assert_eq!(read(json!("inf")), None);
}

#[test]
fn tokens_that_are_invalid_in_headers_are_refused() {
    for text in ["", "a b", "a\r\nX: y", "tökén", "a\0"] {
        assert!(!is_token(text), "{text:?}");
    }
    assert!(is_token("abc.DEF-123_~+/="));
}

#[test]
fn repeated_secrets_are_redacted() {
    let identity =
        ClientIdentity::configured("us".to_owned(), Some(OAuthSecret::new("hunter2")), None);
    let no = OAuthErrorBody {
        error: "invalid_grant".to_owned(),
        error_description: Some("refresh-1 of us with hunter2 is over".to_owned()),
    };
    let TokenError::No { text, .. } =
        token_error(no, &identity, &[("refresh_token", "refresh-1"), ("client_id", "us")])
    else {
        panic!("expected an error response")
    };
    assert_eq!(text, "invalid_grant: [REDACTED] of us with [REDACTED] is over");
}
