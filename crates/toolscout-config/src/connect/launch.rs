//! The command that another program runs to start toolscout as its MCP server.

use crate::ConfigError;
use crate::import::LaunchCommand;
use std::path::Path;

/// `NAME serve` for the running program. `path` is the search path of the client, if it has one.
pub fn launch_command(program: &str, path: Option<&str>) -> Result<LaunchCommand, ConfigError> {
    let executable =
        std::env::current_exe().map_err(ConfigError::io("find the executable of", program))?;
    Ok(launch_command_for(program, &executable, path))
}

/// By name if `path` resolves to this executable, because that survives an update; else by its full
/// path.
pub fn launch_command_for(program: &str, executable: &Path, path: Option<&str>) -> LaunchCommand {
    let real = |path: &Path| path.canonicalize().ok();
    let ours = real(executable);
    let found = path
        .into_iter()
        .flat_map(std::env::split_paths)
        .map(|candidate| candidate.join(program))
        .find(|candidate| candidate.is_file());
    let is_on_path = ours.is_some() && found.is_some_and(|found| real(&found) == ours);
    let command =
        if is_on_path { program.to_owned() } else { executable.to_string_lossy().into_owned() };
    LaunchCommand { command, args: vec!["serve".to_owned()] }
}
