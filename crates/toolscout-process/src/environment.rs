//! The environment of child processes.

use std::ffi::{OsStr, OsString};
use toolscout_core::SourceError;

/// The nesting depth of toolscout processes that start each other.
pub const DEPTH: &str = "TOOLSCOUT_DEPTH";
/// The maximum depth; more indicates an endless recursion.
pub const DEEPEST: u32 = 8;

/// Variables that every child gets, besides `LC_*`: for files, language and network access.
const PASSED: &[&str] = &[
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
const PASSED_ON_WINDOWS: &[&str] = &[
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
pub fn environment(let_through: &[String]) -> Result<Vec<(OsString, OsString)>, SourceError> {
    chosen(std::env::vars_os(), let_through)
}

/// Like [`environment`], from any environment.
pub fn chosen(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    let_through: &[String],
) -> Result<Vec<(OsString, OsString)>, SourceError> {
    let mut depth = 0;
    let mut out = Vec::new();
    for (name, value) in ours {
        if name == DEPTH {
            depth = value.to_str().and_then(|it| it.parse().ok()).unwrap_or(0);
        } else if is_passed(&name) || let_through.iter().any(|it| name == it.as_str()) {
            out.push((name, value));
        }
    }
    if depth >= DEEPEST {
        return Err(SourceError::Refused {
            reason: format!(
                "toolscouts have started each other {DEEPEST} deep; a tool seems to call itself, so this one is not started"
            ),
        });
    }
    out.push((DEPTH.into(), (depth + 1).to_string().into()));
    Ok(out)
}

/// Whether every child gets this variable.
pub fn is_passed(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    PASSED.contains(&name)
        || name.starts_with("LC_")
        || (cfg!(windows) && PASSED_ON_WINDOWS.iter().any(|it| it.eq_ignore_ascii_case(name)))
}
