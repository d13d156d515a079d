//! What another program has to start to have us as its server.

use crate::plugins::import::Launch;
use crate::{AppError, RunCx};
use std::path::Path;

/// `serve`, of the program that is running now.
pub(crate) fn of(cx: &RunCx, is_desktop: bool) -> Result<Launch, AppError> {
    let executable = std::env::current_exe()
        .map_err(|cause| AppError::Io { what: "find this program's own file".to_owned(), cause })?;
    let path = cx.surroundings().var("PATH").filter(|_| !is_desktop);
    Ok(launch(cx.program(), &executable, path))
}

/// By name where `path` leads to this very file, because that survives an update; else by its place.
pub(super) fn launch(program: &str, executable: &Path, path: Option<&str>) -> Launch {
    let real = |it: &Path| it.canonicalize().ok();
    let ours = real(executable);
    let found = path.into_iter().flat_map(std::env::split_paths).map(|it| it.join(program)).find(|it| it.is_file());
    let is_found = ours.is_some() && found.is_some_and(|it| real(&it) == ours);
    let command = if is_found { program.to_owned() } else { executable.to_string_lossy().into_owned() };
    Launch { command, args: vec!["serve".to_owned()] }
}
