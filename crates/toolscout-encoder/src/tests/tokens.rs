use crate::MiniLm;

fn pieces(text: &str) -> String {
    let all = MiniLm::built_in().expect("the model is there").pieces(text);
    assert_eq!((all[0].as_str(), all[all.len() - 1].as_str()), ("[CLS]", "[SEP]"));
    all[1..all.len() - 1].join(" ")
}

#[test]
fn words_become_the_longest_pieces_there_are() {
    assert_eq!(pieces("Create a GitHub issue"), "create a gi ##th ##ub issue");
    assert_eq!(
        pieces("unaffordable electroencephalography"),
        "una ##ff ##ord ##able electro ##ence ##pha ##log ##raphy"
    );
    assert_eq!(pieces("getUserById v2.0"), "get ##user ##by ##id v ##2 . 0");
}

#[test]
fn accents_and_capitals_do_not_count() {
    assert_eq!(pieces("Café Zürich, naïve ÅNGSTRÖM"), "cafe zurich , naive ang ##strom");
    assert_eq!(pieces("İstanbul ﬁle"), "istanbul ﬁ ##le");
    assert_eq!(pieces("ß Straße"), "ß st ##raße");
}

#[test]
fn punctuation_stands_alone() {
    assert_eq!(pieces("send_message(#general) -> ok?"), "send _ message ( # general ) - > ok ?");
    assert_eq!(pieces("don’t — stop…"), "don ’ t — stop …");
}

#[test]
fn other_scripts_are_cut_as_the_authors_of_the_model_cut_them() {
    assert_eq!(pieces("東京の天気を調べる"), "東 京 の 天 [UNK] を [UNK] へ ##る");
    assert_eq!(pieces("한국어 날씨"), "ᄒ ##ᅡ ##ᆫ ##ᄀ ##ᅮ ##ᆨ ##ᄋ ##ᅥ ᄂ ##ᅡ ##ᆯ ##ᄊ ##ᅵ");
    assert_eq!(pieces("हिन्दी मौसम"), "ह ##ि ##न ##द ##ी [UNK]");
    assert_eq!(pieces("Погода в Москве"), "п ##о ##г ##о ##д ##а в м ##о ##с ##к ##в ##е");
    assert_eq!(pieces("ช่วยหา"), "[UNK]");
}

#[test]
fn controls_vanish_and_every_space_is_a_space() {
    assert_eq!(pieces("a\0b\u{200d}c\td\u{fffd}e"), "abc de");
    assert_eq!(pieces("\u{3000}wide\u{a0}space"), "wide space");
    assert_eq!(pieces("🎉 party 👩\u{200d}💻"), "[UNK] party [UNK]");
    assert_eq!(pieces(" \n\u{7}\t"), "");
}

#[test]
fn what_looks_like_a_mark_is_text() {
    assert_eq!(pieces("[CLS] text [MASK]"), "[ cl ##s ] text [ mask ]");
}

#[test]
fn a_word_of_a_hundred_letters_is_a_word_and_a_longer_one_is_not() {
    assert_eq!(pieces(&"x".repeat(101)), "[UNK]");
    assert_ne!(pieces(&"x".repeat(100)), "[UNK]");
}

#[test]
fn a_long_text_is_cut_to_the_pieces_asked_for() {
    let model = MiniLm::built_in().expect("the model is there");
    let text = "word ".repeat(200_000);
    assert_eq!(model.pieces(&text).len(), 128);
    assert_eq!(model.looking_at(10_000).pieces(&text).len(), 256);
    assert_eq!(model.looking_at(0).pieces(&text).len(), 2);
    // A megabyte without a single word, and one that is a single word.
    assert_eq!(model.pieces(&"\u{301}".repeat(500_000)).len(), 2);
    assert_eq!(model.pieces(&"é".repeat(500_000)).len(), 3);
}
