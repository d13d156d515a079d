//! Random identifiers and secrets.

use ring::rand::{SecureRandom, SystemRandom};
use toolscout_surface::operation::{ErrorCode, OperationError};

/// The message if there are no random bytes.
pub(crate) const UNAVAILABLE: &str = "the operating system returned no random numbers";

/// This many random bytes; `None` if the operating system returns none.
pub(crate) fn bytes<const BYTES: usize>() -> Option<[u8; BYTES]> {
    let mut bytes = [0; BYTES];
    SystemRandom::new().fill(&mut bytes).ok().map(|()| bytes)
}

/// This many random bytes, in hexadecimal.
pub(crate) fn hex<const BYTES: usize>() -> Result<String, OperationError> {
    let unavailable = || OperationError::new(ErrorCode::Internal, UNAVAILABLE);
    bytes::<BYTES>().map(|bytes| to_hex(&bytes)).ok_or_else(unavailable)
}

/// Bytes in hexadecimal.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
