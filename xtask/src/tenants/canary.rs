//! A secret word for each tenant that no other tenant may see.

/// The common prefix.
const BEGINNING: &str = "canary-";

/// The canary of a tenant. Long enough not to occur by chance, and without characters that need
/// escaping.
pub(super) fn of(tenant: usize) -> String {
    let mixed = (tenant as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{BEGINNING}{tenant:03}-{mixed:016x}")
}

/// All canaries in the text, each once.
pub(super) fn all(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for (at, _) in text.match_indices(BEGINNING) {
        let rest = &text[at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
        if !found.contains(&&rest[..end]) {
            found.push(&rest[..end]);
        }
    }
    found
}
