//! The program to wrap: where it is, how a tool file names it, and what its help prints.

use super::description;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;
use toolscout_core::{SourceError, SourceId};
use toolscout_process::{self as child, Limits, ProgramTask, environment, program};

/// The time that a program may take to print its help.
pub const HELP_LIMIT: Duration = Duration::from_secs(10);

/// The longest help text in bytes.
const MAX_HELP: usize = 1 << 20;

/// The part of a script that is searched for a comment, in bytes.
const MAX_COMMENT: u64 = 4 << 10;

/// The programs that run scripts which are not executable, by extension.
const RUNNERS: [(&str, &str); 6] = [
    ("py", "python3"),
    ("js", "node"),
    ("mjs", "node"),
    ("cjs", "node"),
    ("rb", "ruby"),
    ("sh", "sh"),
];

/// A command line that becomes a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrappedCommand {
    /// The command line for a tool file that runs in the project.
    pub argv: Vec<String>,
    /// A name for the tool.
    pub name: String,
    /// The words of the command line, with a runner if the file needs one.
    pub words: Vec<String>,
    /// The option that prints the help.
    pub help_option: &'static str,
    program: PathBuf,
    cwd: PathBuf,
    /// The file of the project that was typed as the program.
    file: Option<PathBuf>,
}

impl WrappedCommand {
    /// Finds the program of a command line that was typed in `cwd`. Starts nothing. `folder` is the
    /// folder of the tool file. The error is a reason for the user.
    pub fn find(
        typed: &[String],
        cwd: &Path,
        project: &Path,
        folder: &Path,
    ) -> Result<Self, String> {
        let first = typed.first().ok_or("the command is empty")?;
        let mut words = typed.to_vec();
        let is_path = first.contains(std::path::is_separator);
        let mut program = None;
        let mut file = None;
        if is_path {
            let path = inside(&cwd.join(first), first, project)?;
            file = Some(path.clone());
            if program::checked_program(&path, Some(project)).is_ok() {
                program = Some((path.clone(), relative(folder, &path)));
            } else {
                words.insert(0, runner(&path)?.to_owned());
            }
        }
        let (program, shown) = match program {
            Some(found) => found,
            None => (in_path(&words[0], cwd)?, words[0].clone()),
        };
        let argument = |word: &String| {
            let path = cwd.join(word).canonicalize().ok().filter(|path| path.is_file());
            let inside = path.filter(|path| path.starts_with(project));
            inside.map_or_else(|| word.clone(), |path| relative(project, &path))
        };
        let argv = std::iter::once(shown).chain(words.iter().skip(1).map(argument)).collect();
        // `git commit --help` opens a manual page.
        let is_git = words[0] == "git" && words.len() > 1;
        Ok(Self {
            argv,
            name: tool_name(&words),
            help_option: if is_git { "-h" } else { "--help" },
            words,
            program,
            cwd: cwd.to_owned(),
            file,
        })
    }

    /// What the first comment of a script of the project says about it.
    pub fn summary(&self) -> Option<String> {
        let mut head = Vec::new();
        let file = File::open(self.file.as_ref()?).ok()?;
        file.take(MAX_COMMENT).read_to_end(&mut head).ok()?;
        description::in_comments(&String::from_utf8_lossy(&head))
    }

    /// The command line that prints the help.
    pub fn help_line(&self) -> String {
        let words = self.words.iter().map(String::as_str).chain([self.help_option]);
        words.map(crate::inspect::shell_word).collect::<Vec<_>>().join(" ")
    }
}

/// Runs the program with its help option only, and returns what it prints. Cancel-safe: dropping
/// the future ends the program.
pub async fn run_help(command: &WrappedCommand) -> Result<String, SourceError> {
    let mut env = environment::environment(&[])?;
    // A pager waits for keys, and argparse breaks lines at 80 columns.
    let plain = [("PAGER", "cat"), ("GIT_PAGER", "cat"), ("NO_COLOR", "1"), ("COLUMNS", "120")];
    env.extend(plain.map(|(name, value)| (OsString::from(name), OsString::from(value))));
    let words = command.words.iter().skip(1).map(String::as_str).chain([command.help_option]);
    let task = ProgramTask {
        id: SourceId::local(),
        program: command.program.clone(),
        display_name: command.help_line(),
        args: words.map(OsString::from).collect(),
        cwd: command.cwd.clone(),
        env,
        stdin: None,
        limits: Limits { time: HELP_LIMIT, stdout: MAX_HELP, ..Limits::default() },
        // The operator confirmed this command, as if typed.
        sandbox: None,
    };
    let output = child::start(&task).await?;
    // A script that does not know `--help` prints its usage as an error.
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(if stdout.trim().is_empty() { output.stderr_text() } else { stdout })
}

/// The real path of a file of the project.
fn inside(path: &Path, typed: &str, project: &Path) -> Result<PathBuf, String> {
    let real = path.canonicalize().map_err(|_| format!("`{typed}` does not exist"))?;
    if real.starts_with(project) {
        return Ok(real);
    }
    Err(format!(
        "`{typed}` is outside the project `{}`; put it into a folder of PATH and wrap its name",
        project.display()
    ))
}

/// The program that runs a script which is not executable.
fn runner(path: &Path) -> Result<&'static str, String> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let found = RUNNERS.iter().find(|(end, _)| *end == extension).map(|(_, runner)| *runner);
    found.ok_or_else(|| {
        let shown = path.display().to_string();
        format!("`{shown}` cannot be run: chmod +x {}", crate::inspect::shell_word(&shown))
    })
}

fn in_path(name: &str, cwd: &Path) -> Result<PathBuf, String> {
    program::find(name).ok_or_else(|| {
        let is_here = cwd.join(name).is_file();
        let hint =
            if is_here { format!("; for the file here, write ./{name}") } else { String::new() };
        format!("`{name}` is not installed, or not in PATH{hint}")
    })
}

/// A path relative to a folder; both are real. It contains a `/`, as a program of a tool file must,
/// unless it lies directly in the folder of a project.
fn relative(folder: &Path, path: &Path) -> String {
    let (mut from, mut to) = (folder.components().peekable(), path.components().peekable());
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    let up = from.map(|_| Component::ParentDir);
    let path: PathBuf = up.chain(to).collect();
    let text = path.to_string_lossy().into_owned();
    if text.contains('/') { text } else { format!("./{text}") }
}

/// `git-commit`, `deploy`, `http-server`: the program and the plain words after it.
fn tool_name(words: &[String]) -> String {
    let file_stem = |word: &String| {
        let name = word.rsplit('/').next().unwrap_or(word);
        let known = [".sh", ".bash", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl"];
        let end = known.iter().find(|end| name.len() > end.len() && name.ends_with(**end));
        name[..name.len() - end.map_or(0, |end| end.len())].to_owned()
    };
    let is_runner = words.len() > 1
        && ["python", "python3", "node", "ruby", "sh", "bash", "bun", "deno", "npx"]
            .contains(&words[0].as_str());
    let words = words.iter().skip(usize::from(is_runner));
    let parts: Vec<String> = words.filter(|word| !word.starts_with('-')).map(file_stem).collect();
    let mut name = String::new();
    for c in parts.join("-").chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            name.push(c.to_ascii_lowercase());
        } else if !name.is_empty() && !name.ends_with('-') {
            name.push('-');
        }
    }
    name.trim_end_matches('-').to_owned()
}
