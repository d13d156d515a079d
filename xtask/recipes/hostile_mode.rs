//! Definitions that shout.

use super::{Mode, both};
use crate::honest::HONEST;
use crate::server::acts::Acts;

pub(super) const MODES: &[Mode] = &[both(
    "shout",
    "Answers `tools/list` in capital letters.",
    "Fail the list of this server; no other server is affected.",
    Acts {
        list: |request| {
            request.line(
                request
                    .answer(request.tool_list(request.server.tools()))
                    .to_string()
                    .to_uppercase(),
            )
        },
        ..HONEST
    },
)];
