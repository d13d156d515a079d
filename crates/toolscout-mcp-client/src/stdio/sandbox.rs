//! The sandbox of a server's program: which level it runs at, and what its entry grants.

use super::super::fingerprint::partition;
use super::super::{ConnectContext, ConnectPurpose, ServerConfig, ServerTransport};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toolscout_process::program;
use toolscout_process::sandbox::{SandboxLevel, SandboxPlan, SandboxRequest};

/// Programs that run the server in a container. Their own sandbox replaces ours, which would keep
/// them from their daemon.
const CONTAINER_RUNNERS: [&str; 3] = ["docker", "podman", "nerdctl"];

/// A program with its resolved arguments.
pub(super) struct Start<'a> {
    pub(super) program: &'a Path,
    pub(super) args: &'a [OsString],
    pub(super) cwd: &'a Path,
}

/// The sandbox for this start, if there is to be one. Adapts the environment to it. Blocks.
pub(super) fn plan(
    server: &ServerConfig,
    context: &ConnectContext,
    start: Start<'_>,
    env: &mut Vec<(OsString, OsString)>,
) -> Result<Option<SandboxPlan>, String> {
    let Some(host) = &context.sandbox else { return Ok(None) };
    let own_variables: Vec<&str> = match &server.transport {
        ServerTransport::Stdio(program) => program.env.keys().map(String::as_str).collect(),
        ServerTransport::Http(_) => Vec::new(),
    };
    let is_installed = is_installed(server, context, start.program);
    let owner = format!("{}-{}", partition(&context.project), server.id);
    let request = SandboxRequest {
        level: level(server, context, start.program, is_installed),
        settings: &server.sandbox,
        program: start.program,
        args: start.args,
        cwd: start.cwd,
        owner: Some(&owner),
        installs: is_installed && program::installer(start.program).is_some(),
        grants_arguments: true,
        write: &[],
        own_variables: &own_variables,
    };
    host.plan(request, env)
}

/// Whether the program is one of this machine, such as npx or docker. A file of the project may have
/// the name of one.
fn is_installed(server: &ServerConfig, context: &ConnectContext, program: &Path) -> bool {
    let Ok(project) = context.project.canonicalize() else { return false };
    let home = context.sandbox.as_ref().and_then(|host| host.home.as_ref()?.canonicalize().ok());
    // The programs of a user are in the home, too. Only their names tell them from other files.
    if home.is_some_and(|home| home.starts_with(&project)) {
        let ServerTransport::Stdio(entry) = &server.transport else { return false };
        return !entry.command.written().contains(std::path::is_separator)
            && !entry.env.contains_key("PATH");
    }
    let folder = program.parent().and_then(|folder| folder.canonicalize().ok());
    let is_outside = |path: Option<PathBuf>| path.is_some_and(|path| !path.starts_with(&project));
    is_outside(folder) && is_outside(program.canonicalize().ok())
}

/// A discovery of a server whose tools are not trusted is confined most; its calls, which an
/// operator has approved by then, as configured.
fn level(
    server: &ServerConfig,
    context: &ConnectContext,
    program: &Path,
    is_installed: bool,
) -> SandboxLevel {
    let Some(host) = &context.sandbox else { return SandboxLevel::Off };
    let is_runner = || {
        program
            .file_stem()
            .is_some_and(|name| CONTAINER_RUNNERS.iter().any(|runner| name == *runner))
    };
    let configured = match host.chosen_level(&server.sandbox) {
        None if is_installed && !host.is_required && is_runner() => SandboxLevel::Off,
        level => level.unwrap_or_default(),
    };
    let is_unreviewed = context.purpose == ConnectPurpose::Discovery && !server.trusted;
    if is_unreviewed && configured != SandboxLevel::Off {
        SandboxLevel::Discover
    } else {
        configured
    }
}
