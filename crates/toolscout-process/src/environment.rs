//! The environment of child processes.

use std::ffi::{OsStr, OsString};
use toolscout_core::SourceError;

/// The nesting depth of toolscout processes that start each other.
pub const DEPTH: &str = "TOOLSCOUT_DEPTH";
/// The maximum depth; more indicates an endless recursion.
pub const MAX_DEPTH: u32 = 8;

/// Variables that every child gets, besides `LC_*`: for files, language and network access.
const DEFAULT_VARIABLES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "TZ",
    "TMPDIR",
    "TERM",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "all_proxy",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
];

/// Hardly any program starts on Windows without these.
const WINDOWS_VARIABLES: &[&str] = &[
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "COMSPEC",
    "PATHEXT",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "TEMP",
    "TMP",
];

/// The environment of a child: the default variables, those its author permits, and the depth.
pub fn environment(allowed: &[String]) -> Result<Vec<(OsString, OsString)>, SourceError> {
    from_vars(std::env::vars_os(), allowed)
}

/// Like [`environment`], from any environment.
pub fn from_vars(
    vars: impl IntoIterator<Item = (OsString, OsString)>,
    allowed: &[String],
) -> Result<Vec<(OsString, OsString)>, SourceError> {
    let mut depth = 0;
    let mut out = Vec::new();
    for (name, value) in vars {
        if name == DEPTH {
            depth = value.to_str().and_then(|value| value.parse().ok()).unwrap_or(0);
        } else if is_passed(&name) || allowed.iter().any(|variable| name == variable.as_str()) {
            out.push((name, value));
        }
    }
    if depth >= MAX_DEPTH {
        return Err(SourceError::Refused {
            reason: format!(
                "toolscout processes have started each other {MAX_DEPTH} levels deep; a tool seems to call itself, so this one was not started"
            ),
        });
    }
    out.push((DEPTH.into(), (depth + 1).to_string().into()));
    Ok(out)
}

/// Whether every child gets this variable.
pub fn is_passed(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    DEFAULT_VARIABLES.contains(&name)
        || name.starts_with("LC_")
        || (cfg!(windows)
            && WINDOWS_VARIABLES.iter().any(|variable| variable.eq_ignore_ascii_case(name)))
}
