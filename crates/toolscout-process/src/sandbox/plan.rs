//! Turns a level, the settings and a program into a policy and an environment.

use super::folders::{PrivateFolders, program_folders};
use super::grants::{ProgramFiles, Protected};
use super::{
    Confinement, NetworkAccess, ProcessLimits, SandboxLevel, SandboxPolicy, SandboxRunner, support,
};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

const MIB: u64 = 1 << 20;

/// The sandbox of one server or of all folder tools, as configured.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SandboxSettings {
    /// The level; `None` is that of the host.
    pub level: Option<SandboxLevel>,
    /// Files and folders to read.
    pub allow_read: Vec<PathBuf>,
    /// Files and folders to read and write.
    pub allow_write: Vec<PathBuf>,
    /// The network; `None` is that of the level.
    pub network: Option<NetworkAccess>,
}

impl SandboxSettings {
    /// Whether these are stricter than, or the same as, no settings at all.
    pub fn grants_nothing(&self) -> bool {
        self.level != Some(SandboxLevel::Off)
            && self.allow_read.is_empty()
            && self.allow_write.is_empty()
            && matches!(self.network, None | Some(NetworkAccess::None))
    }
}

/// The decisions of the operator about all sandboxes, and the folders of this machine.
#[derive(Debug, Clone, Default)]
pub struct SandboxHost {
    /// Settings for everything that has none of its own. Its grants apply to everything.
    pub settings: SandboxSettings,
    /// A level that overrides all others, from the environment of the operator.
    pub forced_level: Option<SandboxLevel>,
    /// Whether nothing may start that cannot be confined.
    pub is_required: bool,
    /// What confines programs.
    pub runner: SandboxRunner,
    /// The home of the user.
    pub home: Option<PathBuf>,
    /// The state folder; private folders are below it.
    pub state: Option<PathBuf>,
    /// The configuration folder.
    pub config: Option<PathBuf>,
}

/// A program that is about to start.
#[derive(Debug, Clone, Copy)]
pub struct SandboxRequest<'a> {
    pub level: SandboxLevel,
    pub settings: &'a SandboxSettings,
    pub program: &'a Path,
    /// Arguments; the files that they name may be read.
    pub args: &'a [OsString],
    pub cwd: &'a Path,
    /// Identifies the private home that persists between runs; a valid file name.
    pub owner: Option<&'a str>,
    /// Whether the program downloads packages and then runs them.
    pub installs: bool,
    /// Whether folders among the arguments are granted: an operator has written them.
    pub grants_arguments: bool,
    /// Folders to write besides those of the settings.
    pub write: &'a [PathBuf],
    /// Variables that were set for this program, and not inherited.
    pub own_variables: &'a [&'a str],
}

/// A confined start: what to apply in the child, and the folders that live as long as it does.
#[derive(Debug)]
pub struct SandboxPlan {
    pub confinement: Confinement,
    pub folders: PrivateFolders,
    /// The working directory.
    pub cwd: PathBuf,
}

impl SandboxHost {
    /// The level of something with these settings.
    pub fn level(&self, settings: &SandboxSettings) -> SandboxLevel {
        self.chosen_level(settings).unwrap_or_default()
    }

    /// The level that a user has chosen for something with these settings.
    pub fn chosen_level(&self, settings: &SandboxSettings) -> Option<SandboxLevel> {
        self.forced_level.or(settings.level).or(self.settings.level)
    }

    /// Prepares the sandbox of a program, and changes its environment to match. Blocks.
    pub fn plan(
        &self,
        request: SandboxRequest<'_>,
        env: &mut Vec<(OsString, OsString)>,
    ) -> Result<Option<SandboxPlan>, String> {
        if request.level == SandboxLevel::Off {
            return Ok(None);
        }
        if let Some(reason) = self.runner.missing() {
            return Err(reason.to_owned());
        }
        if self.is_required && self.runner == SandboxRunner::Kernel && !support().files {
            return Err("the sandbox is required, and this system cannot enforce it; see \
                        `toolscout doctor`"
                .to_owned());
        }
        let base = match &self.state {
            Some(state) => state.join("sandbox"),
            None => std::env::temp_dir().join(format!("toolscout-{}", std::process::id())),
        };
        let is_discovery = request.level == SandboxLevel::Discover;
        let folders = PrivateFolders::create(&base, request.owner, !is_discovery)
            .map_err(|err| format!("cannot make its private folders: {err}"))?;
        let policy = self.policy(&request, &folders, env);
        self.set_variables(&request, &folders, &policy, env);
        let cwd = if is_discovery && request.installs {
            folders.home.clone()
        } else {
            request.cwd.to_owned()
        };
        let confinement = match self.runner {
            SandboxRunner::Kernel => Confinement::new(&policy),
            SandboxRunner::Bubblewrap => Confinement::in_bubblewrap(&policy, request.program, &cwd),
        };
        let confinement =
            confinement.map_err(|err| format!("cannot prepare its sandbox: {err}"))?;
        Ok(Some(SandboxPlan { confinement, folders, cwd }))
    }

    /// Whether this file or folder is not granted by being named: it is in a hidden folder of the
    /// home, it is the home itself, or it belongs to toolscout.
    pub fn is_private(&self, path: &Path) -> bool {
        self.protected().permitted(path).is_none()
    }

    fn protected(&self) -> Protected {
        let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
        Protected {
            home: self.home.as_ref().map(real),
            own: [&self.state, &self.config].into_iter().flatten().map(real).collect(),
        }
    }

    fn policy(
        &self,
        request: &SandboxRequest<'_>,
        folders: &PrivateFolders,
        env: &[(OsString, OsString)],
    ) -> SandboxPolicy {
        let protected = self.protected();
        let path_variable =
            env.iter().find(|(name, _)| name == "PATH").map_or(OsStr::new(""), |(_, value)| value);
        let SandboxRequest { program, args, cwd, .. } = *request;
        let is_discovery = request.level == SandboxLevel::Discover;
        // A program that may download anything does not see the project.
        let is_isolated = is_discovery && request.installs;
        let files = if is_isolated {
            ProgramFiles::of_installer(program, path_variable, &protected)
        } else {
            ProgramFiles::new(program, args, cwd, path_variable, &protected)
        };
        let mut read = files.read;
        let mut write = Vec::new();
        if !is_isolated {
            read.extend(protected.permitted(cwd));
        }
        if request.grants_arguments && !is_discovery {
            write.extend(files.folders);
        }
        write.extend_from_slice(request.write);
        for settings in [&self.settings, request.settings] {
            read.extend_from_slice(&settings.allow_read);
            write.extend_from_slice(&settings.allow_write);
        }
        let without_own = |paths: Vec<PathBuf>| {
            paths.iter().flat_map(|path| protected.without_own(path)).collect()
        };
        let (mut read, mut write): (Vec<_>, Vec<_>) = (without_own(read), without_own(write));
        read.extend(self.home.iter().flat_map(|home| program_folders(home)));
        let private = [&folders.home, &folders.temporary, &folders.packages];
        write.extend(private.into_iter().cloned());
        if request.level == SandboxLevel::Default {
            write.push(PathBuf::from("/dev/shm"));
        }
        SandboxPolicy {
            read,
            write,
            network: self.network(request, env),
            limits: limits(request.level),
        }
    }

    pub(super) fn network(
        &self,
        request: &SandboxRequest<'_>,
        env: &[(OsString, OsString)],
    ) -> NetworkAccess {
        let of_level = match request.level {
            SandboxLevel::Off => NetworkAccess::All,
            SandboxLevel::Default => NetworkAccess::web(),
            SandboxLevel::Strict | SandboxLevel::Discover if request.installs => {
                NetworkAccess::web()
            }
            SandboxLevel::Strict | SandboxLevel::Discover => NetworkAccess::None,
        };
        let configured = request.settings.network.as_ref().or(self.settings.network.as_ref());
        match configured.cloned().unwrap_or(of_level) {
            NetworkAccess::Ports(mut ports) => {
                // The proxy of the user, and not one that an entry names.
                let inherited = env
                    .iter()
                    .filter(|(name, _)| !request.own_variables.iter().any(|own| name == *own));
                ports.extend(inherited.filter_map(|(name, value)| proxy_port(name, value)));
                NetworkAccess::Ports(ports)
            }
            other => other,
        }
    }

    /// Points the variables of the program to its private folders, unless its author has set them.
    fn set_variables(
        &self,
        request: &SandboxRequest<'_>,
        folders: &PrivateFolders,
        policy: &SandboxPolicy,
        env: &mut Vec<(OsString, OsString)>,
    ) {
        let packages = |name: &str| folders.packages.join(name);
        let variables = [
            ("HOME", folders.home.clone()),
            ("TMPDIR", folders.temporary.clone()),
            ("npm_config_cache", packages("npm")),
            ("UV_CACHE_DIR", packages("uv")),
            ("PIP_CACHE_DIR", packages("pip")),
            ("BUN_INSTALL_CACHE_DIR", packages("bun")),
            ("DENO_DIR", packages("deno")),
            ("YARN_CACHE_FOLDER", packages("yarn")),
        ];
        for (name, value) in variables {
            if !request.own_variables.contains(&name) {
                env.retain(|(present, _)| present != name);
                env.push((name.into(), value.into()));
            }
        }
        if let Some(home) = &self.home {
            let granted = policy.read.iter().chain(&policy.write);
            for path in program_folders(home).iter().chain(granted) {
                folders.link(home, path);
            }
        }
    }
}

/// Variables that name the proxy of the user, in either case.
const PROXIES: [&str; 3] = ["all_proxy", "http_proxy", "https_proxy"];

/// The port of a proxy that a variable such as `HTTPS_PROXY` names.
fn proxy_port(name: &OsStr, value: &OsStr) -> Option<u16> {
    let name = name.to_str()?.to_ascii_lowercase();
    let text = value.to_str().filter(|_| PROXIES.contains(&name.as_str()))?;
    let authority = text.split_once("://").map_or(text, |(_, rest)| rest).split('/').next()?;
    authority.rsplit_once(':')?.1.parse().ok()
}

fn limits(level: SandboxLevel) -> ProcessLimits {
    match level {
        SandboxLevel::Off => ProcessLimits { shares_memory: true, ..ProcessLimits::default() },
        SandboxLevel::Default => ProcessLimits {
            memory: None,
            processes: Some(1_024),
            files: None,
            file_size: None,
            cpu_seconds: None,
            shares_memory: true,
        },
        SandboxLevel::Strict => ProcessLimits {
            memory: Some(1_024 * MIB),
            processes: Some(128),
            files: Some(4_096),
            file_size: Some(1_024 * MIB),
            cpu_seconds: None,
            shares_memory: true,
        },
        SandboxLevel::Discover => ProcessLimits {
            memory: Some(MEMORY_AT_DISCOVERY),
            processes: Some(PROCESSES_AT_DISCOVERY.max(32 + cores())),
            files: Some(1_024),
            file_size: Some(512 * MIB),
            cpu_seconds: Some(300),
            shares_memory: false,
        },
    }
}

/// Enough for node and Python to start a server, and less than an attack needs.
const MEMORY_AT_DISCOVERY: u64 = 480 * MIB;
/// Enough for npx and the server that it starts; each node has 11 threads.
const PROCESSES_AT_DISCOVERY: u64 = 56;

/// Some runtimes start a thread for each core.
fn cores() -> u64 {
    std::thread::available_parallelism().map_or(1, |count| count.get() as u64)
}
