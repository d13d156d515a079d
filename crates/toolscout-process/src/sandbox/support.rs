//! What this machine can enforce.

use std::sync::OnceLock;

/// The parts of a policy that this machine enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SandboxSupport {
    /// Access to files.
    pub files: bool,
    /// The truncation of files that may only be read; kernels before 6.2 do not.
    pub truncation: bool,
    /// The ports of TCP connections.
    pub ports: bool,
    /// Dangerous system calls, and sockets if there is to be no network.
    pub system_calls: bool,
    /// The number of processes of one server.
    pub processes: bool,
}

impl SandboxSupport {
    /// One line for users.
    pub fn line(&self) -> String {
        let parts = [
            (self.files, "files"),
            (self.ports, "TCP ports"),
            (self.system_calls, "system calls"),
            (self.processes, "processes"),
        ];
        let of = |enforced: bool| {
            let parts = parts.iter().filter(|(part, _)| *part == enforced);
            parts.map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
        };
        let mut missing = of(false);
        if self.files && !self.truncation {
            let separator = if missing.is_empty() { "" } else { ", " };
            missing = format!("truncation of files{separator}{missing}");
        }
        match (of(true), missing) {
            (none, _) if none.is_empty() => "not enforced on this system".to_owned(),
            (all, missing) if missing.is_empty() => format!("enforced: {all}"),
            (some, missing) => format!("enforced: {some}; not enforced: {missing}"),
        }
    }
}

/// What this machine enforces; determined once.
pub fn support() -> SandboxSupport {
    static SUPPORT: OnceLock<SandboxSupport> = OnceLock::new();
    *SUPPORT.get_or_init(detect)
}

#[cfg(target_os = "linux")]
fn detect() -> SandboxSupport {
    let (files, ports) = super::linux::supported();
    SandboxSupport {
        files,
        truncation: super::linux::limits_truncation(),
        ports,
        system_calls: super::linux::filters_system_calls(),
        processes: super::linux::ControlGroup::is_supported(),
    }
}

#[cfg(not(target_os = "linux"))]
fn detect() -> SandboxSupport {
    SandboxSupport::default()
}
