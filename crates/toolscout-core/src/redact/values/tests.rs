//! 1. A recorded secret is redacted in every text and value, at any depth, as a key or in JSON.
//! 2. Short values are ignored, and new values evict the oldest.

use super::*;
use crate::redact;
use proptest::prelude::*;
use serde_json::json;

#[test]
fn what_was_remembered_is_hidden_wherever_it_stands() {
    // No rule for shapes or names finds this value.
    remember("correcthorse");
    assert_eq!(
        redact::text("it said correcthorse twice: correcthorse"),
        "it said [REDACTED] twice: [REDACTED]"
    );
    let value = json!({"q": ["a correcthorse b", 1], "correcthorse": {"x": "correcthorses"}});
    let hidden = json!({"q": ["a [REDACTED] b", 1], "[REDACTED]": {"x": "[REDACTED]s"}});
    assert_eq!(redact::secrets(&value), hidden);
}

#[test]
fn a_secret_with_quotes_is_hidden_in_json_and_each_line_of_a_long_one_by_itself() {
    remember("say \"friend\" now");
    remember("first line of it\nsecond line of it\n");
    let json = json!({"word": "say \"friend\" now"}).to_string();
    assert_eq!(values(&json), "{\"word\":\"[REDACTED]\"}");
    assert_eq!(values("… second line of it …"), "… [REDACTED] …");
}

#[test]
fn what_is_short_stays_and_there_is_an_end_to_what_is_remembered() {
    remember("abcde");
    assert_eq!(values("abcde"), "abcde");
    let mut known = KnownSecrets::new();
    for at in 0..=MOST {
        known.add(&format!("secret-number-{at:04}"), |it| &mut it.lasting);
    }
    assert_eq!(known.lasting.len(), MOST);
    assert_eq!(
        known.hide("secret-number-0000 secret-number-0512"),
        "secret-number-0000 [REDACTED]"
    );
    for at in 0..2 * MOST {
        known.add(&format!("token-of-user-{at:04}"), |it| &mut it.passing);
    }
    assert_eq!(
        known.hide("secret-number-0512 token-of-user-0000"),
        "[REDACTED] token-of-user-0000"
    );
}

#[test]
fn a_secret_that_holds_another_goes_as_a_whole() {
    let mut known = KnownSecrets::new();
    known.add("inner-part", |it| &mut it.lasting);
    known.add("outer-inner-part-outer", |it| &mut it.lasting);
    assert_eq!(known.hide("x outer-inner-part-outer y"), "x [REDACTED] y");
}

proptest! {
    #[test]
    fn no_text_shows_it_afterwards(before in ".{0,40}", after in ".{0,40}") {
        let mut known = KnownSecrets::new();
        known.add("kXq7-canary-value", |it| &mut it.lasting);
        let hidden = known.hide(&format!("{before}kXq7-canary-value{after}")).into_owned();
        prop_assert!(!hidden.contains("kXq7-canary-value"));
    }
}
