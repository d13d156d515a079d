//! Imports servers that other programs have configured.

#[cfg(test)]
mod tests;

use crate::{AppError, Plugin, Setup};

/// Adds the operation `import`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Import;

impl Plugin for Import {
    fn id(&self) -> &str {
        "import"
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        cx.parts.configuration = true;
        cx.parts.servers = true;
        Ok(())
    }
}
