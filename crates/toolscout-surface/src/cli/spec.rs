//! The specification of a command, as plain data that parsing, help and completion read.

/// A command: its options, its positionals, and its help texts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandSpec {
    pub name: String,
    pub about: String,
    pub options: Vec<OptionSpec>,
    pub positionals: Vec<PositionalSpec>,
    /// All words from the first positional on stay unparsed: for global options, and for `run`.
    pub stop_at_positional: bool,
    pub examples: Vec<String>,
    /// Shown below the options, one paragraph each.
    pub notes: Vec<String>,
    /// The commands of a group, as name and summary; shown in help.
    pub subcommands: Vec<(String, String)>,
}

impl CommandSpec {
    pub fn new(name: impl Into<String>, about: impl Into<String>) -> Self {
        Self { name: name.into(), about: about.into(), ..Self::default() }
    }

    pub fn option(mut self, option: OptionSpec) -> Self {
        self.options.push(option);
        self
    }

    pub fn positional(mut self, positional: PositionalSpec) -> Self {
        self.positionals.push(positional);
        self
    }

    pub fn stop_at_positional(mut self) -> Self {
        self.stop_at_positional = true;
        self
    }

    pub fn example(mut self, example: impl Into<String>) -> Self {
        self.examples.push(example.into());
        self
    }

    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// The option with this long name; its own name takes precedence over an alias of another
    /// option.
    pub fn find_long(&self, name: &str) -> Option<&OptionSpec> {
        let own = self.options.iter().find(|option| option.long == name);
        own.or_else(|| {
            self.options.iter().find(|option| option.aliases.iter().any(|alias| alias == name))
        })
    }

    /// The switch that `--no-…` turns off; `name` is the typed name with its `no-`.
    pub fn find_negated(&self, name: &str) -> Option<&OptionSpec> {
        let name = name.strip_prefix("no-")?;
        self.find_long(name).filter(|long| long.negatable)
    }

    pub fn find_short(&self, short: char) -> Option<&OptionSpec> {
        self.options.iter().find(|option| option.short == Some(short))
    }
}

/// One option.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OptionSpec {
    /// The name without its dashes.
    pub long: String,
    pub short: Option<char>,
    /// Other accepted spellings, never shown.
    pub aliases: Vec<String>,
    pub value: ValueKind,
    /// The name of the value in help; the name of its kind by default.
    pub value_name: Option<String>,
    pub help: String,
    pub choices: Vec<String>,
    /// Only shown; the command applies it.
    pub default: Option<String>,
    pub required: bool,
    /// Options that also set this value: if one of them is given, this one is not missing.
    pub unless: Vec<String>,
    pub many: Many,
    /// `--no-x` turns the switch off.
    pub negatable: bool,
    /// Works, but is neither shown nor suggested.
    pub hidden: bool,
    pub conflicts: Vec<String>,
    /// Shows information instead of running the command; if it is given, only unknown options
    /// are errors.
    pub informative: bool,
}

impl OptionSpec {
    pub fn new(long: impl Into<String>, value: ValueKind, help: impl Into<String>) -> Self {
        Self { long: long.into(), value, help: help.into(), ..Default::default() }
    }

    pub fn switch(long: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(long, ValueKind::Switch, help)
    }

    pub fn text(long: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(long, ValueKind::Text, help)
    }

    pub fn integer(long: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(long, ValueKind::Integer, help)
    }

    pub fn number(long: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(long, ValueKind::Number, help)
    }

    /// `--help` and `-h`.
    pub fn help(help: impl Into<String>) -> Self {
        Self::switch("help", help).short('h').informative()
    }

    /// `--version` and `-V`.
    pub fn version(help: impl Into<String>) -> Self {
        Self::switch("version", help).short('V').informative()
    }

    pub fn short(mut self, short: char) -> Self {
        self.short = Some(short);
        self
    }

    pub fn alias(mut self, alias: impl Into<String>) -> Self {
        self.aliases.push(alias.into());
        self
    }

    /// Names the value in help, such as `FILE`.
    pub fn value(mut self, name: impl Into<String>) -> Self {
        self.value_name = Some(name.into());
        self
    }

    pub fn choices<T: Into<String>>(mut self, choices: impl IntoIterator<Item = T>) -> Self {
        self.choices = choices.into_iter().map(Into::into).collect();
        self
    }

    pub fn default(mut self, default: impl Into<String>) -> Self {
        self.default = Some(default.into());
        self
    }

    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    pub fn repeat(mut self) -> Self {
        self.many = Many::Repeat;
        self
    }

    pub fn repeat_or_comma(mut self) -> Self {
        self.many = Many::RepeatOrComma;
        self
    }

    pub fn negatable(mut self) -> Self {
        self.negatable = true;
        self
    }

    pub fn conflicts(mut self, other: impl Into<String>) -> Self {
        self.conflicts.push(other.into());
        self
    }

    pub fn informative(mut self) -> Self {
        self.informative = true;
        self
    }

    /// The name as typed: `--long`.
    pub fn shown(&self) -> String {
        format!("--{}", self.long)
    }

    pub fn is_switch(&self) -> bool {
        self.value == ValueKind::Switch
    }
}

/// The type of an option's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ValueKind {
    /// No value: given or not, or `=true` and `=false`.
    #[default]
    Switch,
    Text,
    Integer,
    Number,
    /// Any JSON value.
    Json,
    JsonArray,
    JsonObject,
}

impl ValueKind {
    /// The default name of the value in help.
    pub fn default_value_name(self) -> &'static str {
        match self {
            Self::Switch => "BOOLEAN",
            Self::Text => "TEXT",
            Self::Integer => "INTEGER",
            Self::Number => "NUMBER",
            Self::Json | Self::JsonArray | Self::JsonObject => "JSON",
        }
    }
}

/// How often an option may be given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Many {
    #[default]
    No,
    Repeat,
    /// Repeated, or with commas between the items, or as one JSON array, which may contain
    /// commas and be empty.
    RepeatOrComma,
}

/// A positional argument.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PositionalSpec {
    pub name: String,
    pub help: String,
    pub required: bool,
    /// Takes all remaining words.
    pub many: bool,
    pub choices: Vec<String>,
    /// The option that this argument represents; the option may be given by its name as well.
    /// Its kind and its choices apply.
    pub option: Option<String>,
}

impl PositionalSpec {
    pub fn new(name: impl Into<String>, help: impl Into<String>) -> Self {
        Self { name: name.into(), help: help.into(), ..Default::default() }
    }

    pub fn required(mut self) -> Self {
        self.required = true;
        self
    }

    pub fn many(mut self) -> Self {
        self.many = true;
        self
    }

    pub fn choices<T: Into<String>>(mut self, choices: impl IntoIterator<Item = T>) -> Self {
        self.choices = choices.into_iter().map(Into::into).collect();
        self
    }
}
