//! Names that every client accepts.

/// Maximum length of a joined name. Some clients drop longer names, counting their own prefix.
pub(super) const MAX_LENGTH: usize = 48;
/// The limit of the protocol, for names that an application chose.
const MAX_OWN_LENGTH: usize = 128;
/// The limit of model vendors for the name of a function.
const MAX_MODEL_LENGTH: usize = 64;

/// Joins `source__tool` in letters, digits and `_`, cut to [`MAX_LENGTH`].
pub(super) fn joined(source: &str, tool: &str) -> String {
    let characters = source.chars().chain("__".chars()).chain(tool.chars());
    let mut name = String::with_capacity(MAX_LENGTH);
    name.extend(
        characters
            .map(|character| if character.is_ascii_alphanumeric() { character } else { '_' })
            .take(MAX_LENGTH),
    );
    name
}

/// Whether the protocol allows this name.
pub(in super::super) fn is_valid_name(name: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    (1..=MAX_OWN_LENGTH).contains(&name.len()) && name.bytes().all(is_allowed)
}

/// Whether model vendors allow this name: letters, digits, `_` and `-`.
pub(super) fn is_valid_model_name(name: &str) -> bool {
    name.len() <= MAX_MODEL_LENGTH && is_valid_name(name) && !name.contains('.')
}

/// The name itself, or the name with `_2`, `_3` … after it, cut to [`MAX_LENGTH`] or to its own
/// length.
pub(super) fn numbered(plain: &str, number: u32) -> String {
    if number < 2 {
        return plain.to_owned();
    }
    let suffix = format!("_{number}");
    let available = MAX_LENGTH.max(plain.len()) - suffix.len();
    let prefix = &plain[..plain.len().min(available)];
    format!("{prefix}{suffix}")
}

/// Whether `wire` is the plain name, or the plain name with a number after it.
pub(super) fn is_numbered_form(wire: &str, plain: &str) -> bool {
    if wire == plain {
        return true;
    }
    let number = wire.rsplit_once('_').and_then(|(_, value)| value.parse().ok());
    number.is_some_and(|number| number >= 2 && numbered(plain, number) == wire)
}
