//! Names that every client accepts.

/// Maximum length of a joined name. Some clients drop longer names, counting their own prefix.
pub(super) const LONGEST: usize = 48;
/// The limit of the protocol, for names that an application chose.
const LONGEST_OWN: usize = 128;

/// Joins `source__tool` in letters, digits and `_`, cut to [`LONGEST`].
pub(super) fn joined(source: &str, tool: &str) -> String {
    let characters = source.chars().chain("__".chars()).chain(tool.chars());
    let mut name = String::with_capacity(LONGEST);
    name.extend(
        characters.map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).take(LONGEST),
    );
    name
}

/// Whether the protocol allows this name.
pub(in super::super) fn is_name(name: &str) -> bool {
    let is_allowed = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
    (1..=LONGEST_OWN).contains(&name.len()) && name.bytes().all(is_allowed)
}

/// The name itself, or the name with `_2`, `_3` … after it, cut to [`LONGEST`] or to its own
/// length.
pub(super) fn numbered(plain: &str, number: u32) -> String {
    if number < 2 {
        return plain.to_owned();
    }
    let suffix = format!("_{number}");
    let room = LONGEST.max(plain.len()) - suffix.len();
    let kept = &plain[..plain.len().min(room)];
    format!("{kept}{suffix}")
}

/// Whether `wire` is the plain name, or the plain name with a number after it.
pub(super) fn is_form(wire: &str, plain: &str) -> bool {
    if wire == plain {
        return true;
    }
    let number = wire.rsplit_once('_').and_then(|(_, it)| it.parse().ok());
    number.is_some_and(|it| it >= 2 && numbered(plain, it) == wire)
}
