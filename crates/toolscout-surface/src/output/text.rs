//! Settings for text that people read.

use crate::cli::{Locale, Style};

/// Settings for text that people read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Text {
    /// Whether the text may contain colours.
    pub style: Style,
    /// The width of the terminal in columns; `None` if the text does not go to a terminal.
    pub width: Option<usize>,
    /// Whether the text goes to a terminal, which gets aligned columns.
    pub is_terminal: bool,
    pub locale: Locale,
    /// Whether the user requested details (`--verbose`).
    pub verbose: bool,
}
