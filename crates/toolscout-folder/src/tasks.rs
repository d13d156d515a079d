//! Tasks of a project as tools: targets of a Makefile, recipes of a justfile, scripts of a
//! package.json. They are read as text; nothing is started to list them.
//!
//! make and just paste arguments into a text that a shell reads, so their values may contain plain
//! characters only.

mod just;
mod make;
mod npm;
#[cfg(all(test, unix))]
mod tests;

use super::described::{DescribedTool, RecipePlan};
use super::inspect;
use super::parameters::{self, Parameter};
use super::recipe::{ArgumentPassing, CommandRecipe, Recipe, WorkingFolder};
use super::roots::{Root, RootLayout};
use super::stamp::Owners;
use super::strategy::{RootEntry, RootVisit, ToolStrategy};
use super::streams::stream_of_blocking;
use super::walk;
use futures_util::StreamExt;
use serde_json::{Map, Value, json};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_core::{BoxStream, Diagnostic, DiagnosticKind, Digest, RawJson, SourceError};

/// The largest file with tasks.
const MAX_FILE: u64 = 1 << 20;

/// The default timeout of a task in milliseconds: builds and tests take long.
const TASK_TIMEOUT_MS: u64 = 600_000;

/// The characters that neither a shell nor make gives a meaning.
const PLAIN_VALUE: &str = "^[A-Za-z0-9 _./:@%+=,-]*$";

/// A program that runs the tasks of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskRunner {
    /// make, with the targets of a Makefile.
    Make,
    /// just, with the recipes of a justfile.
    Just,
    /// npm, with the scripts of a package.json.
    Npm,
}

impl TaskRunner {
    /// The name of the program.
    pub fn program(self) -> &'static str {
        match self {
            Self::Make => "make",
            Self::Just => "just",
            Self::Npm => "npm",
        }
    }

    /// The files that may have its tasks; the first that exists counts.
    fn files(self) -> &'static [&'static str] {
        match self {
            Self::Make => &["GNUmakefile", "makefile", "Makefile"],
            Self::Just => &["justfile", "Justfile", ".justfile"],
            Self::Npm => &["package.json"],
        }
    }

    /// The tasks of a file. A task that cannot be read does not hide the others.
    fn read(self, text: &str) -> Result<Vec<Result<Task, BrokenTask>>, String> {
        match self {
            Self::Make => Ok(make::read(text)),
            Self::Just => Ok(just::read(text)),
            Self::Npm => npm::read(text),
        }
    }
}

/// A task that cannot become a tool.
#[derive(Debug)]
struct BrokenTask {
    /// The name in its file.
    name: String,
    /// What is wrong, with the line.
    reason: String,
}

/// One task of a file.
#[derive(Debug, Default)]
struct Task {
    /// The name in its file.
    name: String,
    description: Option<String>,
    parameters: Vec<Parameter>,
    /// The command line before the arguments.
    command: Vec<String>,
    /// The arguments, as templates.
    args: Vec<String>,
    /// Parameters that can be given only together with others: their values are told apart by
    /// position alone.
    requires: Map<String, Value>,
    timeout_ms: Option<u64>,
}

impl Task {
    fn into_described(self, runner: TaskRunner, root: &Path) -> Result<DescribedTool, String> {
        let mut schema = parameters::input_schema(self.parameters)?;
        if !self.requires.is_empty() {
            let mut value = schema.to_value();
            value["dependentRequired"] = self.requires.into();
            schema = RawJson::from_value(&value);
        }
        Ok(DescribedTool {
            name: tool_name(runner, &self.name),
            description: self.description,
            input_schema: Some(schema),
            plan: RecipePlan::Ready(Recipe::Command(CommandRecipe {
                argv: self.command,
                folder: root.to_owned(),
                cwd: WorkingFolder::Project,
                input: ArgumentPassing::Args(self.args),
                env: Vec::new(),
                timeout_ms: self.timeout_ms.unwrap_or(TASK_TIMEOUT_MS),
            })),
            ..DescribedTool::default()
        })
    }
}

/// `npm-lint-fix` for the script `lint:fix`: the runner keeps names of two files apart.
fn tool_name(runner: TaskRunner, task: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '-' };
    let task: String = task.chars().map(plain).collect();
    format!("{}-{}", runner.program(), task.trim_matches('-'))
}

/// The tool file of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskToolFile {
    /// The name of the tool.
    pub name: String,
    /// The text of the file.
    pub text: String,
    /// The number of parameters.
    pub parameters: usize,
}

/// The tool file of one task of a project, with this name for the tool or one of its own. `None` if
/// the command line is no task.
pub fn task_tool_file(
    words: &[String],
    project: &Path,
    tool_name: Option<&str>,
) -> Option<Result<TaskToolFile, String>> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (runner, name) = match words[..] {
        ["make", name] => (TaskRunner::Make, name),
        ["just", name] => (TaskRunner::Just, name),
        ["npm", "run" | "run-script", name] => (TaskRunner::Npm, name),
        _ => return None,
    };
    Some(one_tool_file(runner, name, project, tool_name))
}

fn one_tool_file(
    runner: TaskRunner,
    name: &str,
    project: &Path,
    tool_name: Option<&str>,
) -> Result<TaskToolFile, String> {
    let files = runner.files();
    let found = files.iter().map(|file| project.join(file)).find(|path| path.is_file());
    let path = found.ok_or_else(|| format!("the project has no {}", files[files.len() - 1]))?;
    let tasks = runner.read(&text(&path)?)?;
    let name_of = |task: &Result<Task, BrokenTask>| match task {
        Ok(task) => task.name.clone(),
        Err(broken) => broken.name.clone(),
    };
    let names: Vec<String> = tasks.iter().map(name_of).collect();
    let Some(task) = tasks.into_iter().find(|task| name_of(task) == name) else {
        let shown = path.file_name().unwrap_or_default().to_string_lossy();
        let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let how = match runner {
            TaskRunner::Make => {
                format!(". Add `{name}` to `.PHONY`, or `## DESCRIPTION` to its line")
            }
            _ => String::new(),
        };
        return Err(format!("`{shown}` has no task `{name}`; it has: {names}{how}"));
    };
    let task = task.map_err(|broken| broken.reason)?;
    let (command, args) = (task.command.clone(), task.args.clone());
    let timeout_ms = task.timeout_ms.unwrap_or(TASK_TIMEOUT_MS);
    let tool = task.into_described(runner, project)?;
    let schema = tool.input_schema.map(|schema| schema.to_value()).unwrap_or_default();
    let mut run = json!({"command": command, "cwd": "project", "timeout_ms": timeout_ms});
    if !args.is_empty() {
        run["args"] = args.into();
    }
    let name = tool_name.map_or(tool.name, str::to_owned);
    let parameters = schema["properties"].as_object().map_or(0, Map::len);
    let mut file = json!({"name": name, "description": tool.description});
    if file["description"].is_null() {
        file["description"] = format!("Run {}", command.join(" ")).into();
    }
    file["input_schema"] = schema;
    file["run"] = run;
    let text = toml::to_string(&file).map_err(|error| error.to_string())?;
    Ok(TaskToolFile { name, text, parameters })
}

/// The tools of another strategy, and the tasks of each project.
pub struct TaskTools {
    tools: Arc<dyn ToolStrategy>,
    runners: Vec<TaskRunner>,
}

impl TaskTools {
    /// Adds the tasks of these runners to the tools of a strategy.
    pub fn new(tools: impl ToolStrategy, runners: Vec<TaskRunner>) -> Self {
        Self { tools: Arc::new(tools), runners }
    }

    fn tasks(
        &self,
        root: &Root,
        visit: &RootVisit,
        only: Option<&Path>,
    ) -> BoxStream<'static, Result<RootEntry, SourceError>> {
        let mut runners = self.runners.clone();
        if let Some(only) = only {
            runners.retain(|runner| runner.files().iter().any(|file| root.path.join(file) == only));
        }
        if root.layout != RootLayout::Project {
            runners.clear();
        }
        let (root, visit) = (root.path.clone(), visit.clone());
        stream_of_blocking(visit.source.clone(), move |give| {
            let mut found = runners.into_iter().flat_map(|runner| entries(runner, &root, &visit));
            let _ = found.all(give);
        })
    }

    fn is_task_file(&self, root: &Root, file: &Path) -> bool {
        let mut files = self.runners.iter().flat_map(|runner| runner.files());
        files.any(|name| root.path.join(name) == file)
    }
}

impl ToolStrategy for TaskTools {
    // Tasks come first: a tool of the same name in a file of its own replaces one.
    fn tools<'a>(
        &'a self,
        root: &'a Root,
        visit: RootVisit,
    ) -> BoxStream<'a, Result<RootEntry, SourceError>> {
        Box::pin(self.tasks(root, &visit, None).chain(self.tools.tools(root, visit)))
    }

    fn reread<'a>(
        &'a self,
        root: &'a Root,
        file: &'a Path,
        visit: RootVisit,
    ) -> BoxStream<'a, Result<RootEntry, SourceError>> {
        if self.is_task_file(root, file) {
            return self.tasks(root, &visit, Some(file));
        }
        self.tools.reread(root, file, visit)
    }

    fn watched(&self, root: &Root) -> Vec<PathBuf> {
        self.tools.watched(root)
    }

    fn is_relevant(&self, root: &Root, path: &Path) -> bool {
        self.is_task_file(root, path) || self.tools.is_relevant(root, path)
    }
}

/// The tasks of one runner.
fn entries(runner: TaskRunner, root: &Path, visit: &RootVisit) -> Vec<RootEntry> {
    let found = runner
        .files()
        .iter()
        .find_map(|name| walk::walk_to(root, name).ok().map(|file| (root.join(name), file)));
    let Some((path, file)) = found else { return Vec::new() };
    let warning = |kind, reason: String| {
        let diagnostic = Diagnostic::warning(kind, reason).with_source(visit.source.clone());
        RootEntry::Diagnostic(diagnostic.with_path(&path))
    };
    if let Some(reason) = Owners::new(root).refusal_reason(&file.stamp) {
        return vec![warning(DiagnosticKind::Forbidden, reason.to_owned())];
    }
    let text = match text(&path) {
        Ok(text) => text,
        Err(reason) => return vec![warning(DiagnosticKind::Unavailable, reason)],
    };
    let content = Some(Digest::of_bytes(text.as_bytes()));
    let tasks = match runner.read(&text) {
        Ok(tasks) => tasks,
        Err(reason) => return vec![warning(DiagnosticKind::Broken, reason)],
    };
    let entry = |task: Result<Task, BrokenTask>| {
        let described =
            task.map_err(|broken| broken.reason).and_then(|task| task.into_described(runner, root));
        let mut described = match described {
            Ok(described) => described,
            Err(reason) => return warning(DiagnosticKind::Broken, reason),
        };
        let plan = std::mem::take(&mut described.plan);
        let status = plan.status();
        let RecipePlan::Ready(recipe) = plan else {
            return warning(DiagnosticKind::Broken, "it has no command".to_owned());
        };
        match described.into_tool(&visit.source, &path, content, status) {
            Ok(tool) => RootEntry::Tool(Box::new(tool), recipe),
            Err(error) => warning(DiagnosticKind::Broken, error.to_string()),
        }
    };
    tasks.into_iter().map(entry).collect()
}

fn text(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let file = inspect::open(path).map_err(|error| format!("it cannot be read: {error}"))?;
    let read = file.take(MAX_FILE + 1).read_to_end(&mut bytes);
    read.map_err(|error| format!("it cannot be read: {error}"))?;
    if bytes.len() as u64 > MAX_FILE {
        return Err(format!("it is larger than {} KiB, so it is not read", MAX_FILE >> 10));
    }
    String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
}

/// A list of plain texts.
fn text_list(name: &str, description: &str, required: bool) -> Result<Parameter, String> {
    let items = json!({"type": "string", "pattern": PLAIN_VALUE});
    let keys = json!({
        "type": "array", "items": items, "description": description, "required": required,
    });
    let Value::Object(keys) = keys else { return Err("not a table".to_owned()) };
    Parameter::new(name, keys)
}
