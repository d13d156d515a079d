//! What a project or a person has configured: `toolscout.toml` in the project, `config.toml` in the user's folder; JSON
//! and YAML of the same shape, too.

use crate::AppError;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolscout_core::{Problem, ProblemKind};

/// What a project or a person has configured; every field may be left out.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// Where to search; `default` is the root found upward.
    pub(crate) roots: Option<Vec<String>>,
    /// Folders that are themselves folders of tools.
    pub(crate) tool_directories: Vec<PathBuf>,
    /// Single files, listed before all others.
    pub(crate) tool_files: Vec<PathBuf>,
    /// Instead of the usual patterns.
    pub(crate) patterns: Option<Vec<String>>,
    /// Instead of what is usually ignored.
    pub(crate) ignore: Option<Vec<String>>,
    /// `replace`, `skip` or `error`.
    pub(crate) on_conflict: Option<String>,
    /// Stop at the first problem.
    pub(crate) strict: bool,
    /// How long a file may take to say what tools it holds; all files of a source together, four times as long.
    pub(crate) probe_timeout_ms: Option<u64>,
    #[serde(flatten)]
    other: BTreeMap<String, Value>,
    /// The folder that relative paths are relative to.
    #[serde(skip)]
    pub(crate) folder: PathBuf,
}

/// Keys that other parts of the file have.
const ELSEWHERE: [&str; 4] = ["servers", "mcpServers", "default_policy", "meta_tools"];
const ENDINGS: [&str; 4] = ["toml", "json", "yaml", "yml"];

impl Settings {
    /// Reads `<stem>.toml`, or its JSON or YAML form, in this folder; nothing there is nothing set.
    pub(crate) fn read(folder: &Path, stem: &str) -> Result<(Self, Vec<Problem>), AppError> {
        let file = ENDINGS.iter().map(|it| folder.join(format!("{stem}.{it}"))).find(|it| it.is_file());
        let Some(file) = file else { return Ok((Self::default(), Vec::new())) };
        let broken = |reason: String| {
            AppError::invalid(
                format!("`{}` cannot be read: {}", file.display(), reason.trim_end()),
                "mend the file, and try again",
            )
        };
        let bytes = std::fs::read(&file).map_err(AppError::io("read", &file))?;
        let text = String::from_utf8(bytes).map_err(|_| broken("it is not UTF-8".to_owned()))?;
        let ending = file.extension().and_then(|it| it.to_str()).unwrap_or_default();
        let parsed: Result<Self, String> = match ending {
            "toml" => toml::from_str(&text).map_err(|it| it.to_string()),
            "json" => serde_json::from_str(&text).map_err(|it| it.to_string()),
            _ => serde_saphyr::from_str(&text).map_err(|it| it.to_string()),
        };
        let mut settings = parsed.map_err(broken)?;
        settings.folder = folder.to_owned();
        let problems = settings.unknown_keys(&file);
        Ok((settings, problems))
    }

    fn unknown_keys(&self, file: &Path) -> Vec<Problem> {
        let unknown = self.other.keys().filter(|it| !ELSEWHERE.contains(&it.as_str()));
        unknown.map(|it| Problem::warning(ProblemKind::Setting, format!("unknown setting `{it}`")).at(file)).collect()
    }

    /// A path of the file, made absolute.
    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.folder.join(path)
    }
}
