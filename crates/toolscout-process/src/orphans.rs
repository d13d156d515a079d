//! Finds processes of servers that have left their group, or whose toolscout is gone.
//!
//! Each server is started with two marks in its environment, which all it starts inherit: which run it is of, and which
//! toolscout it belongs to. Only Linux lets us read them back; elsewhere the groups have to do.

/// Which run of a server a process is of.
pub const RUN: &str = "TOOLSCOUT_RUN";
/// Which toolscout it belongs to: its process number, and when that was started.
pub const OWNER: &str = "TOOLSCOUT_OWNER";

/// Ends the servers of toolscout processes that are gone, and their children. Returns how many processes that were.
pub fn end_orphans() -> usize {
    system::end_orphans()
}

/// Ends all that is left of one run.
pub fn end_run(run: &str) {
    system::end_run(run);
}

/// The mark of this process.
pub fn owner() -> String {
    let number = std::process::id();
    format!("{number}-{}", system::started(number).unwrap_or(0))
}

#[cfg(target_os = "linux")]
mod system {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
    use std::fs::{self, File};
    use std::io::Read;

    /// Somebody may start another process while we look; after so many looks we let it be.
    const LOOKS: usize = 10;
    /// More than any environment holds.
    const ENVIRONMENT: u64 = 4 << 20;

    pub(super) fn end_run(run: &str) {
        let mark = format!("{}={run}", super::RUN);
        for _ in 0..LOOKS {
            if end_where(|environment| environment.split(|it| *it == 0).any(|it| it == mark.as_bytes())) == 0 {
                return;
            }
            std::thread::yield_now();
        }
    }

    pub(super) fn end_orphans() -> usize {
        end_where(|environment| {
            owner_in(environment).is_some_and(|(number, started)| super::system::started(number) != Some(started))
        })
    }

    fn owner_in(environment: &[u8]) -> Option<(u32, u64)> {
        let mark = format!("{}=", super::OWNER);
        let value = environment.split(|it| *it == 0).find_map(|it| it.strip_prefix(mark.as_bytes()))?;
        let (number, started) = std::str::from_utf8(value).ok()?.split_once('-')?;
        Some((number.parse().ok()?, started.parse().ok()?))
    }

    fn end_where(is_meant: impl Fn(&[u8]) -> bool) -> usize {
        let Ok(folder) = fs::read_dir("/proc") else { return 0 };
        let numbers = folder.flatten().filter_map(|it| it.file_name().to_str()?.parse::<i32>().ok());
        let ours = namespace("self");
        numbers.filter(|it| u32::try_from(*it) != Ok(std::process::id()) && end_if(*it, &ours, &is_meant)).count()
    }

    /// Holds on to the process before looking at it, so that its number cannot become another's in between.
    fn end_if(number: i32, ours: &Option<String>, is_meant: impl Fn(&[u8]) -> bool) -> bool {
        let environment = || {
            let mut bytes = Vec::new();
            File::open(format!("/proc/{number}/environ")).ok()?.take(ENVIRONMENT).read_to_end(&mut bytes).ok()?;
            Some(bytes)
        };
        // Opening is refused for other people's processes; their numbers are not even looked at twice.
        if !environment().is_some_and(|it| is_meant(&it)) {
            return false;
        }
        let Some(process) = Pid::from_raw(number).and_then(|it| pidfd_open(it, PidfdFlags::empty()).ok()) else {
            return false;
        };
        // In a container, process ids mean something else: no process there is our orphan.
        let is_here = namespace(&number.to_string()) == *ours;
        is_here && environment().is_some_and(|it| is_meant(&it)) && pidfd_send_signal(process, Signal::KILL).is_ok()
    }

    fn namespace(process: &str) -> Option<String> {
        Some(fs::read_link(format!("/proc/{process}/ns/pid")).ok()?.display().to_string())
    }

    /// When a process was started, in ticks since the system was; none if there is no such process.
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
