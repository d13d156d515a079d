//! Text emphasis, only if the terminal supports it.

use std::borrow::Cow;

/// Whether text may contain terminal codes. The terminal, `NO_COLOR` and `--color` decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    #[default]
    Plain,
    Coloured,
}

impl Style {
    pub fn bold(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Plain => Cow::Borrowed(text),
            Self::Coloured => Cow::Owned(format!("{ansi}{text}{ansi:#}")),
        }
    }
}
