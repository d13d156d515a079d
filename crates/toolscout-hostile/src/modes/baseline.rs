//! The honest mode.

use super::{Mode, both};
use crate::honest::{HONEST, NAME};
use crate::process::pause;
use crate::server::acts::Acts;

pub(super) const MODES: &[Mode] = &[both(
    NAME,
    "Behaves correctly in both eras: echo, add, sleep, whoami, fail, blob; --tools fillers.",
    "Find and call all of them, without a finding or a warning.",
    Acts {
        start: |server| {
            pause(server.options.delay.unwrap_or_default());
            Ok(())
        },
        ..HONEST
    },
)];
