//! Whether this process was started by a tool or a server that toolscout runs.
//!
//! Two signs are checked. Every child has a mark in its environment, which a child can remove. On
//! Linux the ancestors of this process are compared with our program, which a child cannot change.
//! A process whose parents have ended, and that has removed its mark, has neither: only a sandbox
//! stops that one.

use crate::environment::DEPTH;
use crate::orphans::{OWNER_VARIABLE, RUN_VARIABLE};
use std::fmt;

/// The variables that toolscout sets for its children.
const MARKS: [&str; 3] = [DEPTH, RUN_VARIABLE, OWNER_VARIABLE];

/// The sign that a process was started by a tool or a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolParent {
    /// This variable, which toolscout sets for its children.
    Mark(&'static str),
    /// An ancestor that is toolscout itself, by its process id. toolscout starts only tools,
    /// servers and helpers; it starts no shell for a person.
    Process(u32),
}

/// The sign that this process was started by a tool or a server; `None` if there is none.
pub fn tool_parent() -> Option<ToolParent> {
    let mark = MARKS.into_iter().find(|name| std::env::var_os(name).is_some());
    mark.map(ToolParent::Mark)
        .or_else(|| system::toolscout_ancestor("self").map(ToolParent::Process))
}

/// The sign that another process of this user was started by a tool or a server.
pub fn tool_parent_of(pid: u32) -> Option<ToolParent> {
    system::mark_of(pid)
        .map(ToolParent::Mark)
        .or_else(|| system::toolscout_ancestor(&pid.to_string()).map(ToolParent::Process))
}

/// Whether a process runs exactly this program. A server can choose any name for its own.
pub fn runs_this_program(pid: u32) -> bool {
    system::runs_this_program(&pid.to_string())
}

impl fmt::Display for ToolParent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mark(name) => write!(f, "the variable {name} is set"),
            Self::Process(pid) => write!(f, "process {pid} is toolscout"),
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    /// More ancestors than any process has.
    const MAX_ANCESTORS: usize = 1_000;
    /// The name of our program. It also recognizes another version, or a copy.
    const PROGRAM: &str = "toolscout";

    /// The nearest ancestor of a process that runs our program.
    pub(super) fn toolscout_ancestor(process: &str) -> Option<u32> {
        let mut pid = parent(process)?;
        for _ in 0..MAX_ANCESTORS {
            // Process 1 has no parent that matters, and process 0 is outside of this namespace.
            if pid <= 1 {
                return None;
            }
            let name = pid.to_string();
            if is_toolscout(&name) {
                return Some(pid);
            }
            pid = parent(&name)?;
        }
        None
    }

    /// The mark in the environment that a process was started with.
    pub(super) fn mark_of(pid: u32) -> Option<&'static str> {
        let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
        let has = |name: &&str| {
            let mut variables = environment.split(|byte| *byte == 0);
            variables.any(|variable| {
                variable.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b"="))
            })
        };
        super::MARKS.into_iter().find(has)
    }

    pub(super) fn runs_this_program(process: &str) -> bool {
        let own = file_id("self");
        own.is_some() && file_id(process) == own
    }

    fn is_toolscout(process: &str) -> bool {
        if runs_this_program(process) {
            return true;
        }
        match fs::read_link(format!("/proc/{process}/exe")) {
            Ok(program) => is_named_toolscout(&program),
            // Another user's process: its name can be read all the same.
            Err(_) => fs::read_to_string(format!("/proc/{process}/comm"))
                .is_ok_and(|name| name.trim_end() == PROGRAM),
        }
    }

    /// Whether this is our program. The link of a replaced program ends with ` (deleted)`.
    fn is_named_toolscout(program: &Path) -> bool {
        let name = program.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.strip_suffix(" (deleted)").unwrap_or(name) == PROGRAM
    }

    /// Identifies the program that a process runs.
    fn file_id(process: &str) -> Option<(u64, u64)> {
        let program = fs::metadata(format!("/proc/{process}/exe")).ok()?;
        Some((program.dev(), program.ino()))
    }

    fn parent(process: &str) -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
        // The name of the program is in parentheses, and may contain any character.
        stat.rsplit_once(") ")?.1.split(' ').nth(1)?.parse().ok()
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    /// Other systems do not show the programs of ancestors: there the mark decides.
    pub(super) fn toolscout_ancestor(_process: &str) -> Option<u32> {
        None
    }

    pub(super) fn mark_of(_pid: u32) -> Option<&'static str> {
        None
    }

    pub(super) fn runs_this_program(_process: &str) -> bool {
        false
    }
}
