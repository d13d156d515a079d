//! The sandbox: what a child process may read, write and connect to, and how much it may use.
//!
//! A [`SandboxPolicy`] is plain data. [`Confinement`] is the policy in a form that the child can
//! apply between fork and exec with system calls alone. Everything that is denied stays denied for
//! all descendants of the child, also if it runs as root.

#[cfg(target_os = "linux")]
mod bubblewrap;
mod denials;
mod folders;
mod grants;
mod plan;
mod support;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(all(test, target_os = "linux"))]
mod tests;

pub use denials::Denial;
pub use folders::PrivateFolders;
pub use plan::{SandboxHost, SandboxPlan, SandboxRequest, SandboxSettings};
pub use support::{SandboxSupport, support};

#[cfg(target_os = "linux")]
pub use linux::Confinement;

use std::path::PathBuf;

/// How strictly a child process is confined. A later level is stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum SandboxLevel {
    /// Not at all.
    Off,
    /// A private home, the granted folders, and the ports of web servers.
    #[default]
    Default,
    /// As `Default`, without network and with lower limits.
    Strict,
    /// The level for code that no operator has reviewed: as `Strict`, for a short time.
    Discover,
}

impl SandboxLevel {
    /// The levels that a configuration may name.
    pub const CONFIGURABLE: [(&str, Self); 3] =
        [("default", Self::Default), ("strict", Self::Strict), ("off", Self::Off)];

    /// The word for it in configurations and output.
    pub fn word(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Default => "default",
            Self::Strict => "strict",
            Self::Discover => "discover",
        }
    }

    /// The level of this name, if a configuration may use it.
    pub fn parse(word: &str) -> Option<Self> {
        Self::CONFIGURABLE.iter().find(|(name, _)| *name == word).map(|(_, level)| *level)
    }
}

/// What confines a child process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SandboxRunner {
    /// The kernel: Landlock, seccomp and a control group.
    #[default]
    Kernel,
    /// bubblewrap, with namespaces and seccomp.
    Bubblewrap,
}

impl SandboxRunner {
    /// The runners that a configuration may name.
    pub const CONFIGURABLE: [(&str, Self); 2] =
        [("kernel", Self::Kernel), ("bwrap", Self::Bubblewrap)];

    /// The runner of this name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::CONFIGURABLE.iter().find(|(name, _)| *name == word).map(|(_, runner)| *runner)
    }

    /// Why it cannot run here, if it cannot.
    pub fn missing(self) -> Option<&'static str> {
        match self {
            Self::Kernel => None,
            #[cfg(target_os = "linux")]
            Self::Bubblewrap if bubblewrap::find().is_some() => None,
            Self::Bubblewrap => Some(
                "`bwrap` is not installed in /usr/bin; install bubblewrap, or remove `runner` from \
                 `[sandbox]`",
            ),
        }
    }
}

/// The network that a child process may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetworkAccess {
    /// No sockets.
    None,
    /// Outgoing TCP connections to these ports, and name resolution.
    Ports(Vec<u16>),
    /// Everything, with Unix sockets and listening.
    All,
}

impl NetworkAccess {
    /// The ports of web servers, and that of name servers.
    pub const WEB: [u16; 3] = [53, 80, 443];

    /// Outgoing connections to web servers.
    pub fn web() -> Self {
        Self::Ports(Self::WEB.to_vec())
    }

    /// Its form in a configuration: `none`, `web`, `all`, or the ports.
    pub fn words(&self) -> String {
        match self {
            Self::None => "none".to_owned(),
            Self::All => "all".to_owned(),
            Self::Ports(ports) if ports == &Self::WEB => "web".to_owned(),
            Self::Ports(ports) => ports.iter().map(u16::to_string).collect::<Vec<_>>().join(","),
        }
    }

    /// Parses the form that [`Self::words`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "none" => Some(Self::None),
            "web" => Some(Self::web()),
            "all" => Some(Self::All),
            ports => {
                let ports: Result<Vec<u16>, _> =
                    ports.split(',').map(|port| port.trim().parse()).collect();
                ports.ok().filter(|ports| !ports.contains(&0)).map(Self::Ports)
            }
        }
    }
}

/// What a child process may reach and use, besides the files of the system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxPolicy {
    /// Files and folders to read and execute.
    pub read: Vec<PathBuf>,
    /// Files and folders to read, write and execute.
    pub write: Vec<PathBuf>,
    pub network: NetworkAccess,
    pub limits: ProcessLimits,
}

/// Limits of resources; `None` keeps the limit of this process.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProcessLimits {
    /// Bytes of private memory for each process.
    pub memory: Option<u64>,
    /// Processes and threads of the child and all its descendants.
    pub processes: Option<u64>,
    /// Open files of each process.
    pub files: Option<u64>,
    /// Bytes of each written file.
    pub file_size: Option<u64>,
    /// Seconds of CPU time of each process.
    pub cpu_seconds: Option<u64>,
    /// Whether memory may be shared between processes; the limit of memory does not count it.
    pub shares_memory: bool,
}

/// On other systems nothing is confined; see [`support`].
#[cfg(not(target_os = "linux"))]
#[derive(Debug)]
pub struct Confinement(());

#[cfg(not(target_os = "linux"))]
impl Confinement {
    pub fn new(_policy: &SandboxPolicy) -> std::io::Result<Self> {
        Ok(Self(()))
    }

    pub fn in_bubblewrap(
        policy: &SandboxPolicy,
        _program: &std::path::Path,
        _cwd: &std::path::Path,
    ) -> std::io::Result<Self> {
        Self::new(policy)
    }
}
