//! 1. The bound is never below the count of the tokenizer, for any text.
//! 2. The known tokens are tokens of the tokenizer.
//! 3. The bound is useful: for English and for JSON Schemas it is at most 1.6 times the count.

use super::{at_most, parts, pieces::Pieces};
use proptest::prelude::*;
use std::sync::LazyLock;
use tiktoken_rs::{CoreBPE, o200k_base};

static TOKENIZER: LazyLock<CoreBPE> = LazyLock::new(|| o200k_base().unwrap());

fn tokens(text: &str) -> usize {
    TOKENIZER.encode_ordinary(text).len()
}

#[test]
fn every_word_of_the_list_is_one_token_in_the_forms_of_its_group() {
    for (group, words) in parts::WORDS.split("\n\n").enumerate() {
        for word in words.lines() {
            let capital = format!("{}{}", word[..1].to_uppercase(), &word[1..]);
            let forms = match group {
                0 => vec![
                    word.to_owned(),
                    format!(" {word}"),
                    capital.clone(),
                    format!(" {capital}"),
                ],
                1 => vec![word.to_owned(), format!(" {word}")],
                2 => vec![format!(" {word}")],
                _ => vec![word.to_owned()],
            };
            for form in forms {
                assert_eq!((tokens(&form), at_most(&form)), (1, 1), "{form:?}");
            }
        }
    }
}

#[test]
fn every_word_behind_a_sign_is_two_tokens_at_most() {
    for (group, words) in parts::WORDS.split("\n\n").enumerate().filter(|(group, _)| *group != 2) {
        for word in words.lines().filter(|line| line.as_bytes()[0].is_ascii_lowercase()) {
            for sign in parts::JOINED {
                let joined = format!("{}{word}", char::from(*sign));
                assert!(tokens(&joined) <= at_most(&joined), "{joined} of group {group}");
                assert!(at_most(&joined) <= 2, "{joined}");
            }
        }
    }
}

#[test]
fn numbers_signs_and_blanks_are_single_tokens() {
    for number in 0..1_000 {
        assert_eq!(tokens(&number.to_string()), 1, "{number}");
        assert_eq!(tokens(&format!("{number:03}")), 1, "{number}");
    }
    for signs in parts::SIGNS.lines() {
        assert_eq!((tokens(signs), at_most(signs)), (1, 1), "{signs:?}");
    }
    for sign in ('!'..='~').filter(|index| !index.is_alphanumeric()) {
        assert_eq!(tokens(&format!(" {sign}")), 1, "{sign}");
    }
    for letter in ('a'..='z').chain('A'..='Z') {
        assert_eq!(tokens(&format!(" {letter}")), 1, "{letter}");
    }
    for count in 1..=16 {
        assert_eq!(tokens(&" ".repeat(count)), 1, "{count}");
    }
}

#[test]
fn the_pieces_of_a_text_are_the_text() {
    let text = "Don't  stop:\n\n  it's HTTPServer2024 \u{a0}naïve – 字\t{\"a\":[1]}\r\n";
    let pieces: Vec<_> = Pieces::new(text).map(|piece| format!("{piece:?}")).collect();
    assert_eq!(pieces[..3], ["Word(\"Don't\")", "Blank(\" \")", "Word(\" stop\")"]);
    let length: usize = Pieces::new(text).map(|piece| piece.text().len()).sum();
    assert_eq!(length, text.len());
}

#[test]
fn long_runs_are_bounded_in_linear_time() {
    for value in ["a", "A", "aB", "é", "=", " ", "\n", "字", "-x", "0", "\u{202e}", "qz"] {
        let text = value.repeat(50_000);
        assert!(at_most(&text) >= tokens(&value.repeat(500)), "{value}");
    }
}

/// How close the bound is; the limits below have the numbers.
#[test]
fn the_bound_is_close_for_english_and_schemas() {
    let ratio = |text: &str| at_most(text) as f64 / tokens(text) as f64;
    let (prose, schema) = (ratio(PROSE), ratio(SCHEMA));
    assert!(prose <= 1.6, "{prose}");
    assert!(schema <= 1.6, "{schema}");
    assert!(prose >= 1.0 && schema >= 1.0);
}

const PROSE: &str = "A developer has an agent and ten servers. Today every session starts all of them, loads hundreds of \
    definitions, and the model picks the wrong one. With this the agent sees two tools; everything else is found when it is \
    needed, from what was remembered, with nothing running until the first call. Somebody who writes scripts drops one into \
    a folder and has a command with help at once. Nothing is registered, nothing is compiled, and what breaks says where \
    and why. If a server hangs, floods, crashes or lies, the others do not notice; the calendar still answers, invoices are \
    still sent, and whoever looks can read what happened in plain sentences.";

const SCHEMA: &str = r#"{"type":"object","properties":{"owner":{"type":"string","description":"Owner of the repository"},
"repo":{"type":"string","description":"Name of the repository"},"state":{"type":"string","enum":["open","closed","all"],
"default":"open"},"labels":{"type":"array","items":{"type":"string"}},"per_page":{"type":"integer","minimum":1,
"maximum":100,"description":"Results per page, for pagination"},"since":{"type":"string","format":"date-time"},
"filter":{"anyOf":[{"type":"null"},{"type":"object","additionalProperties":false,"properties":{"user_id":{"type":"number"},
"is_private":{"type":"boolean"}}}]}},"required":["owner","repo"],"$schema":"http://json-schema.org/draft-07/schema#"}"#;

/// Random words, joined by random separators.
fn prose() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        "[a-z]{1,12}",
        "[A-Z]{1,6}[a-z]{0,9}",
        Just("search".to_owned()),
        "[0-9]{1,7}",
        "\\PC{1,3}"
    ];
    let between = prop_oneof![
        " {1,3}",
        "[\"':,.{}\\[\\]/_()=-]{1,4}",
        "[ \t\r\n]{1,4}",
        "['’](s|re|ll|t|x)",
        Just(String::new())
    ];
    prop::collection::vec((word, between), 0..40)
        .prop_map(|value| value.into_iter().flat_map(|(a, b)| [a, b]).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn no_text_has_more_tokens_than_the_bound(text in any::<String>()) {
        prop_assert!(at_most(&text) >= tokens(&text), "{text:?}");
    }

    #[test]
    fn no_ascii_text_has_more_tokens_than_the_bound(text in "[ -~\t\r\n]{0,200}") {
        prop_assert!(at_most(&text) >= tokens(&text), "{text:?}");
    }

    #[test]
    fn no_mixture_of_words_and_signs_has_more_tokens_than_the_bound(text in prose()) {
        prop_assert!(at_most(&text) >= tokens(&text), "{text:?}");
    }
}
