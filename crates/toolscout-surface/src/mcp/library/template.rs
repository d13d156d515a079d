//! Whether an address can have been made from a template, as far as is needed to know whom to ask.

/// Whether it can: every fixed part is there, in order, the first at the beginning and the last at the end.
pub(super) fn fits(template: &str, uri: &str) -> bool {
    let mut fixed = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((_, after)) = after.split_once('}') else { return false };
        fixed.push(before);
        rest = after;
    }
    let (Some((first, middle)), last) = (fixed.split_first(), rest) else { return template == uri };
    let Some(mut uri) = uri.strip_prefix(first) else { return false };
    for part in middle {
        let Some(at) = uri.find(part) else { return false };
        uri = &uri[at + part.len()..];
    }
    uri.ends_with(last)
}
