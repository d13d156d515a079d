//! Checks after all words are parsed: positionals, requirements, conflicts.

use super::{Parsed, Reading};
use crate::cli::{OptionSpec, PositionalSpec, UsageError, UsageErrors, value};

impl Reading<'_> {
    pub(super) fn finish(mut self) -> Result<Parsed, UsageErrors> {
        let positionals = self.place();
        if self.is_question() {
            self.errors.retain(UsageError::is_unknown_option);
        } else {
            self.require();
            self.refuse_conflicts();
        }
        UsageErrors::check(self.errors)?;
        let values =
            self.values.into_iter().map(|(long, texts)| (long.to_owned(), texts)).collect();
        Ok(Parsed { values, positionals, rest: self.rest })
    }

    fn is_question(&self) -> bool {
        let mut questions = self.spec.options.iter().filter(|it| it.informative);
        questions
            .any(|it| self.values.get(it.long.as_str()).is_some_and(|texts| texts == &["true"]))
    }

    /// Assigns the remaining words to positionals; a positional that represents an option sets
    /// that option.
    fn place(&mut self) -> Vec<String> {
        let spec = self.spec;
        let mut words = std::mem::take(&mut self.loose).into_iter();
        if spec.stop_at_positional {
            let words: Vec<_> = words.collect();
            self.miss(&spec.positionals[words.len().min(spec.positionals.len())..]);
            return words;
        }
        let mut placed = Vec::new();
        let mut unfilled = Vec::new();
        for slot in &spec.positionals {
            let option = slot.option.as_deref().and_then(|it| spec.find_long(it));
            if option.is_some_and(|it| self.values.contains_key(it.long.as_str())) {
                continue;
            }
            let taken: Vec<_> =
                words.by_ref().take(if slot.many { usize::MAX } else { 1 }).collect();
            match option {
                Some(option) => taken.iter().for_each(|it| self.record(option, it)),
                None if taken.is_empty() => unfilled.push(slot.clone()),
                None => {
                    self.errors.extend(
                        taken.iter().filter_map(|it| choice(&slot.name, &slot.choices, it)),
                    );
                    placed.extend(taken);
                }
            }
        }
        self.miss(&unfilled);
        // After an unknown option, an extra word is probably its value.
        if !self.errors.iter().any(UsageError::is_unknown_option) {
            self.errors.extend(words.map(|argument| UsageError::Unexpected { argument }));
        }
        placed
    }

    /// Reports missing positionals. If there are words after `--`, they may be the missing
    /// ones; the command decides.
    fn miss(&mut self, unfilled: &[PositionalSpec]) {
        if self.rest.is_empty() {
            let missing = unfilled.iter().filter(|it| it.required);
            self.errors
                .extend(missing.map(|it| UsageError::MissingArgument { name: it.name.clone() }));
        }
    }

    fn require(&mut self) {
        let given = |long: &str| self.values.contains_key(long);
        let tried: Vec<_> = self.errors.iter().filter_map(missing_value).collect();
        let is_missing = |it: &&OptionSpec| {
            it.required
                && !given(&it.long)
                && !it.unless.iter().any(|other| given(other))
                && !tried.contains(&it.shown())
        };
        let missing = self.spec.options.iter().filter(is_missing);
        let missing: Vec<_> =
            missing.map(|it| UsageError::MissingOption { option: it.shown() }).collect();
        self.errors.extend(missing);
    }

    fn refuse_conflicts(&mut self) {
        let mut named: Vec<(&str, &str)> = Vec::new();
        for option in &self.spec.options {
            for other in option.conflicts.iter().filter_map(|it| self.spec.find_long(it)) {
                let (one, other) = (option.long.as_str(), other.long.as_str());
                let both = one != other
                    && self.values.contains_key(one)
                    && self.values.contains_key(other);
                if both && !named.contains(&(other, one)) && !named.contains(&(one, other)) {
                    named.push((one, other));
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
pub(super) fn value(option: &OptionSpec, text: &str) -> Option<UsageError> {
    if option.is_switch() {
        return choice(&option.shown(), &["true", "false"].map(str::to_owned), text);
    }
    if let Err(reason) = value::check(option.value, text) {
        let (value, kind) = (text.to_owned(), option.value);
        return Some(UsageError::NotA { option: option.shown(), value, kind, reason });
    }
    choice(&option.shown(), &option.choices, text)
}

fn choice(what: &str, choices: &[String], text: &str) -> Option<UsageError> {
    let fits = choices.is_empty() || choices.iter().any(|it| it == text);
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
