//! How one tool found in a folder is run.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use toolscout_core::RawJson;

/// How long a command or a request may take unless its author says otherwise.
pub const DEFAULT_TIMEOUT_MS: u64 = 30_000;

/// How one tool found in a folder is run. Kept in the scan cache, so it holds plain data only; paths are absolute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recipe {
    /// A program of the author's choice: `[run]` of a tool file, or a script with a header.
    Command(CommandRecipe),
    /// A request: `[http]` of a tool file.
    Http(HttpRecipe),
    /// A program that answers `tool-schema` and `tool-invoke NAME`.
    Executable {
        /// The program itself.
        program: PathBuf,
    },
    /// A module that a language's own runtime loads through the bundled shim.
    Module {
        /// The module.
        file: PathBuf,
        /// How its exports are named and read.
        flavour: Flavour,
    },
    /// A path from a manifest, not yet known to be there or to be of a kind we can run.
    Missing {
        /// Why it cannot be run.
        reason: String,
    },
}

impl Recipe {
    /// The file that can be asked what tools it holds, where there is one.
    pub fn askable(&self) -> Option<&Path> {
        match self {
            Self::Executable { program } => Some(program),
            Self::Module { file, .. } => Some(file),
            Self::Command(_) | Self::Http(_) | Self::Missing { .. } => None,
        }
    }
}

/// A program with its way of getting arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommandRecipe {
    /// Argv; the program is looked up in the folder first where it has a `/`, else in PATH. Never a shell.
    pub argv: Vec<String>,
    /// The tool file's folder.
    pub cwd: PathBuf,
    /// How arguments reach the program.
    pub input: ArgumentPassing,
    /// Names let through from our environment.
    pub env: Vec<String>,
    /// At most this long.
    pub timeout_ms: u64,
}

/// How arguments reach a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ArgumentPassing {
    /// As one JSON object on standard input.
    Stdin,
    /// As argv entries after the command's own: templates such as `--url`, `{url}`; whole values only. An entry whose
    /// argument is absent is left out, together with the flag before it; a list repeats both. Without templates:
    /// `--name=value` for each, so that no value can be taken for a flag.
    Args(Vec<String>),
    /// As variables: `TOOL_URL` for `url`.
    Env,
}

/// A request to make.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HttpRecipe {
    /// `GET` unless said otherwise.
    pub method: String,
    /// With `{name}` places, each filled percent-encoded.
    pub url: String,
    /// Values may hold `{name}` places and `env:NAME` references.
    pub headers: Vec<(String, String)>,
    /// Absent: the arguments used nowhere else, as JSON for methods with a body, in the query for others. Else a template
    /// with `{name}` places; in JSON, a string that is a place becomes the argument itself.
    pub body: Option<String>,
    /// Names let through from our environment for `env:` references.
    pub env: Vec<String>,
    /// At most this long.
    pub timeout_ms: u64,
}

/// How a module's exports are named and read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flavour {
    /// Each tool says its own name.
    Plain,
    /// OpenCode's: the default export is named after the file, others `<file>_<export>`.
    Opencode,
}

/// What a file said about one of its tools when asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Probed {
    /// Its name.
    pub name: String,
    /// A name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// More words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    /// Of the arguments.
    pub input_schema: RawJson,
    /// Of the structured result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<RawJson>,
    /// Hints such as `readOnlyHint`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub annotations: Option<RawJson>,
}
