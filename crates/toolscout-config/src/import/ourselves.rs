//! How we know ourselves in other programs' files.

use std::path::{Path, PathBuf};

/// What we are called, and the file we run from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnProgram {
    pub program: String,
    pub executable: Option<PathBuf>,
}

impl OwnProgram {
    /// The running program, known to users by this name.
    pub fn running(name: &str) -> Self {
        Self { program: name.to_owned(), executable: std::env::current_exe().ok() }
    }

    /// Whether this command starts us, by our name or by our file.
    pub fn is_started_by(&self, command: &str) -> bool {
        let command = Path::new(command);
        let real = |it: &Path| it.canonicalize().ok();
        let ours = || self.executable.as_deref().and_then(real);
        let is_named = command.file_stem().is_some_and(|it| it == self.program.as_str());
        is_named || (command.is_absolute() && real(command).is_some_and(|it| Some(it) == ours()))
    }
}
