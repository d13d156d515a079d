//! The command line as plain data: specifications of commands, parsed input, help and errors.
//!
//! Pure and sync: no files, no environment, no terminal; the caller brings words and prints texts. We parse ourselves
//! because the words are the product: every mistake is named at once, in the reader's language, with the nearest right
//! word, and a tool's flags come from its JSON Schema at run time.
//!
//! A command line is read in two steps, so that thousands of tools cost nothing: the global options stop at the first
//! word that is not one ([`CommandSpec::stop_at_positional`]), and only the command named there has its flags built.
//!
//! Precedence: unknown options are reported first; then `--help` answers, then `--version`, whatever else is missing or
//! wrong; then all other mistakes are reported together.
//!
//! Start reading at [`parse()`], then [`ToolFlags::of`].

pub mod complete;
pub mod flags;
pub mod help;
pub mod spec;
pub mod style;
pub mod usage;
pub mod words;

mod parse;
mod value;

pub use flags::{InputFrom, ToolFlags};
pub use parse::{Parsed, parse};
pub use spec::{CommandSpec, Many, OptionSpec, PositionalSpec, ValueKind};
pub use style::Style;
pub use toolscout_core::nearest;
pub use usage::{UsageError, UsageErrors};
pub use words::Locale;
