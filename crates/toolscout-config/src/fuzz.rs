//! Fuzz targets. Each panics if a property of the code does not hold for an input.

use crate::edit::{ConfigEdit, edited_text};
use crate::{Config, DocumentFormat};
use serde_json::json;
use std::path::Path;

/// Reads a configuration file, whose format is the first byte, and adds a server to it. The edit is
/// refused, or it results in a file that has the server.
pub fn config(bytes: &[u8]) {
    let Some((format, text)) = bytes.split_first() else { return };
    let text = String::from_utf8_lossy(text);
    let path = Path::new(match format % 4 {
        0 => "/project/toolscout.toml",
        1 => "/project/toolscout.json",
        2 => "/project/toolscout.yaml",
        _ => "/project/.mcp.json",
    });
    let _ = Config::diagnose(path, &text);
    let keys = ["servers", "added"].map(str::to_owned).to_vec();
    let entry = json!({ "command": "added-server", "args": ["-x"] });
    let set = |_: &_| Ok(vec![ConfigEdit::Set(keys.clone(), entry.clone())]);
    let Ok(after) = edited_text(path, &text, &set) else { return };
    let map = DocumentFormat::from_path(path).parse(&after).expect("an edited file can be read");
    assert_eq!(map["servers"]["added"], entry);
    let remove = |_: &_| Ok(vec![ConfigEdit::Remove(keys.clone())]);
    if let Ok(removed) = edited_text(path, &after, &remove) {
        let map = DocumentFormat::from_path(path).parse(&removed).expect("an edited file");
        assert!(map.get("servers").is_none_or(|servers| servers.get("added").is_none()));
    }
}

#[cfg(test)]
mod tests {
    use toolscout_test_support::corpus::replay;

    #[test]
    fn every_input_of_the_corpora_passes() {
        replay("config", super::config);
    }
}
