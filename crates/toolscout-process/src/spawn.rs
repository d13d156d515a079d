//! Spawns processes: process groups, signals and inherited files. Contains the only unsafe code of
//! the crate.

use crate::sandbox::Confinement;
use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::Stdio;
#[cfg(unix)]
use std::sync::atomic::{AtomicI32, Ordering};
use tokio::process::{Child, Command};

/// The parameters of a program start.
#[derive(Debug, Clone, Copy)]
pub struct SpawnRequest<'a> {
    /// The absolute path of the program.
    pub program: &'a Path,
    pub args: &'a [OsString],
    pub cwd: &'a Path,
    /// The complete environment.
    pub env: &'a [(OsString, OsString)],
    /// Whether its stdin is a pipe.
    pub has_stdin: bool,
    /// The sandbox of the program, if it has one.
    pub confinement: Option<&'a Confinement>,
}

/// Starts the program in its own process group, with nothing inherited but its three standard
/// files.
pub fn spawn(request: SpawnRequest<'_>) -> io::Result<Child> {
    #[cfg(target_os = "linux")]
    let wrapper = request.confinement.and_then(Confinement::wrapper);
    #[cfg(target_os = "linux")]
    let mut command = match wrapper {
        Some(wrapper) => {
            let mut command = Command::new(&wrapper.program);
            command.args(&wrapper.args).arg(request.program);
            command
        }
        None => Command::new(request.program),
    };
    #[cfg(not(target_os = "linux"))]
    let mut command = Command::new(request.program);
    command
        .args(request.args)
        .current_dir(request.cwd)
        .env_clear()
        .envs(request.env.iter().map(|(name, value)| (name, value)))
        .stdin(if request.has_stdin { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    prepare(&mut command, request.confinement)?;
    command.spawn()
}

/// Makes the memory, the environment and the open files of this process unreadable for other
/// processes of the same user.
pub fn hide_from_children() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        // A kernel without this feature leaves the process unprotected.
        let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
    }
}

/// Starts a program that outlives this process: in its own session, detached from the terminal and
/// from signals to this process group.
#[cfg(unix)]
#[expect(unsafe_code, reason = "`pre_exec` is unsafe")]
pub fn spawn_detached(command: &mut std::process::Command) -> io::Result<std::process::Child> {
    use std::os::unix::process::CommandExt;
    let fd_limit = fd_limit();
    // SAFETY: the closure runs between fork and exec and makes only system calls; it takes no lock
    // and allocates no memory.
    unsafe {
        command.pre_exec(move || {
            rustix::process::setsid()?;
            close_on_exec(fd_limit);
            Ok(())
        });
    }
    command.spawn()
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "`pre_exec` is unsafe")]
fn prepare(command: &mut Command, confinement: Option<&Confinement>) -> io::Result<()> {
    command.process_group(0);
    let parent = rustix::process::getpid();
    let fd_limit = fd_limit();
    #[cfg(target_os = "linux")]
    let mut confinement = confinement.map(Confinement::for_child).transpose()?;
    #[cfg(not(target_os = "linux"))]
    let _ = confinement;
    // SAFETY: the closure runs between fork and exec and makes only system calls; it takes no lock
    // and allocates no memory.
    unsafe {
        command.pre_exec(move || {
            die_with_parent(parent)?;
            close_on_exec(fd_limit);
            #[cfg(target_os = "linux")]
            if let Some(confinement) = &mut confinement {
                confinement.apply()?;
            }
            Ok(())
        });
    }
    Ok(())
}

#[cfg(not(unix))]
fn prepare(_command: &mut Command, _confinement: Option<&Confinement>) -> io::Result<()> {
    Ok(())
}

/// Makes the kernel kill the child when the thread that started it is gone for any reason.
#[cfg(target_os = "linux")]
fn die_with_parent(parent: rustix::process::Pid) -> io::Result<()> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
    // The parent may have died before the call above; then the signal would never be sent.
    if rustix::process::getppid() != Some(parent) {
        return Err(io::Error::from_raw_os_error(libc::ESRCH));
    }
    Ok(())
}

#[cfg(all(unix, not(target_os = "linux")))]
fn die_with_parent(_parent: rustix::process::Pid) -> io::Result<()> {
    Ok(())
}

/// Marks every file but the standard three as close-on-exec. Closing them here would also close the
/// pipe that reports a failed exec.
#[cfg(unix)]
#[expect(unsafe_code, reason = "descriptors of other code are known only by number")]
fn close_on_exec(fd_limit: i32) {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: the arguments and the result are plain integers; the files stay open until exec.
        let result = unsafe {
            libc::syscall(libc::SYS_close_range, 3u32, u32::MAX, libc::CLOSE_RANGE_CLOEXEC)
        };
        if result == 0 {
            return;
        }
    }
    for fd in 3..fd_limit {
        // SAFETY: as above; an unused file descriptor causes an error that changes nothing.
        unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
    }
}

/// One more than the highest file descriptor to close, if the kernel cannot do it in one step.
#[cfg(unix)]
fn fd_limit() -> i32 {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    limit.unwrap_or(u64::MAX).min(65_536).try_into().unwrap_or(65_536)
}

/// The process group of a child. Dropping it kills all its processes.
#[derive(Debug)]
pub struct ProcessGroup {
    /// The process group id; 0 if no process is left.
    #[cfg(unix)]
    leader: AtomicI32,
}

#[cfg(unix)]
impl ProcessGroup {
    pub fn new(child: &Child) -> Self {
        let pid = child.id().and_then(|pid| i32::try_from(pid).ok());
        Self { leader: AtomicI32::new(pid.unwrap_or(0)) }
    }

    /// The process group id, while the group has members.
    pub fn id(&self) -> Option<i32> {
        self.leader().map(rustix::process::Pid::as_raw_pid)
    }

    /// Sends SIGTERM to all members.
    pub fn terminate(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    /// Sends SIGKILL to all members.
    pub fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    /// Records that the leader has been reaped. Its id stays reserved while the group has members.
    /// Without any, the id may be reused, so the group is cleared.
    pub fn leader_reaped(&self) {
        if self
            .leader()
            .is_some_and(|leader| rustix::process::test_kill_process_group(leader).is_err())
        {
            self.leader.store(0, Ordering::Relaxed);
        }
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(leader) = self.leader() {
            let _ = rustix::process::kill_process_group(leader, signal);
        }
    }

    fn leader(&self) -> Option<rustix::process::Pid> {
        rustix::process::Pid::from_raw(self.leader.load(Ordering::Relaxed))
    }
}

/// Without process groups, only the child is killed, by its own drop.
#[cfg(not(unix))]
impl ProcessGroup {
    pub fn new(_child: &Child) -> Self {
        Self {}
    }

    pub fn id(&self) -> Option<i32> {
        None
    }

    pub fn terminate(&self) {}

    pub fn kill(&self) {}

    pub fn leader_reaped(&self) {}
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}
