//! Tools: calling them.

mod call;

pub(crate) use call::CallTool;
