//! Resolves and starts a configured program.

use super::super::{ClientError, ConfigText, ConnectContext, Program, ServerConfig};
use super::sandbox;
use ring::rand::{SecureRandom, SystemRandom};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::process::Child;
use tokio::runtime::Handle;
use tokio::time::sleep;
use toolscout_process::environment::environment;
use toolscout_process::program::find_in;
use toolscout_process::sandbox::SandboxPlan;
use toolscout_process::server_processes::ServerProcesses;
use toolscout_process::spawn::{self, SpawnRequest};
use toolscout_process::{BUSY_RETRY_DELAYS, explain};
use toolscout_process::{guard, orphans, starter};

/// A program that is ready to start. It contains values of references, so it has no `Debug`.
pub(super) struct Launch {
    /// The text to show instead of the program's path.
    shown: String,
    program: PathBuf,
    args: Vec<OsString>,
    cwd: PathBuf,
    env: Vec<(OsString, OsString)>,
    run: String,
    sandbox: Option<Arc<SandboxPlan>>,
}

/// Resolves all references and finds the program. May take a while.
pub(super) fn prepare(
    server: &ServerConfig,
    program: &Program,
    context: &ConnectContext,
) -> Result<Launch, ClientError> {
    let shown = program.command.written().to_owned();
    let resolve = |text: &ConfigText| text.resolve(&context.lookup).map_err(ClientError::invalid);
    let refuse = |reason: String| ClientError::Spawn { program: shown.clone(), reason };
    let run = random_id()
        .ok_or_else(|| refuse("the operating system returned no random numbers".to_owned()))?;
    let mut env = environment(&[]).map_err(|err| refuse(err.to_string()))?;
    for (name, value) in &program.env {
        if name.is_empty() || name.contains(['=', '\0']) {
            return Err(refuse(format!("`{name}` is not a valid environment variable name")));
        }
        set(&mut env, name, resolve(value)?);
    }
    set(&mut env, orphans::RUN_VARIABLE, run.clone());
    set(&mut env, orphans::OWNER_VARIABLE, orphans::owner_mark());
    let cwd = context.project.join(program.cwd.as_deref().unwrap_or(Path::new("")));
    let found = locate(&resolve(&program.command)?, &cwd, &env).map_err(refuse)?;
    let args = program
        .args
        .iter()
        .map(|arg| resolve(arg).map(OsString::from))
        .collect::<Result<Vec<_>, _>>()?;
    let start = sandbox::Start { program: &found, args: &args, cwd: &cwd };
    let sandbox = sandbox::plan(server, context, start, &mut env).map_err(refuse)?;
    let cwd = sandbox.as_ref().map_or(cwd, |sandbox| sandbox.cwd.clone());
    Ok(Launch { shown, program: found, args, cwd, env, run, sandbox: sandbox.map(Arc::new) })
}

/// Starts the program on the thread that starts all servers.
pub(super) async fn start(launch: Launch) -> Result<(Child, ServerProcesses), ClientError> {
    let launch = Arc::new(launch);
    let mut delays = BUSY_RETRY_DELAYS.into_iter();
    loop {
        let (request, runtime) = (launch.clone(), Handle::current());
        let result = starter::run(move || {
            guard::prepare();
            let _guard = runtime.enter();
            let child = spawn::spawn(request.as_start())?;
            let processes =
                ServerProcesses::new(&child, request.run.clone(), request.sandbox.clone());
            Ok((child, processes))
        });
        let error = match result.await {
            Some(Ok(result)) => return Ok(result),
            Some(Err(error)) => error,
            None => io::Error::other("the thread that starts servers has ended"),
        };
        match delays.next().filter(|_| error.kind() == io::ErrorKind::ExecutableFileBusy) {
            Some(delay) => sleep(delay).await,
            None => {
                let reason = explain::reason(launch.as_start(), &launch.shown, &error);
                return Err(ClientError::Spawn { program: launch.shown.clone(), reason });
            }
        }
    }
}

impl Launch {
    /// Whether the program runs in a sandbox.
    pub(super) fn is_confined(&self) -> bool {
        self.sandbox.is_some()
    }

    fn as_start(&self) -> SpawnRequest<'_> {
        let Self { program, args, cwd, env, sandbox, .. } = self;
        let confinement = sandbox.as_ref().map(|sandbox| &sandbox.confinement);
        SpawnRequest { program, args, cwd, env, has_stdin: true, confinement }
    }
}

/// The path of the program. A command with a separator is relative to the server's working
/// directory; a bare name is looked up in the PATH that the server sees.
fn locate(command: &str, cwd: &Path, env: &[(OsString, OsString)]) -> Result<PathBuf, String> {
    if command.is_empty() {
        return Err("its command is empty".to_owned());
    }
    if Path::new(command).components().count() > 1 || command.contains(std::path::is_separator) {
        return Ok(cwd.join(command));
    }
    let path =
        env.iter().find(|(name, _)| name == "PATH").map_or(OsStr::new(""), |(_, value)| value);
    find_in(path, command).ok_or_else(|| match origin(command) {
        Some(origin) => format!("not found in PATH; it comes with {origin}"),
        None => "not found in PATH; install it, or configure its full path".to_owned(),
    })
}

/// The package that provides a common server runner.
fn origin(command: &str) -> Option<&'static str> {
    Some(match command {
        "npx" | "npm" | "node" => "Node.js, see https://nodejs.org",
        "uvx" | "uv" => "uv, see https://docs.astral.sh/uv",
        "bunx" | "bun" => "Bun, see https://bun.sh",
        "pipx" => "pipx, see https://pipx.pypa.io",
        "deno" => "Deno, see https://deno.com",
        "docker" => "Docker, see https://docs.docker.com",
        _ => return None,
    })
}

fn set(env: &mut Vec<(OsString, OsString)>, name: &str, value: String) {
    env.retain(|(item, _)| item != name);
    env.push((name.into(), value.into()));
}

fn random_id() -> Option<String> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).ok()?;
    Some(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}
