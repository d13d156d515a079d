//! Names with `*` in them, which stands for any text.

/// A name, or all names that look like it.
#[derive(Debug, Clone)]
pub(super) struct Pattern(String);

impl Pattern {
    pub(super) fn new(pattern: String) -> Self {
        Self(pattern)
    }

    /// Whether the name looks like this. Nothing but `*` has a meaning; case counts.
    pub(super) fn fits(&self, name: &str) -> bool {
        let Some((first, rest)) = self.0.split_once('*') else { return self.0 == name };
        let Some(mut name) = name.strip_prefix(first) else { return false };
        let (between, last) = rest.rsplit_once('*').unwrap_or(("", rest));
        // Each as early as possible: that leaves the most for those after it.
        for part in between.split('*') {
            match name.split_once(part) {
                Some((_, after)) => name = after,
                None => return false,
            }
        }
        name.ends_with(last)
    }
}
