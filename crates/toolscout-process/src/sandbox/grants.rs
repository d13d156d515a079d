//! The files that a program needs to start: itself, its package and its interpreter.

use crate::program;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Files whose folder is the root of a package.
const PACKAGE_FILES: &[&str] = &[
    "package.json",
    "pyproject.toml",
    "setup.py",
    "deno.json",
    "Gemfile",
    "composer.json",
    "go.mod",
    "Cargo.toml",
];

/// Extensions of files that an interpreter runs.
const SCRIPTS: &[&str] = &[
    "cjs", "cts", "jar", "js", "jsx", "lua", "mjs", "mts", "php", "pl", "ps1", "py", "pyz", "rb",
    "sh", "ts", "tsx",
];

/// Folders in which version managers install interpreters.
const VERSION_MANAGERS: &[&str] =
    &[".asdf", ".bun", ".fnm", ".linuxbrew", ".nodenv", ".nvm", ".pyenv", ".rbenv", ".volta"];

/// Folders that no grant includes unless an operator names it.
#[derive(Debug, Clone, Default)]
pub(super) struct Protected {
    /// The home of the user.
    pub(super) home: Option<PathBuf>,
    /// The state and the configuration of toolscout. No grant at all includes these.
    pub(super) own: Vec<PathBuf>,
}

impl Protected {
    /// The real path of a file or folder that a program may get because it is started there, names
    /// it, or has its code there. Not the home as a whole, and nothing in a hidden folder of it:
    /// these hold keys and settings. Only the real path shows where `..` and links lead.
    pub(super) fn permitted(&self, path: &Path) -> Option<PathBuf> {
        path.canonicalize().ok().filter(|real| self.permits(real))
    }

    fn permits(&self, path: &Path) -> bool {
        let is_hidden = self.home.as_deref().is_some_and(|home| {
            home.starts_with(path)
                || path
                    .strip_prefix(home)
                    .is_ok_and(|below| below.as_os_str().as_encoded_bytes().first() == Some(&b'.'))
        });
        !is_hidden && !self.own.iter().any(|own| own.starts_with(path) || path.starts_with(own))
    }

    /// The path, or the parts of it that do not contain our own folders.
    pub(super) fn without_own(&self, path: &Path) -> Vec<PathBuf> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if self.own.iter().any(|own| path.starts_with(own)) {
            return Vec::new();
        }
        if !self.own.iter().any(|own| own.starts_with(&path)) {
            return vec![path];
        }
        let Ok(entries) = std::fs::read_dir(&path) else { return Vec::new() };
        // A link may lead to one of our folders; it is granted where it leads, or not at all.
        let is_real = |entry: &std::fs::DirEntry| {
            entry.file_type().is_ok_and(|file_type| !file_type.is_symlink())
        };
        let parts = entries.flatten().filter(is_real);
        parts.flat_map(|entry| self.without_own(&entry.path())).collect()
    }
}

/// What a program and its arguments need to be read, and the folders among the arguments.
#[derive(Debug, Default)]
pub(super) struct ProgramFiles {
    pub(super) read: Vec<PathBuf>,
    pub(super) folders: Vec<PathBuf>,
}

impl ProgramFiles {
    pub(super) fn new(
        program: &Path,
        args: &[OsString],
        cwd: &Path,
        path_variable: &OsStr,
        protected: &Protected,
    ) -> Self {
        let mut files = Self::without_arguments(program, path_variable, protected);
        for argument in args.iter().filter_map(|arg| named_path(arg, cwd)) {
            if argument.is_dir() {
                files.folders.extend(protected.permitted(&argument));
            } else if is_script(&argument) {
                files.add_program(&argument, path_variable, protected);
            } else {
                files.read.extend(protected.permitted(&argument));
            }
        }
        files
    }

    /// What a program needs that may download anything and send it what it reads: itself, and
    /// nothing that its arguments name. A script that an installer runs is a single file.
    pub(super) fn of_installer(
        program: &Path,
        path_variable: &OsStr,
        protected: &Protected,
    ) -> Self {
        if !program::is_run_by_installer(program) {
            return Self::without_arguments(program, path_variable, protected);
        }
        let mut files = Self::default();
        files.add_path(path_variable, protected);
        files.read.extend(program.canonicalize());
        files.add_interpreter(program, path_variable, protected);
        files
    }

    fn without_arguments(program: &Path, path_variable: &OsStr, protected: &Protected) -> Self {
        let mut files = Self::default();
        files.add_path(path_variable, protected);
        files.add_program(program, path_variable, protected);
        files
    }

    /// The folders in which programs are looked up.
    fn add_path(&mut self, path_variable: &OsStr, protected: &Protected) {
        for folder in std::env::split_paths(path_variable).filter(|folder| folder.is_absolute()) {
            let real = folder.canonicalize().ok();
            self.read.extend(real.as_deref().and_then(version_manager).map(Path::to_owned));
            self.read.extend(protected.permitted(&folder));
        }
    }

    /// A program: the path as written, because a virtual environment is found from there, the file
    /// behind all links, and the interpreter of a script.
    fn add_program(&mut self, file: &Path, path_variable: &OsStr, protected: &Protected) {
        let Ok(real) = file.canonicalize() else { return };
        // A link or a first line with the name of a program may lead to a key.
        let is_program = program::is_executable_file(&real) || is_script(&real);
        if !is_program && protected.permitted(&real).is_none() {
            return;
        }
        for path in [file, &real] {
            self.read.extend(code_folder(path, protected));
        }
        self.add_interpreter(&real, path_variable, protected);
        self.read.push(real);
    }

    fn add_interpreter(&mut self, script: &Path, path_variable: &OsStr, protected: &Protected) {
        let interpreter = interpreter(script, path_variable);
        let Some(interpreter) = interpreter.filter(|it| it.is_absolute()) else { return };
        let Ok(real) = interpreter.canonicalize() else { return };
        if !program::is_executable_file(&real) {
            return;
        }
        for path in [&interpreter, &real] {
            self.read.extend(code_folder(path, protected));
        }
        self.read.push(real);
    }
}

/// The existing absolute path that an argument names: `PATH`, `--option=PATH` or `file:PATH`.
fn named_path(arg: &OsStr, cwd: &Path) -> Option<PathBuf> {
    let text = arg.to_str()?;
    let value = match text.strip_prefix('-') {
        Some(option) => option.split_once('=')?.1,
        None => text.strip_prefix("file://").unwrap_or(text),
    };
    let path = cwd.join(value);
    (!value.is_empty() && path.exists()).then_some(path)
}

fn is_script(file: &Path) -> bool {
    let is_known = |extension: &OsStr| SCRIPTS.iter().any(|script| extension == *script);
    file.extension().is_some_and(is_known) || program::interpreter(file).is_some()
}

/// The program of the first line of a script, looked up if `env` does that.
fn interpreter(script: &Path, path_variable: &OsStr) -> Option<PathBuf> {
    let words = program::interpreter_words(script)?;
    let runner = program::runner(&words)?;
    if runner.contains('/') {
        return Some(PathBuf::from(runner));
    }
    program::find_in(path_variable, runner)
}

/// The folder of the version manager that this folder belongs to.
fn version_manager(folder: &Path) -> Option<&Path> {
    let is_manager = |folder: &&Path| {
        folder.file_name().is_some_and(|name| VERSION_MANAGERS.iter().any(|it| name == *it))
    };
    folder.ancestors().find(is_manager)
}

/// The folder of a program's code that it may read.
fn code_folder(file: &Path, protected: &Protected) -> Option<PathBuf> {
    let permitted = |folder: &Path| protected.permitted(folder);
    let package = package_root(file).and_then(|folder| permitted(&folder));
    package.or_else(|| permitted(file.parent()?))
}

/// The folder with everything that belongs to a program: an installed package with those it
/// depends on, a virtual environment, a package, or an installation such as `~/tools/node-20`.
fn package_root(file: &Path) -> Option<PathBuf> {
    let folder = file.parent()?;
    if let Some(manager) = version_manager(folder) {
        return Some(manager.to_owned());
    }
    let modules = folder.ancestors().filter(|above| above.ends_with("node_modules"));
    if let Some(modules) = modules.last() {
        return Some(modules.to_owned());
    }
    let mut above = folder.ancestors();
    if let Some(environment) = above.find(|folder| folder.join("pyvenv.cfg").is_file()) {
        return Some(environment.to_owned());
    }
    if folder.file_name().is_some_and(|name| name == "bin") {
        let installation = folder.parent().filter(|it| it.join("lib").is_dir());
        return Some(installation.unwrap_or(folder).to_owned());
    }
    let is_package = |folder: &&Path| PACKAGE_FILES.iter().any(|file| folder.join(file).is_file());
    let package = is_script(file).then(|| folder.ancestors().find(is_package)).flatten();
    Some(package.unwrap_or(folder).to_owned())
}
