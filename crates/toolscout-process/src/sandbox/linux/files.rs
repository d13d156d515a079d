//! Files, TCP ports and signals: the part of a policy that Landlock enforces.

use super::super::{NetworkAccess, SandboxPolicy};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, NetPort, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};

/// The newest version of Landlock that this code knows; older kernels enforce what they can.
const LANDLOCK: ABI = ABI::V6;

/// What every program needs to start: programs, libraries, and information about the machine.
/// Connections to other processes (`/run`), logs and user data (`/var`) are not among them.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/nix/store",
    "/snap",
    "/gnu/store",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/proc",
];

/// Files of `/etc` without secrets. The folder as a whole holds keys and password hashes.
const SYSTEM_SETTINGS: &[&str] = &[
    "/etc/alternatives",
    "/etc/bash.bashrc",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/crypto-policies",
    "/etc/debian_version",
    "/etc/default/locale",
    "/etc/fonts",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hostname",
    "/etc/hosts",
    "/etc/inputrc",
    "/etc/java",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/locale.conf",
    "/etc/localtime",
    "/etc/lsb-release",
    "/etc/machine-id",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/perl",
    "/etc/php",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/certs",
    "/etc/pki/tls/openssl.cnf",
    "/etc/profile",
    "/etc/profile.d",
    "/etc/protocols",
    "/etc/python3",
    "/etc/resolv.conf",
    "/etc/rpc",
    "/etc/services",
    "/etc/shells",
    "/etc/ssl/cert.pem",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/static",
    "/etc/terminfo",
    "/etc/timezone",
    "/etc/xdg",
];

/// Devices that store nothing and lead nowhere.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// The file rules that the kernel enforces, and whether it also enforces rules for TCP ports.
pub(in super::super) fn supported() -> (bool, bool) {
    let requires = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let files =
        requires().handle_access(AccessFs::from_all(ABI::V1)).and_then(Ruleset::create).is_ok();
    let ports =
        requires().handle_access(AccessNet::from_all(ABI::V4)).and_then(Ruleset::create).is_ok();
    (files, ports)
}

/// Whether the kernel checks the truncation of files, apart from writing to them.
pub(in super::super) fn limits_truncation() -> bool {
    let requires = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    requires().handle_access(AccessFs::Truncate).and_then(Ruleset::create).is_ok()
}

/// The rules of a policy; `None` if the kernel has no Landlock.
pub(super) fn ruleset(policy: &SandboxPolicy) -> Result<Option<RulesetCreated>, RulesetError> {
    let (has_files, _) = supported();
    if !has_files {
        return Ok(None);
    }
    let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(LANDLOCK))?;
    if policy.network != NetworkAccess::All {
        ruleset = ruleset.handle_access(AccessNet::from_all(LANDLOCK))?;
        ruleset = ruleset.scope(Scope::AbstractUnixSocket)?;
    }
    let rules = ruleset
        .scope(Scope::Signal)?
        .create()?
        .add_rules(path_beneath_rules(SYSTEM, reading()))?
        .add_rules(path_beneath_rules(SYSTEM_SETTINGS, reading()))?
        .add_rules(path_beneath_rules(DEVICES, reading() | AccessFs::WriteFile))?
        .add_rules(path_beneath_rules(&policy.read, reading()))?
        .add_rules(path_beneath_rules(&policy.write, reading() | writing()))?;
    let ports = match &policy.network {
        NetworkAccess::Ports(ports) => ports.as_slice(),
        NetworkAccess::None | NetworkAccess::All => &[],
    };
    let ports = ports.iter().map(|port| Ok(NetPort::new(*port, AccessNet::ConnectTcp)));
    rules.add_rules(ports.collect::<Vec<Result<_, RulesetError>>>()).map(Some)
}

/// The rules for TCP ports alone, which leave a program free to mount; `None` if there are none.
pub(super) fn port_ruleset(policy: &SandboxPolicy) -> Result<Option<RulesetCreated>, RulesetError> {
    let (_, has_ports) = supported();
    let NetworkAccess::Ports(ports) = &policy.network else { return Ok(None) };
    if !has_ports {
        return Ok(None);
    }
    let ports = ports.iter().map(|port| Ok(NetPort::new(*port, AccessNet::ConnectTcp)));
    let rules = Ruleset::default().handle_access(AccessNet::from_all(LANDLOCK))?.create()?;
    rules.add_rules(ports.collect::<Vec<Result<_, RulesetError>>>()).map(Some)
}

/// What every program may read.
pub(super) fn system_paths() -> impl Iterator<Item = &'static str> {
    SYSTEM.iter().chain(SYSTEM_SETTINGS).copied()
}

fn reading() -> BitFlags<AccessFs> {
    AccessFs::from_read(LANDLOCK)
}

/// All changes except the creation of devices.
fn writing() -> BitFlags<AccessFs> {
    AccessFs::from_write(LANDLOCK)
        & !(AccessFs::MakeBlock | AccessFs::MakeChar | AccessFs::IoctlDev)
}
