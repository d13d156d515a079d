//! Text emphasis, only if the terminal supports it.

use anstyle::{AnsiColor, Style as Ansi};
use std::borrow::Cow;

/// Whether text may contain terminal codes. The terminal, `NO_COLOR` and `--color` decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    #[default]
    Plain,
    Coloured,
}

const BOLD: Ansi = Ansi::new().bold();
const ERROR: Ansi = AnsiColor::Red.on_default().bold();
const WARNING: Ansi = AnsiColor::Yellow.on_default().bold();
const HINT: Ansi = AnsiColor::Cyan.on_default();
const GOOD: Ansi = AnsiColor::Green.on_default();
const BAD: Ansi = AnsiColor::Red.on_default();
const PENDING: Ansi = AnsiColor::Yellow.on_default();
const FAINT: Ansi = Ansi::new().dimmed();

impl Style {
    /// Headings and ids.
    pub fn bold(self, text: &str) -> Cow<'_, str> {
        self.paint(BOLD, text)
    }

    /// The label of an error.
    pub fn error(self, text: &str) -> Cow<'_, str> {
        self.paint(ERROR, text)
    }

    /// The label of a warning.
    pub fn warning(self, text: &str) -> Cow<'_, str> {
        self.paint(WARNING, text)
    }

    /// The label of a hint.
    pub fn hint(self, text: &str) -> Cow<'_, str> {
        self.paint(HINT, text)
    }

    /// Details.
    pub fn faint(self, text: &str) -> Cow<'_, str> {
        self.paint(FAINT, text)
    }

    /// The state of a server or a tool. `padded` is the state, possibly with spaces for a column.
    pub fn state<'a>(self, state: &str, padded: &'a str) -> Cow<'a, str> {
        match state {
            "ready" | "running" | "idle" => self.paint(GOOD, padded),
            "failed" | "unavailable" => self.paint(BAD, padded),
            "starting" | "loading" | "not-loaded" | "quarantined" | "unprobed" => {
                self.paint(PENDING, padded)
            }
            _ => Cow::Borrowed(padded),
        }
    }

    fn paint(self, ansi: Ansi, text: &str) -> Cow<'_, str> {
        match self {
            Self::Plain => Cow::Borrowed(text),
            Self::Coloured => Cow::Owned(format!("{ansi}{text}{ansi:#}")),
        }
    }
}
