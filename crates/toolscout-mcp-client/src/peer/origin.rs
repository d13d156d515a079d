//! Who is behind the requests in flight, and whose something is that a server says.

use super::reverse_requests::ReverseRequestSender;
use std::time::{Duration, Instant};
use toolscout_core::{BoundedCache, CounterpartError};

/// A call that was given up may go on at the server. For so long, what it asks may be for that call's sake.
const HAUNTS: Duration = Duration::from_secs(10);
/// Calls given up that are remembered.
const GHOSTS: usize = 64;
/// Who is behind a request.
pub(super) enum RequestOrigin {
    /// We are: it is a list, a handshake.
    Ourselves,
    /// A caller whom nothing can be asked.
    Mute,
    /// A caller who may be asked something.
    Caller(ReverseRequestSender),
}

/// Calls that were given up while the server may still be at work on them, with the end of that time.
pub(super) struct AbandonedCalls(BoundedCache<u64, Instant>);

impl Default for AbandonedCalls {
    fn default() -> Self {
        Self(BoundedCache::new(GHOSTS))
    }
}

impl AbandonedCalls {
    pub(super) fn add(&mut self, id: u64) {
        self.0.insert(id, Instant::now() + HAUNTS);
    }

    /// The server has answered it after all.
    pub(super) fn remove(&mut self, id: u64) {
        self.0.remove(&id);
    }

    fn are_there(&mut self) -> bool {
        let now = Instant::now();
        self.0.remove_if(|until| *until <= now);
        !self.0.is_empty()
    }
}

/// To whom something belongs that the server says: to the caller for whose request it came, where the wire can tell; else to
/// the only caller there is. Where there are several, nobody can tell, and nobody is shown what may be meant for another.
pub(super) fn addressee<'a>(
    within: Option<Option<&'a RequestOrigin>>,
    seats: impl Iterator<Item = &'a RequestOrigin>,
    ghosts: &mut AbandonedCalls,
) -> Result<ReverseRequestSender, CounterpartError> {
    let nobody = || CounterpartError::failed("no call is under way that this could belong to");
    let seat = match within {
        Some(seat) => seat.ok_or_else(nobody)?,
        None => {
            let mut callers = seats.filter(|it| !matches!(it, RequestOrigin::Ourselves));
            match (callers.next(), callers.next()) {
                (None, _) => return Err(nobody()),
                (Some(only), None) if !ghosts.are_there() => only,
                _ => {
                    return Err(CounterpartError::failed(
                        "several calls are under way, and nobody can tell whose this is",
                    ));
                }
            }
        }
    };
    match seat {
        RequestOrigin::Caller(slot) => Ok(slot.clone()),
        RequestOrigin::Mute | RequestOrigin::Ourselves => {
            let message = "the client that made this call can be asked nothing".to_owned();
            Err(CounterpartError { code: CounterpartError::UNKNOWN_METHOD, message, data: None })
        }
    }
}
