//! Parses the command line, as far as possible before the command is known.

use crate::alias::{self, Alias};
use crate::command::Commands;
use crate::{AppError, LifecycleError, Options};
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;
use toolscout_core::escape;
use toolscout_surface::cli::{
    self, CommandSpec, InputFrom, Locale, OptionSpec, Parsed, UsageErrors,
};
use toolscout_surface::operation::UnavailableServers;
use toolscout_surface::output::Format;
use toolscout_workspace::{ColorChoice, CommandTraits};

/// The parsed command line: the program's options, the command's name, and the arguments of the
/// command.
pub(crate) struct Line {
    pub(crate) options: Options,
    pub(crate) word: Option<String>,
    pub(crate) rest: Vec<String>,
    /// The typed alias. A tool of this name wins over it.
    pub(crate) alias: Option<TypedAlias>,
}

/// An alias on the command line.
pub(crate) struct TypedAlias {
    pub(crate) word: String,
    /// For an alias of the program's own options.
    wants: Option<Wants>,
}

/// Whether the words that stand for commands are replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aliases {
    Expanded,
    Ignored,
}

impl Line {
    pub(crate) fn read(
        args: &[String],
        spec: &CommandSpec,
        commands: &Commands,
        aliases: Aliases,
        env: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, UsageErrors> {
        let before = cli::parse(spec, args)?;
        let (word, rest) = command_and_rest(&before.positionals, commands);
        let (word, rest, alias) = match aliases {
            Aliases::Expanded => expanded(word, rest, commands),
            Aliases::Ignored => (word, rest, None),
        };
        let after = match word.as_deref() {
            Some(COMPLETE) => being_typed(spec, &rest),
            Some(word) => {
                commands.find(word).and_then(|command| following(command.spec(), spec, &rest))
            }
            None => None,
        };
        let mut traits = match word.as_deref() {
            Some(word) => commands.find(word).map(|command| command.traits()).unwrap_or_default(),
            // The overview lists tools.
            None => CommandTraits {
                unavailable_servers: UnavailableServers::Count,
                ..CommandTraits::default()
            },
        };
        traits.only_reads |= wants_help(&before, &rest);
        traits.shows_tools = !traits.only_reads
            && word.as_deref().is_none_or(|word| takes_program_options(commands, word));
        // If the line cannot be parsed, its `--lang` is still used, so that the error is shown in
        // that language.
        let is_understood = after.is_some()
            || word.as_deref().is_none_or(|word| !takes_program_options(commands, word));
        let options = Options::new(before, after, traits);
        let lang = options.text("lang").or_else(|| lang_seen(&rest).filter(|_| !is_understood));
        let default_format = default_format(&env);
        let locale = locale(lang, env);
        let options = options.with_locale(locale).with_default_format(default_format);
        Ok(Self { options, word, rest, alias })
    }

    /// The requested action. Help wins over the version; both concern the program, so they count
    /// only before a command.
    pub(crate) fn wants(&self) -> Wants {
        if let Some(wants) = self.alias.as_ref().and_then(|alias| alias.wants.clone()) {
            return wants;
        }
        match &self.word {
            Some(word) => Wants::Command(word.clone()),
            None if self.options.switch("help") => Wants::Help,
            None if self.options.switch("version") => Wants::Version,
            None => Wants::Nothing,
        }
    }
}

/// The command's name, of one word or two, and the words that follow. If a command takes free text,
/// more words are text: `search forget that I asked` is a search.
fn command_and_rest(words: &[String], commands: &Commands) -> (Option<String>, Vec<String>) {
    let Some((first, rest)) = words.split_first() else { return (None, Vec::new()) };
    if let Some((name, rest)) = by_alias(first, rest, commands) {
        return (Some(name), rest);
    }
    let takes_text = |name: &str| {
        let spec = commands.find(name).map(|command| command.spec());
        spec.is_some_and(|spec| spec.positionals.last().is_some_and(|place| place.many))
    };
    let is_text = || words.get(2).is_some_and(|word| !word.starts_with('-')) && takes_text(first);
    match words.get(..2).map(|both| both.join(" ")).filter(|both| commands.find(both).is_some()) {
        Some(both) if !is_text() => (Some(both), words[2..].to_vec()),
        _ => (Some(first.clone()), rest.to_vec()),
    }
}

/// The command of an alias, and its arguments.
fn expanded(
    word: Option<String>,
    rest: Vec<String>,
    commands: &Commands,
) -> (Option<String>, Vec<String>, Option<TypedAlias>) {
    let found = word.as_ref().and_then(|word| alias::find(word, &rest, commands));
    let Some((typed, alias)) = found else { return (word, rest, None) };
    let (word, rest, wants) = match alias {
        Alias::Command { name, rest } => (Some(name), rest, None),
        Alias::Help => (None, Vec::new(), Some(Wants::Help)),
        Alias::Version => (None, Vec::new(), Some(Wants::Version)),
    };
    (word, rest, Some(TypedAlias { word: typed, wants }))
}

/// The command for which an option of this one is an alias, and its arguments: the value of the
/// option is the first argument.
fn by_alias(first: &str, rest: &[String], commands: &Commands) -> Option<(String, Vec<String>)> {
    let typed = rest.iter().take_while(|word| *word != "--").enumerate();
    for (at, word) in typed.filter(|(_, word)| word.starts_with("--")) {
        let (option, value) = word
            .split_once('=')
            .map_or((word.as_str(), None), |(option, value)| (option, Some(value)));
        if let Some(name) = commands.of_alias(&format!("{first} {option}")) {
            let value = value.map(str::to_owned);
            let rest = rest[..at]
                .iter()
                .cloned()
                .chain(value)
                .chain(rest[at + 1..].iter().cloned())
                .collect();
            return Some((name, rest));
        }
    }
    None
}

/// The requested action of a command line.
#[derive(Clone)]
pub(crate) enum Wants {
    Help,
    Version,
    Nothing,
    Command(String),
}

/// Whether the program's options may follow this command.
fn takes_program_options(commands: &Commands, word: &str) -> bool {
    commands.find(word).is_some_and(|command| !command.spec().stop_at_positional)
}

/// The arguments as strings.
pub(crate) fn texts(
    args: impl IntoIterator<Item = impl Into<OsString>>,
) -> Result<Vec<String>, AppError> {
    let not_text = |at: usize, os_string: OsString| {
        let message = format!(
            "argument {} is not UTF-8: `{}`",
            at + 1,
            escape::line(&os_string.to_string_lossy())
        );
        AppError::invalid(message, "put the bytes into a file, and pass its path")
    };
    let args = args.into_iter().enumerate();
    args.map(|(at, value)| value.into().into_string().map_err(|error| not_text(at, error)))
        .collect()
}

/// The language of a line that may turn out to be invalid.
pub(crate) fn locale_seen(args: &[String], env: impl Fn(&str) -> Option<String>) -> Locale {
    locale(lang_seen(args), env)
}

fn lang_seen(args: &[String]) -> Option<&str> {
    let at = args.iter().position(|arg| arg == "--lang" || arg.starts_with("--lang="))?;
    args[at].strip_prefix("--lang=").or_else(|| args.get(at + 1).map(String::as_str))
}

fn locale(given: Option<&str>, env: impl Fn(&str) -> Option<String>) -> Locale {
    Locale::from_env(|name| match (name, given) {
        ("TOOLSCOUT_LANG", Some(given)) => Some(given.to_owned()),
        _ => env(name),
    })
}

/// The command that shells call for completion.
pub(crate) const COMPLETE: &str = "__complete";

/// Options of the program that follow a built-in command. A mistake there is reported when the
/// command is parsed, together with all others.
fn following(built_in: CommandSpec, program: &CommandSpec, rest: &[String]) -> Option<Parsed> {
    if built_in.stop_at_positional {
        return None;
    }
    let own: Vec<_> = built_in.options.iter().map(|option| option.long.clone()).collect();
    let parsed = cli::parse(&joined(built_in, &program.options), rest).ok()?;
    // If a command has an option of the same name, it is not the program's option.
    Some(parsed.without(own.iter().map(String::as_str).filter(|text| *text != "help")))
}

/// Options of a line that is being completed: they decide which tools are available.
fn being_typed(program: &CommandSpec, rest: &[String]) -> Option<Parsed> {
    let words = rest.strip_prefix(&["--".to_owned()]).unwrap_or(rest);
    cli::parse(program, words.split_last()?.1).ok()
}

fn wants_help(before: &Parsed, rest: &[String]) -> bool {
    let is_help = |text: &String| text == "--help" || text == "-h";
    before.switch("help") || rest.iter().take_while(|item| *item != "--").any(is_help)
}

/// A built-in command with the program's options, which may follow it. The command's own options
/// win.
pub(crate) fn joined(mut command: CommandSpec, program: &[OptionSpec]) -> CommandSpec {
    for option in program {
        let clashes = command.options.iter().any(|item| item.long == option.long);
        if !clashes {
            let taken = command
                .options
                .iter()
                .any(|item| item.short.is_some() && item.short == option.short);
            let mut option = option.clone();
            option.short = option.short.filter(|_| !taken);
            option.hidden = true;
            command.options.push(option);
        }
    }
    command
}

/// Checks a new option of the program against those that it has already.
pub(crate) fn check_option(
    option: &OptionSpec,
    earlier: &[OptionSpec],
) -> Result<(), LifecycleError> {
    if option.long.trim().is_empty() {
        return Err(LifecycleError::EmptyOption);
    }
    let name = option.long.clone();
    let mut present = base_options();
    present.extend_from_slice(earlier);
    for other in present {
        if other.long == name || other.aliases.contains(&name) {
            return Err(LifecycleError::DuplicateOption { name });
        }
        if let Some(short) = option.short.filter(|short| other.short == Some(*short)) {
            return Err(LifecycleError::DuplicateShort { name, short, taken_by: other.long });
        }
    }
    Ok(())
}

/// The output format of a line that may turn out to be invalid.
pub(crate) fn format_seen(args: &[String], env: impl Fn(&str) -> Option<String>) -> Format {
    let typed: Vec<_> = args.iter().map(String::as_str).take_while(|word| *word != "--").collect();
    let output = typed.iter().enumerate().rev().find_map(|(at, word)| {
        let next = || typed.get(at + 1).copied();
        word.strip_prefix("--output=").or_else(|| next().filter(|_| *word == "--output"))
    });
    if typed.contains(&"--json") {
        return Format::Json;
    }
    output.and_then(|text| text.parse().ok()).unwrap_or_else(|| default_format(&env))
}

/// JSON for an agent, which sets `AI_AGENT` in the environment of its commands; text for people.
fn default_format(env: &impl Fn(&str) -> Option<String>) -> Format {
    match env("AI_AGENT").as_deref() {
        None | Some("" | "0" | "false") => Format::Text,
        Some(_) => Format::Json,
    }
}

/// The options every program has.
pub(crate) fn base_options() -> Vec<OptionSpec> {
    vec![
        OptionSpec::text("project", "Use the project in this folder").short('C').value("DIR"),
        OptionSpec::text("output", "Output format")
            .value("FORMAT")
            .choices(["text", "json", "toon"]),
        OptionSpec::switch("json", "The same as --output json"),
        OptionSpec::text("color", "When to use color").value("WHEN").choices(ColorChoice::NAMES),
        OptionSpec::switch("no-progress", "Show no progress on the terminal"),
        OptionSpec::switch("dry-run", "Show what would be done, without doing it"),
        OptionSpec::switch("quiet", "Show only errors").short('q'),
        OptionSpec::switch("verbose", "Show more output").short('v'),
        OptionSpec::text("lang", "Language of help and messages")
            .value("LANG")
            .choices(["en", "ja"]),
        OptionSpec::help("Show this help"),
        OptionSpec::version("Show the version"),
    ]
}

/// Reads the arguments of a command on a blocking thread: standard input may block, and an
/// interrupt must still be handled.
pub(crate) async fn read_arguments<T: Send + 'static>(
    read: impl FnOnce() -> Result<T, UsageErrors> + Send + 'static,
) -> Result<T, AppError> {
    let read = tokio::task::spawn_blocking(read).await;
    read.map_err(|error| AppError::io("read", "--input")(error.into()))?.map_err(AppError::from)
}

/// The text of a file or of standard input.
pub(crate) fn input_text(from: InputFrom<'_>, cwd: &Path) -> Result<String, String> {
    match from {
        InputFrom::Text(text) => Ok(text.to_owned()),
        InputFrom::File(path) => {
            std::fs::read_to_string(cwd.join(path)).map_err(|error| error.to_string())
        }
        InputFrom::Stdin => {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .map(|_| text)
                .map_err(|error| error.to_string())
        }
    }
}
