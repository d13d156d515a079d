//! Completion candidates, and the shell scripts that request them.
//!
//! The scripts contain no list of commands: they run `toolscout __complete -- WORDS…` with the
//! words up to the cursor, the last one perhaps empty, and show the output of [`print()`]. So
//! completion always matches this version and these tools, and it reads stored records only: it
//! loads no tool.

#[cfg(test)]
mod tests;

use super::{CommandSpec, Many, OptionSpec};
use std::collections::HashSet;
use std::str::FromStr;
use toolscout_core::escape;

/// A shell with a completion script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    Bash,
    Zsh,
    Fish,
    PowerShell,
}

impl Shell {
    pub const ALL: [(&'static str, Shell); 4] = [
        ("bash", Self::Bash),
        ("zsh", Self::Zsh),
        ("fish", Self::Fish),
        ("powershell", Self::PowerShell),
    ];

    /// The script; its first lines explain how to load it.
    pub fn script(self) -> &'static str {
        match self {
            Self::Bash => include_str!("complete/toolscout.bash"),
            Self::Zsh => include_str!("complete/toolscout.zsh"),
            Self::Fish => include_str!("complete/toolscout.fish"),
            Self::PowerShell => include_str!("complete/toolscout.ps1"),
        }
    }
}

impl FromStr for Shell {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|(item, _)| *item == name).map(|(_, shell)| shell).ok_or(())
    }
}

/// A completion candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub value: String,
    /// One line, or empty.
    pub help: String,
}

impl Candidate {
    pub fn new(value: impl Into<String>, help: impl Into<String>) -> Self {
        Self { value: value.into(), help: help.into() }
    }
}

/// The candidates in the format of the scripts: one per line, with a tab before the help.
/// Values with control characters are left out.
pub fn print(candidates: &[Candidate]) -> String {
    let mut out = String::new();
    for candidate in
        candidates.iter().filter(|candidate| !candidate.value.contains(char::is_control))
    {
        let help = candidate.help.trim_start().lines().next().unwrap_or_default();
        out.push_str(&format!("{}\t{}\n", candidate.value, escape::line(help)));
    }
    out
}

/// The candidates for the last word.
///
/// `names` returns the commands below a path of commands (all commands and tools for the empty
/// path, tools for `run`, the subcommands of a command); `spec` returns the specification of
/// the command at a path (the global options for the empty path). Both are called only for the
/// typed commands, so a thousand other tools cost nothing.
pub fn candidates(
    words: &[String],
    names: impl Fn(&[String]) -> Vec<Candidate>,
    spec: impl Fn(&[String]) -> Option<CommandSpec>,
) -> Vec<Candidate> {
    let (current, before) =
        words.split_last().map_or(("", words), |(last, before)| (last.as_str(), before));
    let mut state = CompletionState::new(&names, &spec);
    before.iter().for_each(|item| state.consume(item));
    state.candidates(current)
}

/// The position of the cursor, derived from the words before it.
struct CompletionState<'a, N, S> {
    names: &'a N,
    spec_at: &'a S,
    path: Vec<String>,
    spec: CommandSpec,
    given: HashSet<String>,
    /// The option whose value comes next.
    awaiting: Option<OptionSpec>,
    positionals: usize,
    /// The cursor is after `--`, or in an unknown command: there are no candidates.
    no_candidates: bool,
}

impl<'a, N, S> CompletionState<'a, N, S>
where
    N: Fn(&[String]) -> Vec<Candidate>,
    S: Fn(&[String]) -> Option<CommandSpec>,
{
    fn new(names: &'a N, spec_at: &'a S) -> Self {
        let spec = spec_at(&[]).unwrap_or_default();
        let (path, given) = (Vec::new(), HashSet::new());
        Self {
            names,
            spec_at,
            path,
            spec,
            given,
            awaiting: None,
            positionals: 0,
            no_candidates: false,
        }
    }

    fn consume(&mut self, word: &str) {
        // bash splits `--mode=fast` into three words.
        if self.no_candidates
            || (word == "=" && self.awaiting.is_some())
            || self.awaiting.take().is_some()
        {
            return;
        }
        match word.strip_prefix("--") {
            Some("") => self.no_candidates = true,
            Some(long) => self.consume_long(long),
            None if word.starts_with('-') && word.len() > 1 => self.consume_shorts(&word[1..]),
            None => self.consume_positional(word),
        }
    }

    fn consume_long(&mut self, long: &str) {
        let (name, value) =
            long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
        let Some(option) = self.spec.find_long(name).or_else(|| self.spec.find_negated(name))
        else {
            return;
        };
        self.given.insert(option.long.clone());
        self.awaiting =
            Some(option.clone()).filter(|option| !option.is_switch() && value.is_none());
    }

    fn consume_shorts(&mut self, group: &str) {
        let mut letters = group.chars();
        while let Some(option) = letters.next().and_then(|letter| self.spec.find_short(letter)) {
            self.given.insert(option.long.clone());
            if !option.is_switch() {
                self.awaiting = Some(option.clone()).filter(|_| letters.as_str().is_empty());
                return;
            }
        }
    }

    fn consume_positional(&mut self, word: &str) {
        let is_command =
            self.positionals == 0 && (self.names)(&self.path).iter().any(|item| item.value == word);
        if !is_command {
            self.positionals += 1;
            self.no_candidates = self.spec.stop_at_positional;
            return;
        }
        self.path.push(word.to_owned());
        self.given.clear();
        match (self.spec_at)(&self.path) {
            Some(spec) => self.spec = spec,
            None => self.no_candidates = true,
        }
    }

    fn candidates(&self, current: &str) -> Vec<Candidate> {
        if self.no_candidates {
            return Vec::new();
        }
        if let Some(option) = &self.awaiting {
            return matching(
                choices(&option.choices),
                current.strip_prefix('=').unwrap_or(current),
            );
        }
        if let Some((name, _)) = current.strip_prefix("--").and_then(|rest| rest.split_once('=')) {
            return matching(self.values(name), current);
        }
        if current.starts_with('-') {
            return matching(self.options(current), current);
        }
        let mut all = if self.positionals == 0 { (self.names)(&self.path) } else { Vec::new() };
        all.extend(
            self.spec
                .positionals
                .get(self.positionals)
                .into_iter()
                .flat_map(|positional| choices(&positional.choices)),
        );
        if all.is_empty() && current.is_empty() {
            all = self.options(current);
        }
        matching(all, current)
    }

    /// Candidates for `--mode=fast` as one word, for shells that do not split at `=`.
    fn values(&self, name: &str) -> Vec<Candidate> {
        let booleans = || ["true", "false"].map(str::to_owned).to_vec();
        let Some(option) = self.spec.find_long(name) else { return Vec::new() };
        let values = if option.is_switch() { booleans() } else { option.choices.clone() };
        values.into_iter().map(|value| Candidate::new(format!("--{name}={value}"), "")).collect()
    }

    fn options(&self, current: &str) -> Vec<Candidate> {
        let is_available = |option: &&OptionSpec| {
            !option.hidden && (option.many != Many::No || !self.given.contains(&option.long))
        };
        let mut all = Vec::new();
        for option in self.spec.options.iter().filter(is_available) {
            all.push(Candidate::new(option.shown(), &option.help));
            // Both spellings of every switch would crowd the list, so `--no-` names appear only
            // after `--no`.
            if option.negatable && current.starts_with("--no") {
                all.push(Candidate::new(format!("--no-{}", option.long), &option.help));
            }
        }
        all
    }
}

fn choices(values: &[String]) -> Vec<Candidate> {
    values.iter().map(|value| Candidate::new(value, "")).collect()
}

fn matching(mut all: Vec<Candidate>, start: &str) -> Vec<Candidate> {
    all.retain(|item| item.value.starts_with(start));
    all
}
