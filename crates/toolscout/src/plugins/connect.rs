//! Adds this program to the configuration of other clients.

#[cfg(test)]
mod tests;

use crate::{AppError, Plugin, Setup};

/// Adds the operations `connect`, `connect list` and `disconnect`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Connect;

impl Plugin for Connect {
    fn id(&self) -> &str {
        "connect"
    }

    fn setup(&self, cx: &mut Setup) -> Result<(), AppError> {
        cx.parts.configuration = true;
        cx.parts.servers = true;
        Ok(())
    }
}
