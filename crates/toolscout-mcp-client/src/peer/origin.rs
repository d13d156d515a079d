//! Request attribution: finds the caller that a message of the server belongs to.

use super::reverse_requests::ReverseRequestSender;
use std::time::{Duration, Instant};
use toolscout_core::{BoundedCache, RpcError};

/// An abandoned call may still run at the server. For this long, a reverse request may belong to
/// it.
const ABANDONED_FOR: Duration = Duration::from_secs(10);
/// The maximum number of remembered abandoned calls.
const MAX_ABANDONED: usize = 64;
/// The origin of a request.
pub(super) enum RequestOrigin {
    /// The client itself: a listing, a handshake.
    Ourselves,
    /// A caller without a counterpart.
    Mute,
    /// A caller that receives reverse requests.
    Caller(ReverseRequestSender),
}

/// Abandoned calls that the server may still be working on, with the time until which they count.
pub(super) struct AbandonedCalls(BoundedCache<u64, Instant>);

impl Default for AbandonedCalls {
    fn default() -> Self {
        Self(BoundedCache::new(MAX_ABANDONED))
    }
}

impl AbandonedCalls {
    pub(super) fn add(&mut self, id: u64) {
        self.0.insert(id, Instant::now() + ABANDONED_FOR);
    }

    /// Removes a call that the server has answered after all.
    pub(super) fn remove(&mut self, id: u64) {
        self.0.remove(&id);
    }

    fn has_any(&mut self) -> bool {
        let now = Instant::now();
        self.0.remove_if(|until| *until <= now);
        !self.0.is_empty()
    }
}

/// The caller that a message of the server belongs to. If the wire knows the request the message
/// came for, it is that request's caller; otherwise it is the only caller there is. If there are
/// several, attribution fails, so that no caller receives a message that belongs to another.
pub(super) fn addressee<'a>(
    within: Option<Option<&'a RequestOrigin>>,
    origins: impl Iterator<Item = &'a RequestOrigin>,
    abandoned: &mut AbandonedCalls,
) -> Result<ReverseRequestSender, RpcError> {
    let no_caller = || RpcError::failed("no call is in progress that this request could belong to");
    let origin = match within {
        Some(origin) => origin.ok_or_else(no_caller)?,
        None => {
            let mut callers = origins.filter(|origin| !matches!(origin, RequestOrigin::Ourselves));
            match (callers.next(), callers.next()) {
                (None, _) => return Err(no_caller()),
                (Some(only), None) if !abandoned.has_any() => only,
                _ => {
                    return Err(RpcError::failed(
                        "several calls are in progress, so the request cannot be attributed to one of them",
                    ));
                }
            }
        }
    };
    match origin {
        RequestOrigin::Caller(sender) => Ok(sender.clone()),
        RequestOrigin::Mute | RequestOrigin::Ourselves => {
            let message = "the client that made this call accepts no requests".to_owned();
            Err(RpcError { code: RpcError::METHOD, message, data: None })
        }
    }
}
