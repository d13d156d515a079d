//! An encoder that is loaded only when a semantic search needs it.

use std::fmt;
use std::sync::{Arc, OnceLock};
use toolscout_index::Encoder;

/// Creates an encoder once, when it is first needed.
pub struct LazyEncoder {
    id: Option<String>,
    create: Box<MakeEncoder>,
    encoder: OnceLock<EncoderResult>,
}

/// Creates the encoder, or returns a message for the user.
type MakeEncoder = dyn Fn() -> EncoderResult + Send + Sync;
type EncoderResult = Result<Arc<dyn Encoder>, String>;

impl LazyEncoder {
    /// An encoder whose id is known only after it is created: for encoders that are created
    /// instantly.
    pub fn new(create: impl Fn() -> EncoderResult + Send + Sync + 'static) -> Self {
        Self { id: None, create: Box::new(create), encoder: OnceLock::new() }
    }

    /// Sets the id, so that the encoder is not created just to find that all vectors exist. The id
    /// must differ whenever the vectors would.
    pub fn named(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// The id of its vector space; `None` if the encoder cannot be created.
    pub(crate) fn id(&self) -> Option<&str> {
        self.id.as_deref().or_else(|| self.get().ok().map(|value| value.id()))
    }

    /// The encoder. Blocks while another thread creates it.
    pub(crate) fn get(&self) -> Result<&dyn Encoder, &str> {
        match self.encoder.get_or_init(&self.create) {
            Ok(encoder) => Ok(&**encoder),
            Err(reason) => Err(reason),
        }
    }

    /// The reason why the encoder could not be created, after the first attempt.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.encoder.get()?.as_ref().err().map(String::as_str)
    }
}

impl fmt::Debug for LazyEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazyEncoder")
            .field("id", &self.id)
            .field("is_made", &self.encoder.get().is_some())
            .finish()
    }
}
