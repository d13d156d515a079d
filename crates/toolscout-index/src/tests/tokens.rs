//! Which text counts as a word.

use crate::parameters::Parameters;
use crate::words;

fn tokens(text: &str) -> String {
    let mut all = Vec::new();
    words::for_each(text, |value| all.push(value.to_owned()));
    all.join(" ")
}

#[test]
fn identifiers_are_split_into_words() {
    assert_eq!(tokens("get_user-profile.byId"), "get user profile by id");
    assert_eq!(
        tokens("HTTPServer parseURLs XMLHttpRequest"),
        "http server parse urls xml http request"
    );
    assert_eq!(
        tokens("mp3 base64Encode s3 getTop10Movies"),
        "mp3 base64 encode s3 get top10 movies"
    );
}

#[test]
fn case_accents_and_widths_make_no_difference() {
    assert_eq!(tokens("Café NAÏVE Straße Łódź ＡＢＣ"), "cafe naive strasse lodz abc");
    assert_eq!(tokens("Привет"), "привет");
}

#[test]
fn scripts_without_spaces_are_read_in_pairs() {
    assert_eq!(tokens("搜索网页"), "搜索 索网 网页");
    assert_eq!(tokens("天気API"), "天気 api");
    assert_eq!(tokens("날씨 확인"), "날씨 확인");
    assert_eq!(tokens("一"), "一");
}

#[test]
fn overlong_words_are_ignored() {
    assert_eq!(tokens(&format!("short {} end", "x".repeat(500))), "short end");
    assert_eq!(tokens("  \u{0} \u{202e} !!! "), "");
}

#[test]
fn names_and_texts_of_the_upper_schema_levels_are_indexed() {
    let deep = r#"{"description": "the whole", "properties": {
        "to": {"type": "string", "description": "Who gets it"},
        "kind": {"enum": ["note", 7, "letter"]},
        "parts": {"items": {"properties": {"size": {"description": "How big"}}}},
        "odd": true, "description": {"description": "A parameter of that name"}}}"#;
    let found = Parameters::read(deep);
    assert_eq!(found.names, "to\nkind\nparts\nsize\nodd\ndescription\n");
    assert_eq!(found.texts, "Who gets it\nnote\nletter\nHow big\nA parameter of that name\n");
}

#[test]
fn an_invalid_schema_has_no_words() {
    for odd in [
        "",
        "7",
        "[]",
        "null",
        "{\"properties\": 3}",
        "{\"properties\": [{}]}",
        "{\"enum\": {\"a\": 1}}",
        "{\"properties\"",
    ] {
        let found = Parameters::read(odd);
        assert_eq!((found.names.as_str(), found.texts.as_str()), ("", ""), "{odd}");
    }
    let bomb = "{\"items\":".repeat(100_000);
    assert_eq!(Parameters::read(&bomb).names, "");
}
