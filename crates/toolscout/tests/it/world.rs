//! A temporary project folder with its own state, in which tests run the program.

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A project folder with its own state and configuration folders. Dropping it deletes them.
pub(crate) struct World {
    dir: TempDir,
    cwd: PathBuf,
    vars: Vec<(String, String)>,
}

/// The exit code and output of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) out: String,
    pub(crate) err: String,
    pub(crate) code: i32,
}

impl World {
    /// A project: an empty folder with a marker.
    pub(crate) fn project() -> Self {
        Self::bare().file("project/package.json", "{}").in_folder("project")
    }

    /// An empty folder that is not in a project: no parent folder has a marker.
    pub(crate) fn bare() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let cwd = dir.path().canonicalize().expect("its real path");
        Self { dir, cwd, vars: Vec::new() }
    }

    /// Another machine with the same project folder, and its own state and configuration.
    pub(crate) fn another_machine(&self) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        Self { dir, cwd: self.cwd.clone(), vars: self.vars.clone() }
    }

    /// Writes a file and creates its folders. The path is relative to the working folder of runs.
    pub(crate) fn file(self, path: &str, text: &str) -> Self {
        let file = self.cwd.join(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("make folders");
        fs::write(file, text).expect("write a file");
        self
    }

    /// As [`World::file`], and makes it executable.
    pub(crate) fn script(self, path: &str, text: &str) -> Self {
        use std::os::unix::fs::PermissionsExt;
        let file = self.cwd.join(path);
        let world = self.file(path, text);
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).expect("make it executable");
        world
    }

    /// A tool file that echoes its arguments as JSON, with this name and more lines of TOML, which
    /// may be empty.
    pub(crate) fn echo(self, path: &str, name: &str, more: &str) -> Self {
        let text = format!("name = \"{name}\"\n{more}\n[run]\ncommand = [\"cat\"]\n");
        self.file(path, &text)
    }

    /// An executable that implements our verbs: it prints `schema` for `tool-schema`, and runs
    /// `invoke` (shell) for `tool-invoke`. It logs every start; see [`World::started`].
    pub(crate) fn program(self, path: &str, schema: &str, invoke: &str) -> Self {
        let noted = self.start_log().display().to_string();
        let text = format!(
            "#!/bin/sh\necho \"$1\" >> '{noted}'\ncase \"$1\" in\ntool-schema)\ncat <<'END'\n{schema}\nEND\n;;\ntool-invoke)\n{invoke}\n;;\nesac\n"
        );
        self.script(path, &text)
    }

    /// The verbs of all program starts in this world so far, in order.
    pub(crate) fn started(&self) -> Vec<String> {
        fs::read_to_string(self.start_log())
            .unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// The file in which programs log their starts. Scripts of a test may append lines, too.
    pub(crate) fn start_log(&self) -> PathBuf {
        self.dir.path().join("started")
    }

    /// Creates this folder, relative to the last one, and uses it as the working folder of runs.
    pub(crate) fn in_folder(mut self, folder: &str) -> Self {
        self.cwd = self.cwd.join(folder);
        fs::create_dir_all(&self.cwd).expect("make a folder");
        self
    }

    /// Confines servers and tools, as outside of tests.
    pub(crate) fn confined(self) -> Self {
        self.var("TOOLSCOUT_SANDBOX", "")
    }

    /// Sets an environment variable for runs.
    pub(crate) fn var(mut self, name: &str, value: &str) -> Self {
        self.vars.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A path in the working folder of runs.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.cwd.join(path)
    }

    /// The temporary folder that contains everything, such as the folders `state` and `config`.
    pub(crate) fn temp_dir(&self) -> &Path {
        self.dir.path()
    }

    /// Adds or changes a file in one step, as editors do: a running program never sees half of it.
    pub(crate) fn replace(&self, path: &str, text: &str) {
        let complete = self.temp_dir().join("complete");
        fs::write(&complete, text).expect("write a file");
        fs::rename(complete, self.path(path)).expect("rename it");
    }

    /// A command for the program, with a clean environment and empty standard input.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = self.program_command(env!("CARGO_BIN_EXE_toolscout"));
        command.args(args);
        command
    }

    /// A command for another program in the same environment, with ours on its `PATH`.
    pub(crate) fn program_command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.cwd).env_clear().stdin(Stdio::null());
        let ours = Path::new(env!("CARGO_BIN_EXE_toolscout")).parent().map(Path::to_owned);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = ours.into_iter().chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).expect("no folder contains a colon"));
        command.env("HOME", self.dir.path().join("home"));
        command.env("TOOLSCOUT_STATE_DIR", self.dir.path().join("state"));
        command.env("TOOLSCOUT_CONFIG_DIR", self.dir.path().join("config"));
        // Programs of tests write to the folder of the test. Tests of the sandbox use
        // `World::confined`.
        command.env("TOOLSCOUT_SANDBOX", "off");
        command.envs(self.vars.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        Outcome::run(&mut self.command(args))
    }

    /// Runs the program with this standard input.
    pub(crate) fn run_with(&self, input: &[u8], args: &[&str]) -> Outcome {
        let file = self.dir.path().join("input");
        fs::write(&file, input).expect("write the input");
        Outcome::run(self.command(args).stdin(fs::File::open(file).expect("open the input")))
    }

    /// Runs the program, and expects success and an empty stderr; returns stdout.
    pub(crate) fn stdout(&self, args: &[&str]) -> String {
        let outcome = self.run(args);
        assert_eq!(
            (outcome.code, outcome.err.as_str()),
            (0, ""),
            "{args:?} printed {}",
            outcome.out
        );
        outcome.out
    }

    /// The list of all tools, regardless of stderr.
    pub(crate) fn tools(&self, args: &[&str]) -> Vec<Value> {
        let args: Vec<&str> = args.iter().copied().chain(["tools", "--json"]).collect();
        self.run(&args).exits(0).json().as_array().expect("a list").clone()
    }

    /// The names of all tools, in order.
    pub(crate) fn names(&self, args: &[&str]) -> Vec<String> {
        let args: Vec<&str> = args.iter().copied().chain(["tools", "--json"]).collect();
        self.run(&args)
            .json()
            .as_array()
            .expect("a list")
            .iter()
            .map(|tool| tool["name"].as_str().unwrap_or("?").to_owned())
            .collect()
    }
}

impl Outcome {
    /// Runs a command to its end.
    pub(crate) fn run(command: &mut Command) -> Self {
        let output = command.output().expect("the program starts");
        Self {
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap_or(-1),
        }
    }

    /// Stdout, parsed as JSON.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("not JSON ({error}): {self:?}"))
    }

    /// Expects this exit code.
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    /// The usage errors on stderr, without the last line, which refers to help.
    pub(crate) fn usage_errors(&self) -> &str {
        let (mistakes, hint) =
            self.err.trim_end().rsplit_once('\n').unwrap_or_else(|| panic!("no hint: {self:?}"));
        assert!(hint.starts_with("  hint: toolscout ") && hint.ends_with("--help"), "{self:?}");
        mistakes
    }

    /// Expects all of these texts on stderr.
    pub(crate) fn stderr_contains(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(self.err.contains(part), "{part:?} is not in {self:?}");
        }
        self
    }
}

impl Outcome {
    /// Expects none of these texts on stderr.
    pub(crate) fn stderr_lacks(self, parts: &[&str]) -> Self {
        for part in parts {
            assert!(!self.err.contains(part), "{part:?} is in {self:?}");
        }
        self
    }

    /// Events of this name in a log written with `--verbose --log-format json`.
    pub(crate) fn events(&self, name: &str) -> Vec<Value> {
        let events = self.err.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        events.filter(|event| event["event"] == name).collect()
    }
}

/// Whether a program that a test needs is installed. If it is not, the test is skipped with a
/// message, unless all tests are required to run.
pub(crate) fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_found = std::env::split_paths(&path).any(|folder| folder.join(program).is_file());
    can_run(is_found, program)
}

/// As [`is_installed`], for anything else that a test needs.
pub(crate) fn can_run(is_available: bool, needed: &str) -> bool {
    if !is_available {
        assert!(
            std::env::var_os("TOOLSCOUT_TESTS").is_none_or(|value| value != "all"),
            "`{needed}` is not installed"
        );
        report_skipped(&format!("needs {needed}"));
    }
    is_available
}

/// Reports a skipped test and the reason.
#[expect(clippy::print_stderr, reason = "reports skipped tests")]
pub(crate) fn report_skipped(reason: &str) {
    eprintln!("skipped: {reason}");
}
