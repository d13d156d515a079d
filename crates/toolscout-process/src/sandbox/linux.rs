//! Confines a process with Landlock, seccomp, resource limits and a control group.

mod control_group;
mod files;
mod resources;
mod system_calls;

pub(super) use control_group::ControlGroup;
pub(super) use files::{limits_truncation, supported};
pub(super) use system_calls::is_supported as filters_system_calls;

use super::SandboxPolicy;
use super::bubblewrap::{self, Wrapper};
use landlock::RulesetCreated;
use resources::ResourceLimits;
use rustix::fs::{MemfdFlags, SeekFrom, memfd_create, seek};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::thread::CapabilitySet;
use seccompiler::BpfProgram;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::path::Path;

/// More than the number of capabilities of any kernel.
const MAX_CAPABILITIES: u32 = 64;

/// A policy that a child process can apply to itself between fork and exec.
#[derive(Debug)]
pub struct Confinement {
    files: Option<RulesetCreated>,
    system_calls: Vec<BpfProgram>,
    limits: ResourceLimits,
    group: Option<ControlGroup>,
    /// bubblewrap, if it confines the files.
    wrapper: Option<Wrapper>,
    /// The seccomp filters that bubblewrap reads.
    filters: Vec<OwnedFd>,
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
            wrapper: None,
            filters: Vec::new(),
        })
    }

    /// Prepares a policy that bubblewrap enforces for this program.
    pub fn in_bubblewrap(policy: &SandboxPolicy, program: &Path, cwd: &Path) -> io::Result<Self> {
        let bwrap = bubblewrap::find().ok_or(io::ErrorKind::NotFound)?;
        let group = policy.limits.processes.and_then(ControlGroup::create);
        let filters = system_calls::filters(policy).map_err(io::Error::other)?;
        let filters = filters.iter().map(filter_file).collect::<io::Result<Vec<_>>>()?;
        let numbers: Vec<RawFd> = filters.iter().map(AsRawFd::as_raw_fd).collect();
        let system = files::system_paths();
        Ok(Self {
            files: files::port_ruleset(policy).map_err(io::Error::other)?,
            system_calls: Vec::new(),
            limits: ResourceLimits::new(&policy.limits, group.is_some()),
            group,
            wrapper: Some(Wrapper::new(bwrap, policy, system, program, cwd, &numbers)),
            filters,
        })
    }

    /// The program that runs the confined one.
    pub(crate) fn wrapper(&self) -> Option<&Wrapper> {
        self.wrapper.as_ref()
    }

    /// The form for one child.
    pub(crate) fn for_child(&self) -> io::Result<ChildConfinement> {
        Ok(ChildConfinement {
            files: self.files.as_ref().map(RulesetCreated::try_clone).transpose()?,
            system_calls: self.system_calls.clone(),
            limits: self.limits,
            group: self.group.as_ref().map(ControlGroup::entrance).transpose()?,
            is_wrapped: self.wrapper.is_some(),
            filters: self.filters.iter().map(AsRawFd::as_raw_fd).collect(),
        })
    }
}

/// Applies a [`Confinement`] in the child.
pub(crate) struct ChildConfinement {
    files: Option<RulesetCreated>,
    system_calls: Vec<BpfProgram>,
    limits: ResourceLimits,
    group: Option<File>,
    /// Whether bubblewrap confines the program. It drops the capabilities, which it needs itself.
    is_wrapped: bool,
    /// Files that bubblewrap inherits. They stay open in this process.
    filters: Vec<RawFd>,
}

impl ChildConfinement {
    /// Confines the calling process. Makes only system calls, and allocates no memory.
    pub(crate) fn apply(&mut self) -> io::Result<()> {
        if let Some(group) = &self.group {
            // 0 means the calling process.
            rustix::io::write(group, b"0\n")?;
        }
        self.limits.apply()?;
        if !self.is_wrapped {
            drop_capabilities()?;
        }
        rustix::thread::set_no_new_privs(true)?;
        if let Some(files) = self.files.take() {
            files.restrict_self().map_err(|_| io::Error::from_raw_os_error(libc::EPERM))?;
        }
        for filter in &self.filters {
            inherit(*filter)?;
        }
        for filter in &self.system_calls {
            seccompiler::apply_filter(filter)
                .map_err(|_| io::Error::from_raw_os_error(libc::EPERM))?;
        }
        Ok(())
    }
}

/// A file in memory with a filter as the kernel reads it.
fn filter_file(filter: &BpfProgram) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("filter", MemfdFlags::CLOEXEC)?);
    for step in filter {
        file.write_all(&step.code.to_ne_bytes())?;
        file.write_all(&[step.jt, step.jf])?;
        file.write_all(&step.k.to_ne_bytes())?;
    }
    Ok(file.into())
}

/// Keeps a file open for the next program, which reads it from its beginning.
#[expect(unsafe_code, reason = "the file is known by its number after the fork")]
fn inherit(file: RawFd) -> io::Result<()> {
    // SAFETY: the parent owns the file while it forks, so the child has it under the same number.
    let file = unsafe { BorrowedFd::borrow_raw(file) };
    seek(file, SeekFrom::Start(0))?;
    Ok(fcntl_setfd(file, FdFlags::empty())?)
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
