//! Checks after all words are parsed: positionals, requirements, conflicts.

use super::{ArgumentParser, Parsed};
use crate::cli::{OptionSpec, PositionalSpec, UsageError, UsageErrors, value};

impl ArgumentParser<'_> {
    pub(super) fn finish(mut self) -> Result<Parsed, UsageErrors> {
        let positionals = self.assign_positionals();
        if self.is_informational() {
            self.errors.retain(UsageError::is_unknown_option);
        } else {
            self.check_required();
            self.check_conflicts();
        }
        UsageErrors::check(self.errors)?;
        let values =
            self.values.into_iter().map(|(long, texts)| (long.to_owned(), texts)).collect();
        Ok(Parsed { values, positionals, rest: self.rest })
    }

    fn is_informational(&self) -> bool {
        let mut informative = self.spec.options.iter().filter(|option| option.informative);
        informative.any(|option| {
            self.values.get(option.long.as_str()).is_some_and(|texts| texts == &["true"])
        })
    }

    /// Assigns the remaining words to positionals; a positional that represents an option sets
    /// that option.
    fn assign_positionals(&mut self) -> Vec<String> {
        let spec = self.spec;
        let mut words = std::mem::take(&mut self.positional_words).into_iter();
        if spec.stop_at_positional {
            let words: Vec<_> = words.collect();
            self.report_missing(&spec.positionals[words.len().min(spec.positionals.len())..]);
            return words;
        }
        let mut positionals = Vec::new();
        let mut unfilled = Vec::new();
        for slot in &spec.positionals {
            let option = slot.option.as_deref().and_then(|option| spec.find_long(option));
            if option.is_some_and(|option| self.values.contains_key(option.long.as_str())) {
                continue;
            }
            let taken: Vec<_> =
                words.by_ref().take(if slot.many { usize::MAX } else { 1 }).collect();
            match option {
                Some(option) => taken.iter().for_each(|item| self.record(option, item)),
                None if taken.is_empty() => unfilled.push(slot.clone()),
                None => {
                    self.errors.extend(
                        taken
                            .iter()
                            .filter_map(|item| check_choice(&slot.name, &slot.choices, item)),
                    );
                    positionals.extend(taken);
                }
            }
        }
        self.report_missing(&unfilled);
        // After an unknown option, an extra word is probably its value.
        if !self.errors.iter().any(UsageError::is_unknown_option) {
            self.errors.extend(words.map(|argument| UsageError::Unexpected { argument }));
        }
        positionals
    }

    /// Reports missing positionals. If there are words after `--`, they may be the missing
    /// ones; the command decides.
    fn report_missing(&mut self, unfilled: &[PositionalSpec]) {
        if self.rest.is_empty() {
            let missing = unfilled.iter().filter(|slot| slot.required);
            self.errors.extend(
                missing.map(|slot| UsageError::MissingArgument { name: slot.name.clone() }),
            );
        }
    }

    fn check_required(&mut self) {
        let given = |long: &str| self.values.contains_key(long);
        let tried: Vec<_> = self.errors.iter().filter_map(missing_value).collect();
        let is_missing = |option: &&OptionSpec| {
            option.required
                && !given(&option.long)
                && !option.unless.iter().any(|other| given(other))
                && !tried.contains(&option.shown())
        };
        let missing = self.spec.options.iter().filter(is_missing);
        let missing: Vec<_> =
            missing.map(|option| UsageError::MissingOption { option: option.shown() }).collect();
        self.errors.extend(missing);
    }

    fn check_conflicts(&mut self) {
        let mut reported: Vec<(&str, &str)> = Vec::new();
        for option in &self.spec.options {
            for other in
                option.conflicts.iter().filter_map(|conflict| self.spec.find_long(conflict))
            {
                let (one, other) = (option.long.as_str(), other.long.as_str());
                let both = one != other
                    && self.values.contains_key(one)
                    && self.values.contains_key(other);
                if both && !reported.contains(&(other, one)) && !reported.contains(&(one, other)) {
                    reported.push((one, other));
                    self.errors.push(UsageError::Conflict {
                        one: format!("--{one}"),
                        other: format!("--{other}"),
                    });
                }
            }
        }
    }
}

/// The error in one value of the option, if any.
pub(super) fn check_value(option: &OptionSpec, text: &str) -> Option<UsageError> {
    if option.is_switch() {
        return check_choice(&option.shown(), &["true", "false"].map(str::to_owned), text);
    }
    if let Err(reason) = value::check(option.value, text) {
        let (value, kind) = (text.to_owned(), option.value);
        return Some(UsageError::NotA { option: option.shown(), value, kind, reason });
    }
    check_choice(&option.shown(), &option.choices, text)
}

fn check_choice(what: &str, choices: &[String], text: &str) -> Option<UsageError> {
    let fits = choices.is_empty() || choices.iter().any(|choice| choice == text);
    (!fits).then(|| UsageError::NotOneOf {
        option: what.to_owned(),
        value: text.to_owned(),
        choices: choices.to_vec(),
    })
}

fn missing_value(error: &UsageError) -> Option<String> {
    match error {
        UsageError::MissingValue { option, .. } => Some(option.clone()),
        _ => None,
    }
}
