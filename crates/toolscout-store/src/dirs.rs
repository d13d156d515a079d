//! The folders of state and settings on this machine.

use std::ffi::OsString;
use std::path::PathBuf;

/// The folder for toolscout's own state: `TOOLSCOUT_STATE_DIR`, else `toolscout` in
/// `XDG_STATE_HOME`, else `~/.local/state/toolscout`. `None` if there is no home either. `env`
/// looks up a variable.
pub fn state_dir(env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    resolve_dir(env, "TOOLSCOUT_STATE_DIR", "XDG_STATE_HOME", ".local/state")
}

/// The folder for the user's settings: `TOOLSCOUT_CONFIG_DIR`, else `toolscout` in
/// `XDG_CONFIG_HOME`, else `~/.config/toolscout`. `None` if there is no home either. `env` looks up
/// a variable.
pub fn config_dir(env: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    resolve_dir(env, "TOOLSCOUT_CONFIG_DIR", "XDG_CONFIG_HOME", ".config")
}

fn resolve_dir(
    env: impl Fn(&str) -> Option<OsString>,
    own: &str,
    xdg: &str,
    below_home: &str,
) -> Option<PathBuf> {
    let path = |name: &str| env(name).filter(|env| !env.is_empty()).map(PathBuf::from);
    // The XDG specification requires to ignore a relative path.
    let base = |name: &str| path(name).filter(|path| path.is_absolute());
    path(own)
        .or_else(|| Some(base(xdg)?.join("toolscout")))
        .or_else(|| Some(base("HOME")?.join(below_home).join("toolscout")))
}
