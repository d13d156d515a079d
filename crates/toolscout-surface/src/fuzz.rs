//! Fuzz targets. Each panics if a property of the code does not hold for an input.

pub use crate::http::fuzz::http;

use crate::cli::help::{HelpLayout, command};
use crate::cli::{ToolFlags, analyze, parse};
use toolscout_core::{RawJson, SourceId, Tool, ToolId, ToolName};

/// Builds the flags of a schema, and parses the words after a NUL byte with them, one per line.
/// Two parses have the same arguments.
pub fn flags(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (schema, words) = text.split_once('\0').unwrap_or((&text, "--help"));
    let id = ToolId::new(SourceId::local(), ToolName::new("lookup").expect("a valid name"));
    let mut tool = Tool::new(id);
    if let Ok(schema) = RawJson::parse(schema) {
        tool.input_schema = schema;
    }
    let flags = ToolFlags::new(&tool);
    let _ = analyze(&tool);
    let _ = command("toolscout", &flags.spec, &HelpLayout::default());
    let words: Vec<_> = words.split('\n').map(str::to_owned).collect();
    match parse(&flags.spec, &words) {
        Ok(parsed) => {
            let arguments = flags.arguments(&parsed);
            assert_eq!(format!("{arguments:?}"), format!("{:?}", flags.arguments(&parsed)));
        }
        Err(errors) => drop(errors.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use toolscout_test_support::corpus::replay;

    #[test]
    fn every_input_of_the_corpora_passes() {
        replay("flags", super::flags);
        replay("http", super::http);
    }
}
