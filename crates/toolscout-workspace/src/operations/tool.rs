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
