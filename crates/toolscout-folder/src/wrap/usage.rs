//! The usage line: `deploy.sh [-v] [-n NAME] -e ENV TARGET...`.

use super::{CommandHelp, HelpOption, HelpPositional, HelpStyle, OptionValue};

/// Programs whose first argument is the script that they run.
const RUNNERS: [&str; 10] =
    ["python", "python3", "node", "sh", "bash", "ruby", "perl", "bun", "deno", "npx"];

/// Reads a usage: required options, options that no table lists, and positional arguments.
pub(super) fn read(usage: &str, typed: &[String], help: &mut CommandHelp) {
    let tokens = without_program(tokens(usage), typed);
    UsageReader { help, has_arguments: true }.read(&tokens, true, true);
}

/// The name of a parameter for a placeholder such as `<SOURCE FILE>...`; empty if it has none.
pub(super) fn parameter_name(text: &str) -> String {
    let end = text.find("...").unwrap_or(text.len());
    let mut name = String::new();
    for c in text[..end].trim().chars() {
        // `CRATE[@VERSION]`, `KEY=VALUE`
        if !name.is_empty() && matches!(c, '[' | '@') {
            break;
        }
        match c {
            '<' | '>' | '[' | ']' | '(' | ')' | '{' | '}' | '\'' | '"' | '`' | '@' => {}
            c if c.is_ascii_alphanumeric() => name.push(c.to_ascii_lowercase()),
            _ if name.is_empty() || name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    name.trim_end_matches('_').to_owned()
}

/// A part of a usage line.
#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    /// `[…]`, whose content is optional.
    Optional(Vec<Token>),
    /// `(…)`, of which one alternative is required.
    Group(Vec<Token>),
    /// `|` between alternatives.
    Or,
    /// `...`: what stands before may be repeated.
    Repeated,
}

fn tokens(text: &str) -> Vec<Token> {
    // argparse breaks a line within a bracket.
    let mut chars = text.chars().peekable();
    read_tokens(&mut chars, None)
}

fn read_tokens(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    close: Option<char>,
) -> Vec<Token> {
    let mut out = Vec::new();
    let mut word = String::new();
    let flush = |word: &mut String, out: &mut Vec<Token>| {
        let mut text = std::mem::take(word);
        let is_repeated = text.ends_with("...");
        text.truncate(text.trim_end_matches('.').len());
        if !text.is_empty() {
            out.push(Token::Word(text));
        }
        if is_repeated {
            out.push(Token::Repeated);
        }
    };
    let mut angle = 0;
    while let Some(c) = chars.next() {
        match c {
            '<' | '{' => {
                angle += 1;
                word.push(c);
            }
            '>' | '}' => {
                angle = (angle - 1).max(0);
                word.push(c);
            }
            _ if angle > 0 => word.push(c),
            '[' | '(' => {
                // `--color[=WHEN]` and `crate[@version]` are one word.
                let is_part = !word.is_empty();
                let end = if c == '[' { ']' } else { ')' };
                if is_part
                    && c == '['
                    && (matches!(chars.peek(), Some('=' | '@' | '<')) || word == "--")
                {
                    word.push(c);
                    for inner in chars.by_ref() {
                        word.push(inner);
                        if inner == end {
                            break;
                        }
                    }
                    continue;
                }
                flush(&mut word, &mut out);
                let inner = read_tokens(chars, Some(end));
                out.push(if c == '[' { Token::Optional(inner) } else { Token::Group(inner) });
            }
            c if Some(c) == close => {
                flush(&mut word, &mut out);
                return out;
            }
            '|' => {
                flush(&mut word, &mut out);
                out.push(Token::Or);
            }
            ' ' => flush(&mut word, &mut out),
            c => word.push(c),
        }
    }
    flush(&mut word, &mut out);
    out
}

/// The tokens after the name of the program and its subcommands.
fn without_program(mut tokens: Vec<Token>, typed: &[String]) -> Vec<Token> {
    let file_name = |text: &str| text.rsplit('/').next().unwrap_or(text).to_owned();
    let typed: Vec<String> = typed.iter().map(|word| file_name(word)).collect();
    let mut drop = 0;
    let word = |at: usize| match tokens.get(at) {
        Some(Token::Word(word)) => Some(file_name(word)),
        _ => None,
    };
    if let Some(first) = word(0) {
        drop = 1;
        if RUNNERS.contains(&&*first) {
            drop += if word(1).as_deref() == Some("-m") { 2 } else { 1 };
        }
        while word(drop).is_some_and(|word| typed.contains(&word)) {
            drop += 1;
        }
    }
    tokens.drain(..drop.min(tokens.len()));
    tokens
}

impl Token {
    fn has_option(&self) -> bool {
        match self {
            Self::Word(word) => word.starts_with('-') && word != "--",
            Self::Optional(inner) | Self::Group(inner) => inner.iter().any(Self::has_option),
            Self::Or | Self::Repeated => false,
        }
    }
}

struct UsageReader<'a> {
    help: &'a mut CommandHelp,
    /// Whether words are positional arguments, and not the values of an option.
    has_arguments: bool,
}

impl UsageReader<'_> {
    fn read(&mut self, tokens: &[Token], required: bool, is_outermost: bool) {
        let required = required && !tokens.contains(&Token::Or);
        // In `[-c <name> [<file> ...]]`, everything belongs to the option.
        let outer = self.has_arguments;
        self.has_arguments &= is_outermost || !tokens.iter().any(Token::has_option);
        let mut at = 0;
        while at < tokens.len() {
            let repeated = tokens.get(at + 1) == Some(&Token::Repeated);
            match &tokens[at] {
                Token::Optional(inner) => {
                    self.read(inner, false, false);
                    if repeated {
                        self.repeat(inner);
                    }
                }
                Token::Group(inner) => {
                    self.read(inner, required, false);
                    if repeated {
                        self.repeat(inner);
                    }
                }
                Token::Word(word) if word == "--" => self.help.shows_dashes = true,
                Token::Word(word) if word.starts_with('-') && word.len() > 1 => {
                    let next = match tokens.get(at + 1) {
                        Some(Token::Word(next)) if !next.starts_with('-') => Some(next.as_str()),
                        _ => None,
                    };
                    let values =
                        tokens[at + 1..].iter().take_while(|token| **token != Token::Or).count();
                    // Within brackets, what follows belongs to the option; outside, only a value.
                    if self.option(word, next, required, values == 1) {
                        at += 1;
                    }
                }
                Token::Word(word) if self.has_arguments => {
                    self.positional(word, required, repeated)
                }
                Token::Word(_) | Token::Or | Token::Repeated => {}
            }
            at += 1;
        }
        self.has_arguments = outer;
    }

    /// An option of the usage; returns whether the next word is its value.
    fn option(&mut self, word: &str, next: Option<&str>, required: bool, alone: bool) -> bool {
        let word = word.replace("[no-]", "");
        let end = word.find(['=', '[', '<']).unwrap_or(word.len());
        let (name, joined) = word.split_at(end);
        let name = name.to_owned();
        if let Some(known) = self.help.option_mut(&name) {
            known.required |= required;
            return known.value.is_some() && joined.is_empty() && next.is_some();
        }
        if self.is_cluster(&name, next) {
            for letter in name[1..].chars() {
                self.add(format!("-{letter}"), None, false);
            }
            return false;
        }
        let value = next.filter(|_| joined.is_empty());
        let value = value.filter(|next| alone || is_value(next));
        let attached = joined.trim_start_matches('[').starts_with('=');
        let text = if joined.is_empty() { value } else { Some(joined) };
        let value = text.map(|text| OptionValue {
            placeholder: text.trim_matches(|c| "=[]<>".contains(c)).to_owned(),
            optional: joined.starts_with('['),
            attached,
            ..OptionValue::default()
        });
        let takes_next = joined.is_empty() && value.is_some();
        self.add(name, value, required);
        takes_next
    }

    /// Whether a word is several short switches: `-abc`.
    fn is_cluster(&self, name: &str, next: Option<&str>) -> bool {
        let letters = &name[1..];
        let has_table = self.help.option_count_with_short() > 0;
        let is_known = |c: char| self.help.options.iter().any(|option| option.short() == Some(c));
        next.is_none()
            && !name.starts_with("--")
            && letters.len() > 1
            && letters.chars().all(|c| c.is_ascii_alphanumeric())
            && (!has_table
                || letters.chars().any(is_known)
                || self.help.style == HelpStyle::Getopts)
    }

    fn add(&mut self, name: String, value: Option<OptionValue>, required: bool) {
        if self.help.option_mut(&name).is_none() {
            let option = HelpOption { names: vec![name], value, required, ..HelpOption::default() };
            self.help.options.push(option);
        }
    }

    fn positional(&mut self, word: &str, required: bool, repeated: bool) {
        let name = parameter_name(word);
        let lower = word.to_lowercase();
        let is_choice = word.starts_with('{');
        if ["command", "subcommand", "cmd", "commands"].contains(&&*name) {
            // `time COMMAND`: without subcommands in the text, it is an argument.
            self.help.needs_subcommand = true;
            if !self.help.subcommands.is_empty() {
                return;
            }
        }
        if is_choice && !self.help.subcommands.is_empty() {
            self.help.needs_subcommand = true;
            return;
        }
        let is_options = ["option", "flag", "global", "opts"].iter().any(|it| lower.contains(it));
        let is_rest = !self.help.subcommands.is_empty() && ["args", "arg"].contains(&&*name);
        // `[+toolchain]` of rustup.
        let is_special = word.starts_with('+');
        if name.is_empty()
            || is_special
            || is_options
            || is_rest
            || name.chars().all(|c| c.is_ascii_digit())
        {
            return;
        }
        let choices = word.trim_matches(|c| "{}".contains(c)).split(',').map(str::to_owned);
        let choices = if is_choice { choices.collect() } else { Vec::new() };
        let name = if is_choice { "choice".to_owned() } else { name };
        if let Some(known) = self.help.positionals.iter_mut().find(|known| known.name == name) {
            // argparse: `file [file ...]`.
            known.repeated = true;
            return;
        }
        self.help.positionals.push(HelpPositional {
            name,
            choices,
            required,
            repeated,
            ..HelpPositional::default()
        });
    }

    /// Marks what a repeated bracket contains: `[FILE]...`.
    fn repeat(&mut self, inner: &[Token]) {
        for token in inner {
            match token {
                Token::Word(word) if word.starts_with('-') => {
                    let name = word.split(['=', '[', '<']).next().unwrap_or(word).to_owned();
                    if let Some(option) = self.help.option_mut(&name) {
                        option.repeated |= option.value.is_some();
                    }
                }
                Token::Word(word) => {
                    let name = parameter_name(word);
                    let known = self.help.positionals.iter_mut().find(|known| known.name == name);
                    if let Some(positional) = known {
                        positional.repeated = true;
                    }
                }
                Token::Group(inner) | Token::Optional(inner) => self.repeat(inner),
                Token::Or | Token::Repeated => {}
            }
        }
    }
}

impl CommandHelp {
    fn option_count_with_short(&self) -> usize {
        self.options.iter().filter(|option| option.short().is_some()).count()
    }
}

/// Whether a word after a required option is its value and not a positional argument.
fn is_value(word: &str) -> bool {
    word.starts_with(['<', '{'])
        || word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || "_-".contains(c))
}
