//! Shared parts of tool sources: layers around any source, tools in code, tools of one request,
//! observed tools.
//!
//! Depends on no particular source: folders are in `toolscout-folder`, MCP servers in
//! `toolscout-mcp-client`. Start reading at [`Registry`] and [`layer`].

pub mod layer;
pub mod observed;
mod registry;
pub mod request;

/// Derives schemas from types; see [`ToolBuilder::typed`].
pub use schemars;

pub use registry::{
    AlreadyRegistered, CodeTool, Conflict, Param, RegisterOutcome, Registry, RunError, ToolBuilder,
    TypedBuilder, UnknownConflict,
};
