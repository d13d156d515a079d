//! The global options from the command line.

use std::path::{Path, PathBuf};
use toolscout_surface::cli::{Locale, Parsed};
use toolscout_surface::output::Format;

/// The global options, given before the command, or after it if the command is built in.
#[derive(Default, Clone)]
pub struct Options {
    before: Parsed,
    after: Option<Parsed>,
    locale: Locale,
    /// The properties of the command.
    pub command: CommandTraits,
}

/// The properties of the command of a run that sources and the gateway depend on.
#[derive(Debug, Clone, Copy, Default)]
pub struct CommandTraits {
    /// It only reads (help, completion), so it must not start any server or tool.
    pub only_reads: bool,
    /// It is about all tools, not about one of them.
    pub shows_tools: bool,
    /// It serves clients, to which it can send requests.
    pub serves: bool,
}

impl Options {
    /// The options given before the command, and those after it, if the command takes them.
    pub fn new(before: Parsed, after: Option<Parsed>, command: CommandTraits) -> Self {
        Self { before, after, locale: Locale::default(), command }
    }

    /// Sets the language of help and messages.
    pub fn with_locale(self, locale: Locale) -> Self {
        Self { locale, ..self }
    }

    /// Whether the switch is on.
    pub fn switch(&self, long: &str) -> bool {
        self.given().any(|parsed| parsed.switch(long))
    }

    /// The given value, or the default.
    pub fn text(&self, long: &str) -> Option<&str> {
        let given = self.given().filter(|parsed| parsed.is_given(long)).last();
        given.unwrap_or(&self.before).text(long)
    }

    /// All values of an option that may be repeated, in order.
    pub fn texts(&self, long: &str) -> Vec<&str> {
        self.given().flat_map(|parsed| parsed.texts(long)).map(String::as_str).collect()
    }

    /// The output format.
    pub fn format(&self) -> Format {
        match self.text("output").and_then(|text| text.parse().ok()) {
            _ if self.switch("json") => Format::Json,
            Some(format) => format,
            None => Format::Text,
        }
    }

    /// The language of help and messages.
    pub fn locale(&self) -> Locale {
        self.locale
    }

    /// The folder of the run: `--project`, or the working folder. It is canonical if it exists,
    /// so that `..` in it does not lead to another project.
    pub fn folder(&self, cwd: &Path) -> PathBuf {
        let folder = self.text("project").map_or(cwd.to_owned(), |it| cwd.join(it));
        folder.canonicalize().unwrap_or(folder)
    }

    fn given(&self) -> impl Iterator<Item = &Parsed> {
        [Some(&self.before), self.after.as_ref()].into_iter().flatten()
    }
}
