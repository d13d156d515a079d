//! The guarantees of a registry.
//!
//! 1. Order, names, bulk registration, and taken names: [`registering`].
//! 2. Readers always see a whole set, and are notified of changes: [`sharing`].
//! 3. As a source it lists, loads and calls; a tool's failure stays the tool's: [`calling`].
//! 4. The builder writes the described schema: [`building`]; or that of a type: [`typed`].

mod building;
mod calling;
mod registering;
mod sharing;
mod typed;

use super::{CodeTool, Registry, ToolBuilder};
use toolscout_core::ToolOutput;

/// A tool that answers with its description.
fn tool(name: &str, description: &str) -> CodeTool {
    let answer = description.to_owned();
    ToolBuilder::new(name).unwrap().description(description).run(move |_, _| {
        let answer = answer.clone();
        async { Ok(ToolOutput::text(answer)) }
    })
}

fn registry(names: &[&str]) -> Registry {
    let registry = Registry::new();
    for name in names {
        registry.register(tool(name, "first")).unwrap();
    }
    registry
}

/// The tools as `name: description`, in their order.
fn list(registry: &Registry) -> String {
    let line = |tool: toolscout_core::Tool| {
        format!("{}: {}", tool.id.name, tool.description.unwrap_or_default())
    };
    registry.list().into_iter().map(line).collect::<Vec<_>>().join("\n")
}
