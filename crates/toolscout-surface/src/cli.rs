//! The command line as plain data: specifications of commands, parsed input, help and errors.
//!
//! Pure and sync: no files, no environment, no terminal; the caller supplies the words and
//! prints the texts. We use no argument parser crate because the messages are part of the
//! product: every mistake is reported at once, in the user's language, with the nearest valid
//! word, and a tool's flags come from its JSON Schema at run time.
//!
//! A command line is parsed in two steps, so that thousands of tools cost nothing: parsing of
//! the global options stops at the first word that is not an option
//! ([`CommandSpec::stop_at_positional`]), and flags are built only for the command named there.
//!
//! Precedence: unknown options are reported first; then `--help` takes effect, then
//! `--version`, regardless of other mistakes; then all other mistakes are reported together.
//!
//! Start reading at [`parse()`], then [`ToolFlags::new`].

pub mod complete;
pub mod flags;
pub mod help;
pub mod man;
pub mod spec;
pub mod style;
pub mod usage;
pub mod words;

mod parse;
mod value;

pub use flags::{FlagAnalysis, FlagClash, FlagInfo, InputFrom, ToolFlags, analyze};
pub use parse::{Parsed, parse};
pub use spec::{CommandSpec, Many, OptionSpec, PositionalSpec, ValueKind};
pub use style::Style;
pub use toolscout_core::nearest;
pub use usage::{UsageError, UsageErrors};
pub use words::Locale;
