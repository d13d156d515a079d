//! Checks whether a URI can be an expansion of a template, as far as is needed to find its server.

/// Whether every fixed part of the template is in the URI, in order, the first at its start and the
/// last at its end.
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
        let Some(index) = uri.find(part) else { return false };
        uri = &uri[index + part.len()..];
    }
    uri.ends_with(last)
}
