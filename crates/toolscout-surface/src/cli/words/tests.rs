//! 1. The environment selects the language.
//! 2. All columns have the same placeholders.
//! 3. Filled-in values are never treated as templates.

use super::{Locale, Word};

fn locale(vars: &[(&str, &str)]) -> Locale {
    Locale::from_env(|name| {
        vars.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    })
}

#[test]
fn the_first_non_empty_variable_selects_the_language() {
    assert_eq!(locale(&[]), Locale::English);
    assert_eq!(locale(&[("LANG", "ja_JP.UTF-8")]), Locale::Japanese);
    assert_eq!(locale(&[("LC_ALL", ""), ("LANG", "ja")]), Locale::Japanese);
    assert_eq!(locale(&[("LC_ALL", "C"), ("LANG", "ja_JP")]), Locale::English);
    assert_eq!(locale(&[("TOOLSCOUT_LANG", "JA"), ("LC_ALL", "de_DE.UTF-8")]), Locale::Japanese);
}

#[test]
fn every_language_has_the_same_placeholders() {
    for word in Word::ALL {
        let placeholders =
            |locale| ["{0}", "{1}", "{2}"].map(|value| word.text(locale).contains(value));
        for (code, locale) in Locale::ALL {
            assert_eq!(placeholders(locale), placeholders(Locale::English), "{word:?} in {code}");
            assert!(!word.text(locale).is_empty(), "{word:?} in {code}");
        }
    }
}

#[test]
fn braces_in_values_are_not_placeholders() {
    let text = Word::NotA.fill(Locale::English, &["--x", "{2}{0}", "JSON"]);
    assert_eq!(text, r#"Invalid value for --x: "{2}{0}" is not JSON"#);
}
