//! Fuzz targets. Each panics if a property of the code does not hold for an input.

use crate::file_in_root::FileInRoot;
use crate::{header, manifest, static_description, tool_file};
use std::path::Path;

/// Reads a file, whose name is the first line, as everything it may be: a tool file, a manifest, a
/// script with a description. No path in it resolves to one outside of the root.
pub fn tool_file(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (name, content) = text.split_once('\n').unwrap_or(("x.tool.toml", &text));
    let relative = format!("tools/{}", name.replace('/', "_"));
    let file = FileInRoot { root: Path::new("/project"), relative: &relative };
    let inspection = match tool_file::format(name) {
        Some(format) => tool_file::read(format, content.as_bytes(), &file),
        None => manifest::read(content.as_bytes(), &file),
    };
    let claims = inspection.claims.iter().map(String::as_str);
    for path in claims.chain(content.lines().filter_map(|line| line.split('"').nth(1))) {
        if let Some(resolved) = file.resolve(path) {
            assert!(!resolved.starts_with('/') && !resolved.split('/').any(|part| part == ".."));
        }
    }
    let _ = static_description::read(name, content);
    static_description::for_shim(Path::new(name), content);
    header::timeout_of(content);
}

#[cfg(test)]
mod tests {
    use toolscout_test_support::corpus::replay;

    #[test]
    fn every_input_of_the_corpora_passes() {
        replay("tool_file", super::tool_file);
    }
}
