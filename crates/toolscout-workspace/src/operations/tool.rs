//! Operations on tools.

mod call;
mod list;
mod search;
mod show;
mod summary;

pub(crate) use call::CallTool;
pub(crate) use list::{ListTools, StreamTools};
pub(crate) use search::SearchTools;
pub(crate) use show::ShowTool;
pub use show::resolve_cached;

use crate::Workspace;

/// Why there are no tools, and the next step. In a folder that is not a project, a file in `tools/`
/// would not be found.
fn no_tools(workspace: &Workspace) -> String {
    let (reason, hint) = if workspace.config().root.is_none() {
        ("this folder is not a project", "make it one with `touch toolscout.toml`")
    } else {
        let hint = "put a script into `tools/`, then run `toolscout doctor`";
        ("this project has no tools yet", hint)
    };
    let servers = if workspace.parts.servers {
        "; or add MCP servers with `toolscout import` or `toolscout server add ID -- COMMAND`"
    } else {
        ""
    };
    format!("No tools found: {reason}.\n  hint: {hint}{servers}")
}
