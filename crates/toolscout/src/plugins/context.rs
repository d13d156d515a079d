//! A summary of the tools for system prompts.

use crate::{AppError, Plugin, Setup};

/// Adds the operation `context`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context;

impl Plugin for Context {
    fn id(&self) -> &str {
        "context"
    }

    fn requires(&self) -> Vec<&str> {
        vec!["discovery"]
    }

    fn setup(&self, _: &mut Setup) -> Result<(), AppError> {
        Ok(())
    }
}
