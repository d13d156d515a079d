//! Recognizes our own program in files of other programs.

use std::path::{Path, PathBuf};

/// The name and the executable of our program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnProgram {
    pub program: String,
    pub executable: Option<PathBuf>,
}

impl OwnProgram {
    /// The running program, with its name for users.
    pub fn running(name: &str) -> Self {
        Self { program: name.to_owned(), executable: std::env::current_exe().ok() }
    }

    /// Whether this command starts our program, by name or by path.
    pub fn is_started_by(&self, command: &str) -> bool {
        let command = Path::new(command);
        let real = |path: &Path| path.canonicalize().ok();
        let own = || self.executable.as_deref().and_then(real);
        let is_named = command.file_stem().is_some_and(|stem| stem == self.program.as_str());
        is_named || (command.is_absolute() && real(command).is_some_and(|real| Some(real) == own()))
    }
}
