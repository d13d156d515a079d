//! The honest mode.

use super::{Mode, both};
use crate::honest::{HONEST, NAME};
use crate::process::pause;
use crate::server::acts::Acts;

pub(super) const MODES: &[Mode] = &[both(
    NAME,
    "Behaves, in both eras: tools echo, add, sleep, whoami, fail and blob, and --tools fillers; starts after --delay.",
    "Finds, calls and answers all of them, without a finding or a warning.",
    Acts {
        start: |server| {
            pause(server.options.delay.unwrap_or_default());
            Ok(())
        },
        ..HONEST
    },
)];
