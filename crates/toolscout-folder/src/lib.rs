//! Tools in folders: files under roots, found by globs.
//!
//! [`FolderSource`] ties it together. Roots ([`roots`]) are searched by a strategy ([`globs`]): a walk, a cached scan, a look
//! at each file. What a file says about its tools without being run is read by [`tool_file`], [`manifest`] and [`header`];
//! what only the file itself can tell is asked by [`probe`], and only where [`trust`] allows it; [`run`] does a call.
//! `prompts` reads what a project has besides tools.

pub mod globs;
pub mod header;
pub mod manifest;
pub mod probe;
pub mod recipe;
pub mod roots;
pub mod run;
pub mod runtime;
pub mod tool_file;
pub mod trust;

mod ask;
mod described;
mod document;
mod flow;
mod gather;
mod http;
mod inspect;
mod invocation;
mod matcher;
mod module;
mod output;
mod parameters;
mod place;
mod probed;
mod prompts;
mod request;
mod scan;
mod source;
mod stamp;
mod strategy;
mod template;
mod walk;
mod watch;

#[cfg(all(test, unix))]
mod tests;

pub use globs::GlobTools;
pub use request::{InvalidRequestFolder, RequestFolder};
pub use roots::{ChainRoots, DefaultRoot, ExplicitRoots, Root, RootLayout, RootStrategy, ToolDirectories};
pub use source::{FolderSource, FolderSourceBuilder, Probing};
pub use strategy::{RootEntry, RootVisit, ToolStrategy};
