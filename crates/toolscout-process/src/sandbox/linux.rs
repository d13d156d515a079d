//! Confines a process with Landlock, seccomp, resource limits and a control group.

mod control_group;
mod files;
mod resources;
mod system_calls;

pub(super) use control_group::ControlGroup;
pub(super) use files::supported;
pub(super) use system_calls::is_supported as filters_system_calls;

use super::SandboxPolicy;
use landlock::RulesetCreated;
use resources::ResourceLimits;
use rustix::thread::CapabilitySet;
use seccompiler::BpfProgram;
use std::io;

/// More than the number of capabilities of any kernel.
const MAX_CAPABILITIES: u32 = 64;

/// A policy that a child process can apply to itself between fork and exec.
#[derive(Debug)]
pub struct Confinement {
    files: Option<RulesetCreated>,
    system_calls: Vec<BpfProgram>,
    limits: ResourceLimits,
    group: Option<ControlGroup>,
}

impl Confinement {
    /// Prepares a policy. Paths that do not exist are left out.
    pub fn new(policy: &SandboxPolicy) -> io::Result<Self> {
        let group = policy.limits.processes.and_then(ControlGroup::create);
        Ok(Self {
            files: files::ruleset(policy).map_err(io::Error::other)?,
            system_calls: system_calls::filters(policy).map_err(io::Error::other)?,
            limits: ResourceLimits::new(&policy.limits, group.is_some()),
            group,
        })
    }

    /// The form for one child.
    pub(crate) fn for_child(&self) -> io::Result<ChildConfinement> {
        Ok(ChildConfinement {
            files: self.files.as_ref().map(RulesetCreated::try_clone).transpose()?,
            system_calls: self.system_calls.clone(),
            limits: self.limits,
            group: self.group.as_ref().map(ControlGroup::entrance).transpose()?,
        })
    }
}

/// Applies a [`Confinement`] in the child.
pub(crate) struct ChildConfinement {
    files: Option<RulesetCreated>,
    system_calls: Vec<BpfProgram>,
    limits: ResourceLimits,
    group: Option<std::fs::File>,
}

impl ChildConfinement {
    /// Confines the calling process. Makes only system calls, and allocates no memory.
    pub(crate) fn apply(&mut self) -> io::Result<()> {
        if let Some(group) = &self.group {
            // 0 means the calling process.
            rustix::io::write(group, b"0\n")?;
        }
        self.limits.apply()?;
        drop_capabilities()?;
        rustix::thread::set_no_new_privs(true)?;
        if let Some(files) = self.files.take() {
            files.restrict_self().map_err(|_| io::Error::from_raw_os_error(libc::EPERM))?;
        }
        for filter in &self.system_calls {
            seccompiler::apply_filter(filter)
                .map_err(|_| io::Error::from_raw_os_error(libc::EPERM))?;
        }
        Ok(())
    }
}

/// Gives up all capabilities, so that a process of root has no more rights than its files.
fn drop_capabilities() -> io::Result<()> {
    for number in 0..MAX_CAPABILITIES {
        let capability = CapabilitySet::from_bits_retain(1 << number);
        // Fails without capabilities, and for numbers that the kernel does not know.
        let _ = rustix::thread::remove_capability_from_bounding_set(capability);
    }
    let _ = rustix::thread::clear_ambient_capability_set();
    let none = CapabilitySet::empty();
    let sets =
        rustix::thread::CapabilitySets { effective: none, permitted: none, inheritable: none };
    Ok(rustix::thread::set_capabilities(None, sets)?)
}
