//! The command that another program runs to start toolscout as its MCP server.

use crate::ConfigError;
use crate::import::LaunchCommand;
use std::path::Path;

/// `NAME serve` for the running program. `path` is the search path of the client, if it has one.
pub fn launch_command(program: &str, path: Option<&str>) -> Result<LaunchCommand, ConfigError> {
    let executable =
        std::env::current_exe().map_err(ConfigError::io("find the executable of", program))?;
    Ok(launch(program, &executable, path))
}

/// By name if `path` resolves to this executable, because that survives an update; else by its full
/// path.
pub fn launch(program: &str, executable: &Path, path: Option<&str>) -> LaunchCommand {
    let real = |path: &Path| path.canonicalize().ok();
    let ours = real(executable);
    let found = path
        .into_iter()
        .flat_map(std::env::split_paths)
        .map(|it| it.join(program))
        .find(|it| it.is_file());
    let is_found = ours.is_some() && found.is_some_and(|it| real(&it) == ours);
    let command =
        if is_found { program.to_owned() } else { executable.to_string_lossy().into_owned() };
    LaunchCommand { command, args: vec!["serve".to_owned()] }
}
