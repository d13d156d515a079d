//! The help texts of built-in commands in other languages. A text without a translation stays
//! English.
//!
//! To add a language, add a file beside `words/ja.txt` and a line in [`translations`].

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::OnceLock;
use toolscout_surface::cli::{CommandSpec, Locale};

/// English texts with their translations.
type Translations = HashMap<&'static str, &'static str>;

/// The text in the user's language.
pub(crate) fn say(locale: Locale, english: &str) -> &str {
    translations(locale).and_then(|all| all.get(english).copied()).unwrap_or(english)
}

/// The specification of a command in the user's language.
pub(crate) fn translated(mut spec: CommandSpec, locale: Locale) -> CommandSpec {
    let translate = |text: &mut String| *text = say(locale, text).to_owned();
    translate(&mut spec.about);
    spec.notes.iter_mut().for_each(translate);
    spec.options.iter_mut().for_each(|option| translate(&mut option.help));
    spec.positionals.iter_mut().for_each(|positional| translate(&mut positional.help));
    spec
}

/// The translations of a language, parsed on first use; `None` for English.
fn translations(locale: Locale) -> Option<&'static Translations> {
    static JAPANESE: OnceLock<Translations> = OnceLock::new();
    match locale {
        Locale::Japanese => {
            Some(JAPANESE.get_or_init(|| pairs(include_str!("words/ja.txt")).collect()))
        }
        Locale::English => None,
    }
}

/// Every second line is the translation of the line before it.
fn pairs(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    std::iter::from_fn(move || Some((lines.next()?, lines.next()?)))
}
