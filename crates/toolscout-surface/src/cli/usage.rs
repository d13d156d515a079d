//! Usage errors: all mistakes of a command line at once.

use super::ValueKind;
use super::words::{Locale, Word};
use std::fmt;
use toolscout_core::escape;

/// All mistakes of one command line, at least one. Shown in English; see [`UsageErrors::text`]
/// for other languages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsageErrors(Vec<UsageError>);

impl UsageErrors {
    /// `Ok` if there are no mistakes.
    pub fn check(errors: Vec<UsageError>) -> Result<(), Self> {
        if errors.is_empty() { Ok(()) } else { Err(Self(errors)) }
    }

    pub fn iter(&self) -> std::slice::Iter<'_, UsageError> {
        self.0.iter()
    }

    /// One line per mistake, with a suggestion on its own line after it; safe for a terminal.
    pub fn text(&self, locale: Locale) -> String {
        let texts: Vec<_> = self.iter().map(|item| item.text(locale)).collect();
        texts.join("\n")
    }
}

impl From<UsageError> for UsageErrors {
    fn from(error: UsageError) -> Self {
        Self(vec![error])
    }
}

impl fmt::Display for UsageErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Locale::English))
    }
}

impl std::error::Error for UsageErrors {}

/// One mistake. Option names include their dashes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UsageError {
    UnknownOption {
        option: String,
        nearest: Option<String>,
    },
    UnknownCommand {
        command: String,
        nearest: Option<String>,
    },
    MissingOption {
        option: String,
    },
    MissingArgument {
        name: String,
    },
    /// `dashed`: the next word, which looks like an option but is none.
    MissingValue {
        option: String,
        dashed: Option<String>,
    },
    TakesNoValue {
        option: String,
    },
    GivenTwice {
        option: String,
    },
    NotOneOf {
        option: String,
        value: String,
        choices: Vec<String>,
    },
    /// `reason`: the details of the parser, if any.
    NotA {
        option: String,
        value: String,
        kind: ValueKind,
        reason: Option<String>,
    },
    Conflict {
        one: String,
        other: String,
    },
    Unexpected {
        argument: String,
    },
    /// A file, or standard input.
    Unreadable {
        what: String,
        reason: String,
    },
}

impl UsageError {
    /// The message, safe for a terminal.
    pub fn text(&self, locale: Locale) -> String {
        let message = |word: Word, values: &[&str]| {
            let values: Vec<_> = values.iter().map(|value| shorten(value)).collect();
            word.fill(locale, &values.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let suggest = |text: String, nearest: &Option<String>| match nearest {
            Some(nearest) => text + "\n" + &message(Word::DidYouMean, &[nearest]),
            None => text,
        };
        match self {
            Self::UnknownOption { option, nearest } => {
                suggest(message(Word::UnknownOption, &[option]), nearest)
            }
            Self::UnknownCommand { command, nearest } => {
                suggest(message(Word::UnknownCommand, &[command]), nearest)
            }
            Self::MissingOption { option } => message(Word::MissingOption, &[option]),
            Self::MissingArgument { name } => message(Word::MissingArgument, &[name]),
            Self::MissingValue { option, dashed: None } => message(Word::MissingValue, &[option]),
            Self::MissingValue { option, dashed: Some(next) } => {
                message(Word::DashedValue, &[option, next])
            }
            Self::TakesNoValue { option } => message(Word::TakesNoValue, &[option]),
            Self::GivenTwice { option } => message(Word::GivenTwice, &[option]),
            Self::NotOneOf { option, value, choices } => {
                message(Word::NotOneOf, &[option, value, &list(choices)])
            }
            Self::NotA { option, value, kind, reason } => {
                let text = message(Word::NotA, &[option, value, noun(*kind).text(locale)]);
                reason
                    .as_ref()
                    .map_or(text.clone(), |reason| format!("{text} ({})", shorten(reason)))
            }
            Self::Conflict { one, other } => message(Word::Conflict, &[one, other]),
            Self::Unexpected { argument } => message(Word::Unexpected, &[argument]),
            Self::Unreadable { what, reason } => message(Word::Unreadable, &[what, reason]),
        }
    }

    pub fn is_unknown_option(&self) -> bool {
        matches!(self, Self::UnknownOption { .. })
    }
}

fn noun(kind: ValueKind) -> Word {
    match kind {
        ValueKind::Switch => Word::ABoolean,
        ValueKind::Text => Word::AText,
        ValueKind::Integer => Word::AnInteger,
        ValueKind::Number => Word::ANumber,
        ValueKind::Json => Word::AJson,
        ValueKind::JsonArray => Word::AJsonArray,
        ValueKind::JsonObject => Word::AJsonObject,
    }
}

/// The list of choices for the message; a long list is cut, so that the error stays on the
/// screen.
fn list(choices: &[String]) -> String {
    const MAX_CHOICES: usize = 40;
    let shown = choices.iter().take(MAX_CHOICES).map(String::as_str).collect::<Vec<_>>().join(", ");
    if choices.len() > MAX_CHOICES { shown + ", …" } else { shown }
}

/// Escapes the text, puts it on one line, and cuts it if it is very long.
fn shorten(text: &str) -> String {
    const MAX_LENGTH: usize = 1000;
    let mut shortened: String = text.chars().take(MAX_LENGTH).collect();
    if shortened.len() < text.len() {
        shortened.push('…');
    }
    escape::line(&shortened).into_owned()
}
