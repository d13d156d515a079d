//! Bold, dim and colour, only where somebody asked for them.

use std::borrow::Cow;

/// Whether text may carry terminal codes. Whoever knows the terminal, `NO_COLOR` and `--color` decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    #[default]
    Plain,
    Coloured,
}

impl Style {
    pub fn bold(self, text: &str) -> Cow<'_, str> {
        self.wrap("1", text)
    }

    pub fn dim(self, text: &str) -> Cow<'_, str> {
        self.wrap("2", text)
    }

    pub fn red(self, text: &str) -> Cow<'_, str> {
        self.wrap("31", text)
    }

    pub fn green(self, text: &str) -> Cow<'_, str> {
        self.wrap("32", text)
    }

    pub fn yellow(self, text: &str) -> Cow<'_, str> {
        self.wrap("33", text)
    }

    fn wrap<'a>(self, code: &str, text: &'a str) -> Cow<'a, str> {
        match self {
            Self::Plain => Cow::Borrowed(text),
            Self::Coloured => Cow::Owned(format!("\x1b[{code}m{text}\x1b[0m")),
        }
    }
}
