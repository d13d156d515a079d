//! Finds processes of servers that have left their group, or whose toolscout process is gone.
//!
//! Each server is started with two marks in its environment, which all its descendants inherit: the
//! run it belongs to, and the toolscout process that owns it. Only Linux permits reading them;
//! other systems rely on process groups alone.

/// The run of a server that a process belongs to.
pub const RUN_VARIABLE: &str = "TOOLSCOUT_RUN";
/// The toolscout process that owns it: its process id and its start time.
pub const OWNER_VARIABLE: &str = "TOOLSCOUT_OWNER";

/// Kills the servers of toolscout processes that are gone, and their descendants. Returns the
/// number of killed processes.
pub fn kill_orphans() -> usize {
    system::kill_orphans()
}

/// Kills all remaining processes of one run.
pub fn kill_run(run: &str) {
    system::kill_run(run);
}

/// The owner mark of this process.
pub fn owner_mark() -> String {
    let pid = std::process::id();
    format!("{pid}-{}", system::start_time(pid).unwrap_or(0))
}

/// Whether the toolscout process with this mark still runs; unknown marks count as running.
pub fn is_alive(mark: &str) -> bool {
    let Some((pid, start_time)) = mark.split_once('-') else { return true };
    match (pid.parse(), start_time.parse::<u64>()) {
        (Ok(pid), Ok(start_time)) => system::start_time(pid).unwrap_or(0) == start_time,
        _ => true,
    }
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    use std::fs::{self, File};
    use std::io::Read;

    /// A process may fork during the search, so the search is repeated up to this many times.
    const MAX_PASSES: usize = 10;
    /// More bytes than any environment has.
    const MAX_ENVIRONMENT: u64 = 4 << 20;

    pub(super) fn kill_run(run: &str) {
        let mark = format!("{}={run}", super::RUN_VARIABLE);
        for _ in 0..MAX_PASSES {
            if kill_matching(|environment| {
                environment.split(|byte| *byte == 0).any(|part| part == mark.as_bytes())
            }) == 0
            {
                return;
            }
            std::thread::yield_now();
        }
    }

    pub(super) fn kill_orphans() -> usize {
        let name = format!("{}=", super::OWNER_VARIABLE);
        kill_matching(|environment| {
            let owner = environment
                .split(|byte| *byte == 0)
                .find_map(|variable| variable.strip_prefix(name.as_bytes()))
                .and_then(|owner| std::str::from_utf8(owner).ok());
            owner.is_some_and(|owner| !super::is_alive(owner))
        })
    }

    fn kill_matching(is_matching: impl Fn(&[u8]) -> bool) -> usize {
        let Ok(proc_dir) = fs::read_dir("/proc") else { return 0 };
        let pids =
            proc_dir.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        let own_namespace = namespace("self");
        pids.filter(|pid| {
            u32::try_from(*pid) != Ok(std::process::id())
                && kill_if_matching(*pid, &own_namespace, &is_matching)
        })
        .count()
    }

    /// Kills the process if it matches. Opens a pidfd before the final check, so that the process
    /// id cannot be reused in between.
    fn kill_if_matching(
        pid: i32,
        own_namespace: &Option<String>,
        is_matching: impl Fn(&[u8]) -> bool,
    ) -> bool {
        let environment = || {
            let mut bytes = Vec::new();
            File::open(format!("/proc/{pid}/environ"))
                .ok()?
                .take(MAX_ENVIRONMENT)
                .read_to_end(&mut bytes)
                .ok()?;
            Some(bytes)
        };
        // The system refuses access to other users' processes, so they never match.
        if !environment().is_some_and(|environment| is_matching(&environment)) {
            return false;
        }
        let Some(process) =
            Pid::from_raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok())
        else {
            return false;
        };
        // A process in another PID namespace, such as a container, has different process ids, so it
        // is never an orphan of this system.
        let is_same_namespace = namespace(&pid.to_string()) == *own_namespace;
        is_same_namespace
            && environment().is_some_and(|environment| is_matching(&environment))
            && pidfd_send_signal(process, Signal::KILL).is_ok()
    }

    fn namespace(process: &str) -> Option<String> {
        Some(fs::read_link(format!("/proc/{process}/ns/pid")).ok()?.display().to_string())
    }

    /// The start time of a process, in ticks since boot; `None` if there is no such process.
    pub(super) fn start_time(pid: u32) -> Option<u64> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        if matches!(fields.next()?, "Z" | "X") {
            return None;
        }
        fields.nth(18)?.parse().ok()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn kill_run(_run: &str) {}

    pub(super) fn kill_orphans() -> usize {
        0
    }

    pub(super) fn start_time(_number: u32) -> Option<u64> {
        None
    }
}
