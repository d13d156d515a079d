//! Where state and settings live on this machine.

use std::ffi::OsString;
use std::path::PathBuf;

/// The folder for what toolscout itself remembers: `TOOLSCOUT_STATE_DIR`, else `toolscout` in `XDG_STATE_HOME`, else
/// `~/.local/state/toolscout`. `None` where not even a home is known. `env` looks a variable up.
pub fn state_dir(env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    place(env, "TOOLSCOUT_STATE_DIR", "XDG_STATE_HOME", ".local/state")
}

/// The folder for what people set: `TOOLSCOUT_CONFIG_DIR`, else `toolscout` in `XDG_CONFIG_HOME`, else
/// `~/.config/toolscout`. `None` where not even a home is known. `env` looks a variable up.
pub fn config_dir(env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    place(env, "TOOLSCOUT_CONFIG_DIR", "XDG_CONFIG_HOME", ".config")
}

fn place(env: impl Fn(&str) -> Option<OsString>, own: &str, xdg: &str, below_home: &str) -> Option<PathBuf> {
    let path = |name: &str| env(name).filter(|it| !it.is_empty()).map(PathBuf::from);
    // The XDG specification: a relative path there is a mistake, to be passed over.
    let base = |name: &str| path(name).filter(|it| it.is_absolute());
    path(own)
        .or_else(|| Some(base(xdg)?.join("toolscout")))
        .or_else(|| Some(base("HOME")?.join(below_home).join("toolscout")))
}
