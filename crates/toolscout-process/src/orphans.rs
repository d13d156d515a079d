//! Finds processes of servers that have left their group, or whose toolscout process is gone.
//!
//! Each server is started with two marks in its environment, which all its descendants inherit: the
//! run it belongs to, and the toolscout process that owns it. Only Linux permits reading them;
//! other systems rely on process groups alone.

/// The run of a server that a process belongs to.
pub const RUN: &str = "TOOLSCOUT_RUN";
/// The toolscout process that owns it: its process id and its start time.
pub const OWNER: &str = "TOOLSCOUT_OWNER";

/// Kills the servers of toolscout processes that are gone, and their descendants. Returns the
/// number of killed processes.
pub fn end_orphans() -> usize {
    system::end_orphans()
}

/// Kills all remaining processes of one run.
pub fn end_run(run: &str) {
    system::end_run(run);
}

/// The owner mark of this process.
pub fn owner() -> String {
    let number = std::process::id();
    format!("{number}-{}", system::started(number).unwrap_or(0))
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    use std::fs::{self, File};
    use std::io::Read;

    /// A process may fork during the search, so the search is repeated up to this many times.
    const LOOKS: usize = 10;
    /// More bytes than any environment has.
    const ENVIRONMENT: u64 = 4 << 20;

    pub(super) fn end_run(run: &str) {
        let mark = format!("{}={run}", super::RUN);
        for _ in 0..LOOKS {
            if end_where(|environment| {
                environment.split(|it| *it == 0).any(|it| it == mark.as_bytes())
            }) == 0
            {
                return;
            }
            std::thread::yield_now();
        }
    }

    pub(super) fn end_orphans() -> usize {
        end_where(|environment| {
            owner_in(environment)
                .is_some_and(|(number, started)| super::system::started(number) != Some(started))
        })
    }

    fn owner_in(environment: &[u8]) -> Option<(u32, u64)> {
        let mark = format!("{}=", super::OWNER);
        let value =
            environment.split(|it| *it == 0).find_map(|it| it.strip_prefix(mark.as_bytes()))?;
        let (number, started) = std::str::from_utf8(value).ok()?.split_once('-')?;
        Some((number.parse().ok()?, started.parse().ok()?))
    }

    fn end_where(is_meant: impl Fn(&[u8]) -> bool) -> usize {
        let Ok(folder) = fs::read_dir("/proc") else { return 0 };
        let numbers =
            folder.flatten().filter_map(|it| it.file_name().to_str()?.parse::<i32>().ok());
        let ours = namespace("self");
        numbers
            .filter(|it| {
                u32::try_from(*it) != Ok(std::process::id()) && end_if(*it, &ours, &is_meant)
            })
            .count()
    }

    /// Kills the process if it matches. Opens a pidfd before the final check, so that the process
    /// id cannot be reused in between.
    fn end_if(number: i32, ours: &Option<String>, is_meant: impl Fn(&[u8]) -> bool) -> bool {
        let environment = || {
            let mut bytes = Vec::new();
            File::open(format!("/proc/{number}/environ"))
                .ok()?
                .take(ENVIRONMENT)
                .read_to_end(&mut bytes)
                .ok()?;
            Some(bytes)
        };
        // The system refuses access to other users' processes, so they never match.
        if !environment().is_some_and(|it| is_meant(&it)) {
            return false;
        }
        let Some(process) =
            Pid::from_raw(number).and_then(|it| pidfd_open(it, PidfdFlags::empty()).ok())
        else {
            return false;
        };
        // A process in another PID namespace, such as a container, has different process ids, so it
        // is never an orphan of this system.
        let is_here = namespace(&number.to_string()) == *ours;
        is_here
            && environment().is_some_and(|it| is_meant(&it))
            && pidfd_send_signal(process, Signal::KILL).is_ok()
    }

    fn namespace(process: &str) -> Option<String> {
        Some(fs::read_link(format!("/proc/{process}/ns/pid")).ok()?.display().to_string())
    }

    /// The start time of a process, in ticks since boot; `None` if there is no such process.
    pub(super) fn started(number: u32) -> Option<u64> {
        let stat = fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        if matches!(fields.next()?, "Z" | "X") {
            return None;
        }
        fields.nth(18)?.parse().ok()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn end_run(_run: &str) {}

    pub(super) fn end_orphans() -> usize {
        0
    }

    pub(super) fn started(_number: u32) -> Option<u64> {
        None
    }
}
