//! Turns an existing program into a tool: reads the text that its `--help` prints, and writes a tool
//! file from it.
//!
//! [`read_help`] is pure: text in, parameters out. It knows the layouts of argparse, clap, click,
//! cobra, GNU and git programs, BusyBox and scripts with getopts, and reads everything else as a
//! plain usage text. [`tool_file`] writes the tool file, and [`run_help`] runs the program.

mod clean;
mod description;
mod draft;
mod options;
mod program;
mod sections;
mod style;
mod usage;

#[cfg(test)]
mod tests;

pub use draft::{ToolDraft, tool_file};
pub use program::{HELP_LIMIT, WrappedCommand, run_help};
pub use style::HelpStyle;

use options::read_options;
use sections::Sections;

/// What a help text says about a command.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CommandHelp {
    /// The layout of the text.
    pub style: HelpStyle,
    /// What the command does.
    pub about: Option<String>,
    /// Its options, in the order of the text.
    pub options: Vec<HelpOption>,
    /// Its positional arguments, in order.
    pub positionals: Vec<HelpPositional>,
    /// Its subcommands: name and summary.
    pub subcommands: Vec<(String, String)>,
    /// Whether it does nothing without a subcommand.
    pub needs_subcommand: bool,
    /// Whether the usage shows that `--` ends the options.
    pub shows_dashes: bool,
}

impl CommandHelp {
    /// Whether the text has neither options nor positional arguments.
    pub fn is_empty(&self) -> bool {
        self.options.is_empty() && self.positionals.is_empty()
    }

    /// Whether `--` ends the options of this program.
    pub fn accepts_dashes(&self) -> bool {
        self.shows_dashes || self.style.accepts_dashes()
    }

    fn option_mut(&mut self, name: &str) -> Option<&mut HelpOption> {
        self.options.iter_mut().find(|option| option.names.iter().any(|own| own == name))
    }
}

/// One option of a command.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HelpOption {
    /// Its names with their dashes: `-n`, `--name`.
    pub names: Vec<String>,
    /// Its value; `None` for a switch.
    pub value: Option<OptionValue>,
    /// The description.
    pub description: String,
    /// Whether it must be given.
    pub required: bool,
    /// Whether it may be given several times.
    pub repeated: bool,
}

impl HelpOption {
    /// The long name, else the short one.
    pub fn main_name(&self) -> &str {
        let long = self.names.iter().find(|name| name.starts_with("--"));
        long.or(self.names.first()).map_or("", String::as_str)
    }

    /// The letter of the short name.
    pub fn short(&self) -> Option<char> {
        self.names.iter().find_map(|name| {
            let mut letters = name.strip_prefix('-')?.chars();
            let letter = letters.next().filter(|letter| letter.is_ascii_alphanumeric())?;
            letters.next().is_none().then_some(letter)
        })
    }
}

/// The value of an option.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OptionValue {
    /// The placeholder: `FILE`.
    pub placeholder: String,
    /// The type, if the text names it.
    pub kind: ValueKind,
    /// The only possible values.
    pub choices: Vec<String>,
    /// The default, as written.
    pub default: Option<String>,
    /// Whether the value must be joined to the option with `=`, because it is optional.
    pub optional: bool,
    /// Whether the text joins it with `=`.
    pub attached: bool,
    /// Whether one option takes several values: `--tag TAG [TAG ...]`.
    pub many: bool,
}

/// The type of a value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ValueKind {
    /// Any text.
    #[default]
    Text,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// A list of texts: the option may be repeated.
    List,
}

/// One positional argument.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HelpPositional {
    /// Its name, as a parameter: `source_file`.
    pub name: String,
    /// The description.
    pub description: String,
    /// The only possible values.
    pub choices: Vec<String>,
    /// Whether it must be given.
    pub required: bool,
    /// Whether there may be several.
    pub repeated: bool,
}

/// Reads a help text. `typed` are the words of the command line before `--help`.
pub fn read_help(text: &str, typed: &[String]) -> CommandHelp {
    let lines = clean::lines(text);
    let style = HelpStyle::detect(&lines);
    let sections = Sections::split(&lines);
    let mut help = CommandHelp { style, ..CommandHelp::default() };
    help.options = read_options(&sections.options());
    help.subcommands = sections.subcommands();
    usage::read(&sections.usage, typed, &mut help);
    sections.describe_positionals(&mut help);
    help.needs_subcommand &= !help.subcommands.is_empty();
    help.about = description::about(&sections);
    help.options.iter_mut().for_each(description::interpret);
    help.options.retain(|option| !is_about_help(option));
    help
}

/// Options that print a text instead of doing the work.
fn is_about_help(option: &HelpOption) -> bool {
    let has = |name: &str| option.names.iter().any(|own| own == name);
    let text = option.description.to_lowercase();
    has("--help")
        || has("-help")
        || has("-?")
        || (has("-h") && ["help", "usage", "summary"].iter().any(|word| text.contains(word)))
        || (has("--version") && option.value.is_none())
        || (["-v", "-V"].into_iter().any(has)
            && option.names.len() == 1
            && option.value.is_none()
            && text.contains("version")
            && !text.contains("verbose"))
}
