//! Log levels of MCP.

use serde_json::Value;
use toolscout_core::RawJson;

/// The levels of the protocol, most verbose first.
const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// The rank of a level; none for an unknown level.
pub(super) fn rank(name: &str) -> Option<u8> {
    LEVELS.iter().position(|level| *level == name).and_then(|index| u8::try_from(index).ok())
}

/// The name of a rank.
pub(super) fn level_name(rank: u8) -> Option<&'static str> {
    LEVELS.get(usize::from(rank)).copied()
}

/// The rank of a log message. One without a level has the highest rank, so that it is not lost.
pub(super) fn message_rank(params: &RawJson) -> u8 {
    let level = params.to_value()["level"].as_str().and_then(rank);
    level.unwrap_or(u8::MAX)
}

/// The level in the parameters of `logging/setLevel`.
pub(super) fn requested_level(params: &Value) -> Option<u8> {
    params["level"].as_str().and_then(rank)
}
