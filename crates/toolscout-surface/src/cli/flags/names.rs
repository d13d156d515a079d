//! Flag names from property names, which may be any text.

use std::borrow::Cow;
use toolscout_core::escape;

/// The flag for a path of properties. Characters that cannot be typed in a flag become a dash.
pub(super) fn flag(path: &[String], separator: &str) -> String {
    let joined = path.join(separator);
    if joined.chars().all(is_flag_char) && !joined.starts_with('-') && !joined.is_empty() {
        return joined;
    }
    let mut name = String::with_capacity(joined.len());
    for c in joined.chars() {
        if is_flag_char(c) {
            name.push(c);
        } else if !name.ends_with('-') {
            name.push('-');
        }
    }
    let name = name.trim_matches('-');
    if name.is_empty() { "property".to_owned() } else { name.to_owned() }
}

/// Whether the character may be in a flag: whitespace and `=` end a flag, and invisible
/// characters cannot be typed.
fn is_flag_char(c: char) -> bool {
    !c.is_whitespace()
        && c != '='
        && matches!(escape::line(c.encode_utf8(&mut [0; 4])), Cow::Borrowed(_))
}

/// The spelling with dashes that users try for a name with underscores.
pub(super) fn dashed(flag: &str) -> Option<String> {
    let dashed = flag.replace('_', "-");
    (dashed != flag && !dashed.starts_with('-') && !dashed.ends_with('-')).then_some(dashed)
}
