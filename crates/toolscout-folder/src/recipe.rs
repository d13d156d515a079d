//! How a tool found in a folder is run.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Duration;
use toolscout_core::{Cx, RawJson};

/// The default timeout of a command or a request, in milliseconds.
pub const DEFAULT_TIMEOUT_MS: u64 = 30_000;

/// The default timeout of a program that implements our verbs, or of a module.
pub const DEFAULT_PROGRAM_TIMEOUT: Duration = Duration::from_secs(60);

/// How a tool found in a folder is run. It is stored in the scan cache, so it contains plain data
/// only; paths are absolute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recipe {
    /// A command: `[run]` of a tool file, or a script with a header.
    Command(CommandRecipe),
    /// An HTTP request: `[http]` of a tool file.
    Http(HttpRecipe),
    /// A program that implements `tool-schema` and `tool-invoke NAME`.
    Executable {
        /// The program.
        program: PathBuf,
        /// The timeout of a call in milliseconds, if its author sets one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
    },
    /// A module that its language runtime loads through the bundled shim.
    Module {
        /// The module file.
        file: PathBuf,
        /// How its exports are named and read.
        flavour: Flavour,
        /// The timeout of a call in milliseconds, if its author sets one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        timeout_ms: Option<u64>,
    },
    /// A path from a manifest that does not exist or is not of a kind that can be run.
    Missing {
        /// The reason why it cannot be run.
        reason: String,
    },
}

impl Recipe {
    /// A program that implements our verbs, with the default timeout.
    pub fn executable(program: impl Into<PathBuf>) -> Self {
        Self::Executable { program: program.into(), timeout_ms: None }
    }

    /// A module, with the default timeout.
    pub fn module(file: impl Into<PathBuf>, flavour: Flavour) -> Self {
        Self::Module { file: file.into(), flavour, timeout_ms: None }
    }

    /// The same recipe with this timeout in milliseconds; `None` changes nothing.
    pub fn with_timeout(mut self, given: Option<u64>) -> Self {
        match &mut self {
            Self::Executable { timeout_ms, .. } | Self::Module { timeout_ms, .. } => {
                *timeout_ms = given.or(*timeout_ms);
            }
            Self::Command(CommandRecipe { timeout_ms, .. })
            | Self::Http(HttpRecipe { timeout_ms, .. }) => {
                *timeout_ms = given.unwrap_or(*timeout_ms);
            }
            Self::Missing { .. } => {}
        }
        self
    }

    /// The timeout that the author of a program or module sets outside of its definition.
    pub(crate) fn own_timeout(&self) -> Option<u64> {
        match self {
            Self::Executable { timeout_ms, .. } | Self::Module { timeout_ms, .. } => *timeout_ms,
            _ => None,
        }
    }

    /// The time limit of a call.
    pub fn time_limit(&self) -> Duration {
        match self {
            Self::Command(CommandRecipe { timeout_ms, .. })
            | Self::Http(HttpRecipe { timeout_ms, .. })
            | Self::Executable { timeout_ms: Some(timeout_ms), .. }
            | Self::Module { timeout_ms: Some(timeout_ms), .. } => {
                Duration::from_millis(*timeout_ms)
            }
            Self::Executable { .. } | Self::Module { .. } | Self::Missing { .. } => {
                DEFAULT_PROGRAM_TIMEOUT
            }
        }
    }

    /// The file that can be probed for its tools, if there is one.
    pub fn probe_file(&self) -> Option<&Path> {
        match self {
            Self::Executable { program, .. } => Some(program),
            Self::Module { file, .. } => Some(file),
            Self::Command(_) | Self::Http(_) | Self::Missing { .. } => None,
        }
    }
}

/// A program, and how it receives its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommandRecipe {
    /// The command line. A program with a `/` is resolved against the folder, any other through
    /// PATH. Never a shell.
    pub argv: Vec<String>,
    /// The folder of the tool file.
    pub folder: PathBuf,
    /// Where the program runs.
    #[serde(default)]
    pub cwd: WorkingFolder,
    /// How the program receives arguments.
    pub input: ArgumentPassing,
    /// Names of environment variables that the program inherits.
    pub env: Vec<String>,
    /// The timeout in milliseconds.
    pub timeout_ms: u64,
}

impl CommandRecipe {
    /// The working folder for a call.
    pub fn working_folder<'a>(&'a self, cx: &'a Cx) -> &'a Path {
        let project = || cx.project.as_ref().map_or(&*self.folder, |project| project.as_path());
        match &self.cwd {
            WorkingFolder::File => &self.folder,
            WorkingFolder::Project => project(),
            WorkingFolder::Caller => cx.cwd.as_ref().map_or_else(project, |cwd| cwd.as_path()),
            WorkingFolder::Path(path) => path,
        }
    }
}

/// The folder in which a program runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkingFolder {
    /// The folder of the tool file.
    #[default]
    File,
    /// The root folder of the project.
    Project,
    /// The folder in which the command was typed, or in which `serve` was started for a client
    /// over stdio; for clients over HTTP, the project.
    Caller,
    /// This folder.
    Path(PathBuf),
}

/// How a program receives its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgumentPassing {
    /// As one JSON object on standard input.
    Stdin,
    /// As argv entries after those of the command: templates such as `--url`, `{url}`; a
    /// placeholder is a whole entry. An entry whose argument is absent is omitted, together with
    /// the flag before it; a list repeats both; a boolean after its flag is the flag alone or
    /// nothing. Without templates: `--name=value` for each, so that no value can be parsed as a
    /// flag, and `--name` for each `true`.
    Args(Vec<String>),
    /// As environment variables: `TOOL_URL` for `url`.
    Env,
}

/// An HTTP request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HttpRecipe {
    /// The HTTP method; `GET` by default.
    pub method: String,
    /// The URL, with `{name}` placeholders that are filled percent-encoded.
    pub url: String,
    /// The headers; values may contain `{name}` placeholders and `env:NAME` references.
    pub headers: Vec<(String, String)>,
    /// If absent, the arguments not used elsewhere are sent: as JSON for methods with a body, in
    /// the query for others. Else a template with `{name}` placeholders; in JSON, a string that
    /// consists of a placeholder becomes the argument itself.
    pub body: Option<String>,
    /// Names of environment variables that `env:` references may read.
    pub env: Vec<String>,
    /// The timeout in milliseconds.
    pub timeout_ms: u64,
}

/// How a module's exports are named and read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flavour {
    /// Each tool declares its own name.
    Plain,
    /// OpenCode naming: the default export is named after the file, others `<file>_<export>`.
    Opencode,
}

/// The description of one tool, as returned by a probe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Probed {
    /// The name of the tool.
    pub name: String,
    /// The display name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The description of the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Additional search terms.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// The timeout of a call in milliseconds, if the file sets one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// The schema of the arguments.
    pub input_schema: RawJson,
    /// The schema of the structured result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<RawJson>,
    /// Hints such as `readOnlyHint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<RawJson>,
    /// Whether the file has no schema for its arguments. `input_schema` then allows all arguments,
    /// and the schema in a manifest or header is used instead, if there is one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lacks_schema: bool,
}
