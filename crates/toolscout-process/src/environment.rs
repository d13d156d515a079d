//! The environment of child processes.

use std::ffi::{OsStr, OsString};
use toolscout_core::SourceError;

/// Counts how deep toolscouts have started each other.
pub const DEPTH: &str = "TOOLSCOUT_DEPTH";
/// Deeper than this, something goes round in circles.
pub const DEEPEST: u32 = 8;

/// Always passed on, besides `LC_*`: what programs need to find files, speak a language and reach the network.
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

/// Without these, hardly any program starts there.
const PASSED_ON_WINDOWS: &[&str] =
    &["SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP"];

/// What a child sees of this process's environment: a few names, those its author let through, and how deep it is.
pub fn environment(let_through: &[String]) -> Result<Vec<(OsString, OsString)>, SourceError> {
    chosen(std::env::vars_os(), let_through)
}

/// As [`environment`], of any environment.
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

/// Whether every child sees this variable.
pub fn is_passed(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else { return false };
    PASSED.contains(&name)
        || name.starts_with("LC_")
        || (cfg!(windows) && PASSED_ON_WINDOWS.iter().any(|it| it.eq_ignore_ascii_case(name)))
}
