use crate::MiniLm;

fn tokens(text: &str) -> String {
    let all = MiniLm::built_in().expect("the model is built in").tokens(text);
    assert_eq!((all[0].as_str(), all[all.len() - 1].as_str()), ("[CLS]", "[SEP]"));
    all[1..all.len() - 1].join(" ")
}

#[test]
fn words_become_the_longest_known_tokens() {
    assert_eq!(tokens("Create a GitHub issue"), "create a gi ##th ##ub issue");
    assert_eq!(
        tokens("unaffordable electroencephalography"),
        "una ##ff ##ord ##able electro ##ence ##pha ##log ##raphy"
    );
    assert_eq!(tokens("getUserById v2.0"), "get ##user ##by ##id v ##2 . 0");
}

#[test]
fn accents_and_capitals_do_not_count() {
    assert_eq!(tokens("Café Zürich, naïve ÅNGSTRÖM"), "cafe zurich , naive ang ##strom");
    assert_eq!(tokens("İstanbul ﬁle"), "istanbul ﬁ ##le");
    assert_eq!(tokens("ß Straße"), "ß st ##raße");
}

#[test]
fn punctuation_is_a_separate_token() {
    assert_eq!(tokens("send_message(#general) -> ok?"), "send _ message ( # general ) - > ok ?");
    assert_eq!(tokens("don’t — stop…"), "don ’ t — stop …");
}

#[test]
fn other_scripts_are_tokenized_like_the_reference() {
    assert_eq!(tokens("東京の天気を調べる"), "東 京 の 天 [UNK] を [UNK] へ ##る");
    assert_eq!(tokens("한국어 날씨"), "ᄒ ##ᅡ ##ᆫ ##ᄀ ##ᅮ ##ᆨ ##ᄋ ##ᅥ ᄂ ##ᅡ ##ᆯ ##ᄊ ##ᅵ");
    assert_eq!(tokens("हिन्दी मौसम"), "ह ##ि ##न ##द ##ी [UNK]");
    assert_eq!(tokens("Погода в Москве"), "п ##о ##г ##о ##д ##а в м ##о ##с ##к ##в ##е");
    assert_eq!(tokens("ช่วยหา"), "[UNK]");
}

#[test]
fn control_characters_are_removed_and_whitespace_unified() {
    assert_eq!(tokens("a\0b\u{200d}c\td\u{fffd}e"), "abc de");
    assert_eq!(tokens("\u{3000}wide\u{a0}space"), "wide space");
    assert_eq!(tokens("🎉 party 👩\u{200d}💻"), "[UNK] party [UNK]");
    assert_eq!(tokens(" \n\u{7}\t"), "");
}

#[test]
fn special_tokens_in_the_text_are_text() {
    assert_eq!(tokens("[CLS] text [MASK]"), "[ cl ##s ] text [ mask ]");
}

#[test]
fn a_word_of_a_hundred_letters_is_a_word_and_a_longer_one_is_not() {
    assert_eq!(tokens(&"x".repeat(101)), "[UNK]");
    assert_ne!(tokens(&"x".repeat(100)), "[UNK]");
}

#[test]
fn a_long_text_is_truncated_to_the_token_limit() {
    let model = MiniLm::built_in().expect("the model is built in");
    let text = "word ".repeat(200_000);
    assert_eq!(model.tokens(&text).len(), 128);
    assert_eq!(model.looking_at(10_000).tokens(&text).len(), 256);
    assert_eq!(model.looking_at(0).tokens(&text).len(), 2);
    // A megabyte without a single word, and one that is a single word.
    assert_eq!(model.tokens(&"\u{301}".repeat(500_000)).len(), 2);
    assert_eq!(model.tokens(&"é".repeat(500_000)).len(), 3);
}
