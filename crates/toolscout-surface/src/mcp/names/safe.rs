//! Names that every client takes.

/// Longer ones are dropped by some clients, once their own prefix stands before them.
pub(super) const LONGEST: usize = 48;
/// What the protocol allows, for names that an application chose.
const LONGEST_OWN: usize = 128;

/// `source__tool` in letters, digits and `_`; no longer than [`LONGEST`].
pub(super) fn joined(source: &str, tool: &str) -> String {
    let characters = source.chars().chain("__".chars()).chain(tool.chars());
    let mut name = String::with_capacity(LONGEST);
    name.extend(characters.map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).take(LONGEST));
    name
}

/// Whether the protocol takes it as it is.
pub(in super::super) fn is_name(name: &str) -> bool {
    let is_allowed = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'-' | b'.');
    (1..=LONGEST_OWN).contains(&name.len()) && name.bytes().all(is_allowed)
}

/// The name itself, then the name with `_2`, `_3` … behind it; never longer for that than [`LONGEST`], or than it is.
pub(super) fn numbered(plain: &str, number: u32) -> String {
    if number < 2 {
        return plain.to_owned();
    }
    let suffix = format!("_{number}");
    let room = LONGEST.max(plain.len()) - suffix.len();
    let kept = &plain[..plain.len().min(room)];
    format!("{kept}{suffix}")
}

/// Whether this is the name, or the name with a number behind it.
pub(super) fn is_form(wire: &str, plain: &str) -> bool {
    if wire == plain {
        return true;
    }
    let number = wire.rsplit_once('_').and_then(|(_, it)| it.parse().ok());
    number.is_some_and(|it| it >= 2 && numbered(plain, it) == wire)
}
