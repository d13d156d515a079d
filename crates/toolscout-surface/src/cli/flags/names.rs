//! Flag names out of property names, which may be any text at all.

use std::borrow::Cow;
use toolscout_core::escape;

/// The flag for a path of properties. Whatever cannot be typed as a flag becomes a dash.
pub(super) fn flag(path: &[String], separator: &str) -> String {
    let joined = path.join(separator);
    if joined.chars().all(can_stay) && !joined.starts_with('-') && !joined.is_empty() {
        return joined;
    }
    let mut name = String::with_capacity(joined.len());
    for it in joined.chars() {
        match can_stay(it) {
            true => name.push(it),
            false if name.ends_with('-') => {}
            false => name.push('-'),
        }
    }
    let name = name.trim_matches('-');
    if name.is_empty() { "property".to_owned() } else { name.to_owned() }
}

/// White space and `=` end a flag; invisible characters cannot be typed.
fn can_stay(it: char) -> bool {
    !it.is_whitespace() && it != '=' && matches!(escape::line(it.encode_utf8(&mut [0; 4])), Cow::Borrowed(_))
}

/// The spelling with dashes that people try for a name with underscores.
pub(super) fn dashed(flag: &str) -> Option<String> {
    let dashed = flag.replace('_', "-");
    (dashed != flag && !dashed.starts_with('-') && !dashed.ends_with('-')).then_some(dashed)
}
