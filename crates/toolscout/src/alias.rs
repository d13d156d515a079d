//! Words that people type for a command with another name.

use crate::command::Commands;
use crate::topics::{self, TOPICS};

/// Words and their commands. A tool with such a name wins over the alias.
const ALIASES: &[(&str, &str)] = &[
    ("add", "server add"),
    ("list", "tools"),
    ("login", "server login"),
    ("logout", "server logout"),
    ("logs", "server logs"),
    ("ls", "tools"),
    ("remove", "server remove"),
    ("rm", "server remove"),
    ("server ls", "server list"),
    ("server rm", "server remove"),
];

/// What the words of an alias stand for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Alias {
    /// The list of commands.
    Help,
    /// The version of the program.
    Version,
    /// A command with these arguments.
    Command { name: String, rest: Vec<String> },
}

/// The alias at the start of these words, and its meaning. A command wins over an alias.
pub(crate) fn find(first: &str, rest: &[String], commands: &Commands) -> Option<(String, Alias)> {
    if let Some((second, rest)) = rest.split_first() {
        let both = format!("{first} {second}");
        if let Some(alias) = command(&both, rest, commands) {
            return Some((both, alias));
        }
    }
    if commands.find(first).is_some() {
        return None;
    }
    let alias = match first {
        "help" => help(rest, commands),
        "version" => Alias::Version,
        _ => command(first, rest, commands)?,
    };
    Some((first.to_owned(), alias))
}

fn command(words: &str, rest: &[String], commands: &Commands) -> Option<Alias> {
    let (_, name) = ALIASES.iter().find(|(alias, _)| *alias == words)?;
    commands.find(name)?;
    Some(Alias::Command { name: (*name).to_owned(), rest: rest.to_vec() })
}

/// `help server add` is `server add --help`; `help files` is a topic.
fn help(words: &[String], commands: &Commands) -> Alias {
    let words: Vec<&str> =
        words.iter().map(String::as_str).take_while(|word| !word.starts_with('-')).collect();
    let Some((first, _)) = words.split_first() else { return Alias::Help };
    let both = words.get(..2).map(|both| both.join(" "));
    let name = both.filter(|both| commands.find(both).is_some());
    let aliased = || match find(first, &[], commands)? {
        (_, Alias::Command { name, .. }) => Some(name),
        _ => None,
    };
    let name = name.or_else(aliased).unwrap_or_else(|| (*first).to_owned());
    if commands.find(&name).is_none() && TOPICS.iter().any(|topic| topic.name == name) {
        return Alias::Command { name: topics::COMMAND.to_owned(), rest: vec![name] };
    }
    Alias::Command { name, rest: vec!["--help".to_owned()] }
}
