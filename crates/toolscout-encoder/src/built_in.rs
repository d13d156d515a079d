//! The built-in model, if the model file was present at build time.

use crate::OpenError;
use crate::bytes::Bytes;

/// Aligned to a cache line: a load that crosses two lines takes twice as long.
#[cfg(has_model)]
#[repr(C, align(64))]
struct Aligned<T: ?Sized>(T);

#[cfg(has_model)]
static MODEL: &Aligned<[u8]> = &Aligned(*include_bytes!("../model/all-minilm-l6-v2.model"));

#[cfg(has_model)]
pub(crate) fn bytes() -> Result<Bytes, OpenError> {
    Ok(Bytes::Static(&MODEL.0))
}

#[cfg(not(has_model))]
pub(crate) fn bytes() -> Result<Bytes, OpenError> {
    Err(OpenError::NotBuiltIn)
}
