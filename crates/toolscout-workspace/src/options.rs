//! The global options from the command line.

use std::path::{Path, PathBuf};
use toolscout_surface::cli::{Locale, Parsed};
use toolscout_surface::operation::UnavailableServers;
use toolscout_surface::output::Format;

/// The global options, given before the command, or after it if the command is built in.
#[derive(Default, Clone)]
pub struct Options {
    before: Parsed,
    after: Option<Parsed>,
    locale: Locale,
    default_format: Format,
    /// The properties of the command.
    pub command: CommandTraits,
    /// The folder of the run, instead of `--project`.
    project: Option<PathBuf>,
}

/// The properties of the command of a run that sources and the gateway depend on.
#[derive(Debug, Clone, Copy, Default)]
pub struct CommandTraits {
    /// It only reads (help, completion), so it must not start any server or tool.
    pub only_reads: bool,
    /// It is about all tools, not about one of them.
    pub shows_tools: bool,
    /// What it says about unavailable servers.
    pub unavailable_servers: UnavailableServers,
    /// It serves clients, to which it can send requests, and runs the servers.
    pub serves: bool,
    /// It runs the servers in its own process, even if another process is the host of the project:
    /// the effects of one agent on a server must not reach another agent, and the socket of a
    /// killed host looks like a running host.
    pub runs_servers: bool,
}

impl CommandTraits {
    /// A command that only reads.
    pub fn reading() -> Self {
        Self { only_reads: true, ..Self::default() }
    }

    /// A command that serves clients.
    pub fn serving() -> Self {
        Self { serves: true, runs_servers: true, ..Self::default() }
    }
}

impl Options {
    /// The options given before the command, and those after it, if the command takes them.
    pub fn new(before: Parsed, after: Option<Parsed>, command: CommandTraits) -> Self {
        Self { before, after, command, ..Self::default() }
    }

    /// Sets the language of help and messages.
    pub fn with_locale(self, locale: Locale) -> Self {
        Self { locale, ..self }
    }

    /// Sets the output format of a run without `--output` and `--json`.
    pub fn with_default_format(self, default_format: Format) -> Self {
        Self { default_format, ..self }
    }

    /// The same options in another project.
    pub fn in_project(&self, folder: &Path) -> Self {
        Self { project: Some(folder.to_owned()), ..self.clone() }
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
            None => self.default_format,
        }
    }

    /// The language of help and messages.
    pub fn locale(&self) -> Locale {
        self.locale
    }

    /// The folder of the run: `--project`, or the working folder. It is canonical if it exists,
    /// so that `..` in it does not lead to another project.
    pub fn folder(&self, cwd: &Path) -> PathBuf {
        let named = self.project.as_deref().or(self.text("project").map(Path::new));
        let folder = named.map_or(cwd.to_owned(), |folder| cwd.join(folder));
        folder.canonicalize().unwrap_or(folder)
    }

    fn given(&self) -> impl Iterator<Item = &Parsed> {
        [Some(&self.before), self.after.as_ref()].into_iter().flatten()
    }
}
