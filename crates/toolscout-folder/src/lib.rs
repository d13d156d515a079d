//! Tools in folders: files under roots, found by globs.
//!
//! [`FolderSource`] is the entry point. A strategy ([`globs`]) searches the roots ([`roots`]): it
//! walks them, consults a cached scan and inspects each file. [`tool_file`], [`manifest`],
//! [`header`] and `static_description` read descriptions without running the file, and [`wrap`] writes tool files
//! for existing programs. [`probe`] starts a file to obtain
//! the descriptions that only the file itself can give, and only if [`trust`] allows it. [`run`]
//! executes a call. `prompts` reads the prompts of a project.

#[cfg(any(test, fuzzing))]
pub mod fuzz;
pub mod globs;
pub mod header;
pub mod manifest;
pub mod module_types;
pub mod probe;
pub mod recipe;
pub mod roots;
pub mod runtime;
pub mod tasks;
pub mod tool_file;
pub mod trust;
pub mod wrap;

mod described;
mod document;
mod file_in_root;
mod gather;
mod http;
mod inspect;
mod invocation;
mod matcher;
mod module;
mod output;
mod packages;
mod parameters;
mod probed;
mod prober;
mod prompts;
mod request;
mod run;
mod sandbox;
mod scan;
mod source;
mod stamp;
mod static_description;
mod strategy;
mod streams;
mod template;
mod walk;
mod watch;

#[cfg(all(test, unix))]
mod tests;

pub use globs::GlobTools;
pub use invocation::context as call_context;
pub use output::from_stdout as output_from_bytes;
pub use prober::forget_failures;
pub use request::{InvalidRequestFolder, RequestFolder};
pub use roots::{
    ChainRoots, DefaultRoot, ExplicitRoots, Root, RootLayout, RootStrategy, ToolDirectories,
};
pub use source::{FolderSource, FolderSourceBuilder, Probing};
pub use strategy::{RootEntry, RootVisit, ToolStrategy};
