//! Kills the process groups of servers if this process is killed and cannot clean up itself.
//!
//! The guard is one small shell per toolscout process, in its own session, started with the first
//! server. It reads the process groups from a pipe. However toolscout ends, the system closes the
//! pipe, and the shell kills the groups that are still on its list. This includes grandchildren,
//! and works on systems without a parent-death signal.

/// Starts the guard, so that later it only receives groups.
#[cfg(unix)]
pub fn prepare() {
    shell::lock().prepare();
}

/// Adds a group, which the guard kills when this process ends.
#[cfg(unix)]
pub fn watch(group: i32) {
    shell::lock().watch(group);
}

/// Removes a group that has ended.
#[cfg(unix)]
pub fn forget(group: i32) {
    shell::lock().forget(group);
}

#[cfg(not(unix))]
pub fn prepare() {}

#[cfg(not(unix))]
pub fn watch(_group: i32) {}

#[cfg(not(unix))]
pub fn forget(_group: i32) {}

#[cfg(unix)]
mod shell {
    use crate::spawn::spawn_detached;
    use parking_lot::{Mutex, MutexGuard};
    use std::collections::BTreeSet;
    use std::io::{self, Write};
    use std::process::{Child, Command, Stdio};

    /// Reads lines such as `+ 12` and `- 12`; process group ids are its only input.
    const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
groups=
while read -r sign number; do
    case $sign in
        +) groups="$groups $number" ;;
        -)
            kept=
            for it in $groups; do
                [ "$it" = "$number" ] || kept="$kept $it"
            done
            groups=$kept
            ;;
    esac
done
for it in $groups; do
    kill -s KILL -- "-$it"
done
"#;

    static GUARD: Mutex<GroupGuard> =
        Mutex::new(GroupGuard { groups: BTreeSet::new(), shell: None });

    pub(super) struct GroupGuard {
        groups: BTreeSet<i32>,
        shell: Option<Child>,
    }

    pub(super) fn lock() -> MutexGuard<'static, GroupGuard> {
        GUARD.lock()
    }

    impl GroupGuard {
        pub(super) fn prepare(&mut self) {
            if self.shell.is_none() {
                self.restart();
            }
        }

        pub(super) fn watch(&mut self, group: i32) {
            self.groups.insert(group);
            if self.send(&format!("+ {group}\n")).is_err() {
                self.restart();
            }
        }

        pub(super) fn forget(&mut self, group: i32) {
            if self.groups.remove(&group)
                && self.send(&format!("- {group}\n")).is_err()
                && !self.groups.is_empty()
            {
                self.restart();
            }
        }

        fn send(&mut self, line: &str) -> io::Result<()> {
            let pipe = self.shell.as_mut().and_then(|shell| shell.stdin.as_mut());
            pipe.ok_or(io::ErrorKind::NotConnected)?.write_all(line.as_bytes())
        }

        /// Starts the guard if there is none or it was killed. Without a guard, groups still end
        /// when their servers are dropped.
        fn restart(&mut self) {
            if let Some(mut dead) = self.shell.take() {
                let _ = dead.kill();
                let _ = dead.wait();
            }
            self.shell = start()
                .inspect_err(|err| {
                    tracing::debug!("cannot start the guard of the server processes: {err}")
                })
                .ok();
            let lines: String = self.groups.iter().map(|group| format!("+ {group}\n")).collect();
            let _ = self.send(&lines);
        }
    }

    fn start() -> io::Result<Child> {
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", SCRIPT, "toolscout-guard"])
            .current_dir("/")
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        spawn_detached(&mut command)
    }
}
