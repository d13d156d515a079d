//! Parses arguments by the specification of a command, and reports all mistakes at once.

#[cfg(test)]
mod tests;

mod checks;

use super::value;
use super::{CommandSpec, Many, OptionSpec, UsageError, UsageErrors, nearest};
use std::collections::HashMap;

/// Parses the words after the command's name.
///
/// Accepts `--k v`, `--k=v`, `-k v`, `-kv`, `-k=v`, `-abc`, `--no-x`, `--x=false`, and `--`,
/// after which no word is parsed. A value that starts with a dash needs `=`, unless it is a
/// number.
///
/// If `--help` or `--version` is given, only unknown options are errors.
pub fn parse(spec: &CommandSpec, args: &[String]) -> Result<Parsed, UsageErrors> {
    let mut parser = ArgumentParser {
        spec,
        values: HashMap::new(),
        positional_words: Vec::new(),
        rest: Vec::new(),
        errors: Vec::new(),
    };
    parser.parse_words(args);
    parser.finish()
}

/// Parsed and checked arguments.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Parsed {
    values: HashMap<String, Vec<String>>,
    /// In the order given; with `stop_at_positional`, all words from the first positional on,
    /// unparsed.
    pub positionals: Vec<String>,
    /// The words after `--`, unparsed.
    pub rest: Vec<String>,
}

impl Parsed {
    /// Whether the switch was given and not turned off.
    pub fn switch(&self, long: &str) -> bool {
        self.text(long) == Some("true")
    }

    /// The value of the option; `true` or `false` for a switch.
    pub fn text(&self, long: &str) -> Option<&str> {
        self.texts(long).first().map(String::as_str)
    }

    /// All values of the option, in the order given.
    pub fn texts(&self, long: &str) -> &[String] {
        self.values.get(long).map_or(&[], Vec::as_slice)
    }

    /// Removes these options.
    pub fn without<'a>(mut self, options: impl IntoIterator<Item = &'a str>) -> Self {
        options.into_iter().for_each(|option| drop(self.values.remove(option)));
        self
    }

    /// Whether the option was given at all; an empty list counts.
    pub fn is_given(&self, long: &str) -> bool {
        self.values.contains_key(long)
    }
}

/// The state of the parser.
struct ArgumentParser<'a> {
    spec: &'a CommandSpec,
    values: HashMap<&'a str, Vec<String>>,
    /// Words that are neither options nor their values.
    positional_words: Vec<String>,
    rest: Vec<String>,
    errors: Vec<UsageError>,
}

impl<'a> ArgumentParser<'a> {
    fn parse_words(&mut self, mut remaining: &[String]) {
        while let Some((word, tail)) = remaining.split_first() {
            if word == "--" {
                self.rest = tail.to_vec();
                return;
            }
            if !self.is_option(word) {
                if self.spec.stop_at_positional {
                    self.positional_words = remaining.to_vec();
                    return;
                }
                self.positional_words.push(word.clone());
                remaining = tail;
                continue;
            }
            remaining = match word.strip_prefix("--") {
                Some(long) => self.long(long, tail),
                None => self.shorts(&word[1..], tail),
            };
        }
    }

    /// Whether the word is an option. `-` alone is a value (standard input, by convention), and
    /// so is `-5` unless a digit is an option.
    fn is_option(&self, word: &str) -> bool {
        let is_number = || {
            value::is_negative_number(word)
                && self.spec.options.iter().all(|option| !is_digit(option.short))
        };
        word.len() > 1 && word.starts_with('-') && !is_number()
    }

    /// Parses `name`, `name=value` or `no-name`; returns the remaining words.
    fn long<'w>(&mut self, word: &str, tail: &'w [String]) -> &'w [String] {
        let (name, value) = split(word);
        if let Some(option) = self.spec.find_long(name) {
            return self.option(option, value, tail);
        }
        match (self.spec.find_negated(name), value) {
            (Some(option), None) => self.record(option, "false"),
            (Some(_), Some(_)) => {
                self.errors.push(UsageError::TakesNoValue { option: format!("--{name}") })
            }
            (None, _) => self.unknown(name),
        }
        tail
    }

    /// Parses a group of short options, the last of which may take a value: `abc`, `kv`, `k=v`,
    /// `abk v`.
    fn shorts<'w>(&mut self, group: &str, tail: &'w [String]) -> &'w [String] {
        let mut letters = group.chars();
        while let Some(letter) = letters.next() {
            let Some(option) = self.spec.find_short(letter) else {
                self.errors.push(UsageError::UnknownOption {
                    option: format!("-{letter}"),
                    nearest: None,
                });
                return tail;
            };
            let after = letters.as_str();
            let value = after.strip_prefix('=');
            if !option.is_switch() {
                return self.option(
                    option,
                    value.or(Some(after)).filter(|_| !after.is_empty()),
                    tail,
                );
            }
            self.option(option, value, tail);
            if value.is_some() {
                break;
            }
        }
        tail
    }

    fn option<'w>(
        &mut self,
        option: &'a OptionSpec,
        value: Option<&str>,
        tail: &'w [String],
    ) -> &'w [String] {
        match value {
            Some(value) => self.record(option, value),
            None if option.is_switch() => self.record(option, "true"),
            None => return self.next_word(option, tail),
        }
        tail
    }

    /// Takes the next word as the option's value, if it can be one.
    fn next_word<'w>(&mut self, option: &'a OptionSpec, tail: &'w [String]) -> &'w [String] {
        let missing = |dashed| UsageError::MissingValue { option: option.shown(), dashed };
        match tail.split_first() {
            Some((word, tail)) if !self.is_option(word) => {
                self.record(option, word);
                tail
            }
            // The user probably intended this word as the value: one error is better than a
            // second one about an unknown option.
            Some((word, after)) if word != "--" && !self.is_known(word) => {
                self.errors.push(missing(Some(word.clone())));
                after
            }
            _ => {
                self.errors.push(missing(None));
                tail
            }
        }
    }

    fn is_known(&self, word: &str) -> bool {
        match word.strip_prefix("--") {
            Some(long) => {
                let (name, _) = split(long);
                self.spec.find_long(name).is_some() || self.spec.find_negated(name).is_some()
            }
            None => word.chars().nth(1).is_some_and(|c| self.spec.find_short(c).is_some()),
        }
    }

    fn unknown(&mut self, name: &str) {
        let visible = self.spec.options.iter().filter(|option| !option.hidden);
        let negated: Vec<_> = visible
            .clone()
            .filter(|visible| visible.negatable)
            .map(|visible| format!("no-{}", visible.long))
            .collect();
        let names =
            visible.map(|visible| visible.long.as_str()).chain(negated.iter().map(String::as_str));
        let nearest = nearest(name, names).map(|nearest| format!("--{nearest}"));
        self.errors.push(UsageError::UnknownOption { option: format!("--{name}"), nearest });
    }

    /// Stores a value, and records its errors.
    fn record(&mut self, option: &'a OptionSpec, text: &str) {
        let texts = match option.many {
            Many::RepeatOrComma => value::items(text),
            Many::No | Many::Repeat => vec![text.to_owned()],
        };
        self.errors.extend(texts.iter().filter_map(|text| checks::check_value(option, text)));
        let previous = self.values.get(option.long.as_str());
        // A switch may be repeated with the same value, because scripts and aliases do that.
        let is_repeated = previous.is_some_and(|value| !option.is_switch() || *value != texts);
        match option.many {
            Many::No if is_repeated => {
                self.errors.push(UsageError::GivenTwice { option: option.shown() })
            }
            Many::No => drop(self.values.insert(&option.long, texts)),
            Many::Repeat | Many::RepeatOrComma => {
                self.values.entry(&option.long).or_default().extend(texts)
            }
        }
    }
}

fn split(word: &str) -> (&str, Option<&str>) {
    word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)))
}

fn is_digit(short: Option<char>) -> bool {
    short.is_some_and(|value| value.is_ascii_digit())
}
