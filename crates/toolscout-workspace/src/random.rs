//! Random identifiers and secrets.

use ring::rand::{SecureRandom, SystemRandom};
use toolscout_surface::operation::{ErrorCode, OperationError};

/// This many random bytes, in hexadecimal.
pub(crate) fn hex<const BYTES: usize>() -> Result<String, OperationError> {
    let mut bytes = [0; BYTES];
    let no_random = |_| {
        OperationError::new(ErrorCode::Internal, "the operating system returned no random numbers")
    };
    SystemRandom::new().fill(&mut bytes).map_err(no_random)?;
    Ok(to_hex(&bytes))
}

/// Bytes in hexadecimal.
pub(crate) fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
