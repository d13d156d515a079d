use super::tiny::Tiny;
use crate::MiniLm;
use serde_json::json;

/// Fourteen tokens, as many as the weights have rows.
fn model() -> MiniLm {
    let tiny = Tiny::new();
    let tokens = json!([
        ["<s>", 0.0],
        ["<pad>", 0.0],
        ["</s>", 0.0],
        ["<unk>", 0.0],
        ["▁", -2.0],
        ["▁send", -4.0],
        ["▁se", -3.0],
        ["nd", -3.0],
        ["er", -2.5],
        ["天気", -3.5],
        ["天", -3.0],
        ["気", -3.0],
        ["▁mail", -4.0],
        ["s", -15.0],
    ]);
    tiny.write(
        "tokenizer.json",
        &json!({"model": {"type": "Unigram", "unk_id": 3, "vocab": tokens}}).to_string(),
    );
    MiniLm::open(&tiny.path()).expect("a model with a unigram tokenizer")
}

#[test]
fn the_most_probable_tokenization_is_chosen() {
    let model = model();
    assert_eq!(model.tokens("send mails"), ["<s>", "▁send", "▁mail", "s", "</s>"]);
    assert_eq!(model.tokens("sender"), ["<s>", "▁send", "er", "</s>"]);
    assert_eq!(model.tokens("天気"), ["<s>", "▁", "天気", "</s>"]);
}

#[test]
fn wide_letters_are_normalized_and_adjacent_unknowns_are_one_token() {
    let model = model();
    assert_eq!(model.tokens("ｓｅｎｄ"), ["<s>", "▁send", "</s>"]);
    assert_eq!(model.tokens("send ⌘⌥⇧ mail"), ["<s>", "▁send", "▁", "<unk>", "▁mail", "</s>"]);
    assert_eq!(model.tokens(""), ["<s>", "</s>"]);
}

#[test]
fn a_text_without_spaces_may_be_a_megabyte_long() {
    let model = model();
    assert_eq!(model.tokens(&"天気".repeat(200_000)).len(), 24);
    assert_eq!(model.encode(&"天".repeat(1000)).len(), 30);
}
