//! Where tools come from: folders of files, programs, modules, and this very process.
//!
//! Takes the outside world, gives [`toolscout_core::Source`]s. Knows nothing of catalogs, ranking or who asks.
//! Start reading at [`folder::FolderSource`]; what runs a tool is [`folder::run`].

pub mod folder;
pub mod layer;
pub mod mcp;
pub mod observed;
mod registry;
pub mod request;
pub mod web;

/// Derives schemas from types; see [`ToolBuilder::typed`].
pub use schemars;

pub use registry::{
    AlreadyRegistered, CodeTool, Conflict, Param, Registered, Registry, RunError, ToolBuilder, TypedBuilder,
    UnknownConflict,
};
