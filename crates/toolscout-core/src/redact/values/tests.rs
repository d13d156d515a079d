//! 1. A recorded secret is redacted in every text and value, at any depth, as a key or in JSON.
//! 2. Short values are ignored, and new values evict the oldest.

use super::*;
use crate::redact;
use proptest::prelude::*;
use serde_json::json;

#[test]
fn known_secrets_are_redacted_everywhere() {
    // No rule for shapes or names finds this value.
    add_secret("correcthorse");
    assert_eq!(
        redact::text("it said correcthorse twice: correcthorse"),
        "it said [REDACTED] twice: [REDACTED]"
    );
    let value = json!({"q": ["a correcthorse b", 1], "correcthorse": {"x": "correcthorses"}});
    let redacted = json!({"q": ["a [REDACTED] b", 1], "[REDACTED]": {"x": "[REDACTED]s"}});
    assert_eq!(redact::json(&value), redacted);
}

#[test]
fn secrets_are_redacted_in_their_json_form_and_line_by_line() {
    add_secret("say \"friend\" now");
    add_secret("first line of it\nsecond line of it\n");
    let json = json!({"word": "say \"friend\" now"}).to_string();
    assert_eq!(known_secrets(&json), "{\"word\":\"[REDACTED]\"}");
    assert_eq!(known_secrets("… second line of it …"), "… [REDACTED] …");
}

#[test]
fn short_values_are_ignored_and_the_oldest_are_evicted() {
    add_secret("abcde");
    assert_eq!(known_secrets("abcde"), "abcde");
    let mut known = KnownSecrets::new();
    for at in 0..=MAX_VALUES {
        known.add(&format!("secret-number-{at:04}"), |value| &mut value.configured);
    }
    assert_eq!(known.configured.len(), MAX_VALUES);
    assert_eq!(
        known.redact("secret-number-0000 secret-number-0512"),
        "secret-number-0000 [REDACTED]"
    );
    for at in 0..2 * MAX_VALUES {
        known.add(&format!("token-of-user-{at:04}"), |value| &mut value.per_request);
    }
    assert_eq!(
        known.redact("secret-number-0512 token-of-user-0000"),
        "[REDACTED] token-of-user-0000"
    );
}

#[test]
fn a_secret_that_contains_another_is_redacted_completely() {
    let mut known = KnownSecrets::new();
    known.add("inner-part", |value| &mut value.configured);
    known.add("outer-inner-part-outer", |value| &mut value.configured);
    assert_eq!(known.redact("x outer-inner-part-outer y"), "x [REDACTED] y");
}

proptest! {
    #[test]
    fn redacted_text_never_contains_the_secret(before in ".{0,40}", after in ".{0,40}") {
        let mut known = KnownSecrets::new();
        known.add("kXq7-canary-value", |it| &mut it.configured);
        let redacted = known.redact(&format!("{before}kXq7-canary-value{after}")).into_owned();
        prop_assert!(!redacted.contains("kXq7-canary-value"));
    }
}
