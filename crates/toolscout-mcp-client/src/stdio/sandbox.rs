//! The sandbox of a server's program: which level it runs at, and what its entry grants.

use super::super::fingerprint::partition;
use super::super::{ConnectContext, ConnectPurpose, ServerConfig, ServerTransport};
use std::ffi::OsString;
use std::path::Path;
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
    let owner = format!("{}-{}", partition(&context.project), server.id);
    let request = SandboxRequest {
        level: level(server, context, start.program),
        settings: &server.sandbox,
        program: start.program,
        args: start.args,
        cwd: start.cwd,
        owner: Some(&owner),
        installs: server.is_installed_first(),
        grants_arguments: true,
        write: &[],
        own_variables: &own_variables,
    };
    host.plan(request, env)
}

/// A discovery of a server whose tools are not trusted is confined most; its calls, which an
/// operator has approved by then, as configured.
fn level(server: &ServerConfig, context: &ConnectContext, program: &Path) -> SandboxLevel {
    let Some(host) = &context.sandbox else { return SandboxLevel::Off };
    let runs_container = program
        .file_stem()
        .is_some_and(|name| CONTAINER_RUNNERS.iter().any(|runner| name == *runner));
    let configured = match host.level(&server.sandbox) {
        SandboxLevel::Default if runs_container => SandboxLevel::Off,
        level => level,
    };
    let is_unreviewed = context.purpose == ConnectPurpose::Discovery && !server.trusted;
    if is_unreviewed && configured != SandboxLevel::Off {
        SandboxLevel::Discover
    } else {
        configured
    }
}
