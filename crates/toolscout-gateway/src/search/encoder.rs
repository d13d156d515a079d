//! An encoder that costs nothing until somebody searches by meaning.

use std::fmt;
use std::sync::{Arc, OnceLock};
use toolscout_index::Encoder;

/// Makes an encoder when it is first needed, once.
pub struct LazyEncoder {
    id: Option<String>,
    make: Box<MakeEncoder>,
    made: OnceLock<EncoderResult>,
}

/// Gives the encoder, or says for people why there is none.
type MakeEncoder = dyn Fn() -> EncoderResult + Send + Sync;
type EncoderResult = Result<Arc<dyn Encoder>, String>;

impl LazyEncoder {
    /// One whose name is known only when it is made: for those that are made in no time.
    pub fn new(make: impl Fn() -> EncoderResult + Send + Sync + 'static) -> Self {
        Self { id: None, make: Box::new(make), made: OnceLock::new() }
    }

    /// The same, under this name: it is not made to find out that all vectors are there. Must be another wherever the vectors
    /// would be.
    pub fn named(self, id: impl Into<String>) -> Self {
        Self { id: Some(id.into()), ..self }
    }

    /// Names the space of its vectors; none where it cannot be made.
    pub(crate) fn id(&self) -> Option<&str> {
        self.id.as_deref().or_else(|| self.get().ok().map(|it| it.id()))
    }

    /// The encoder. Waits for it where somebody is making it.
    pub(crate) fn get(&self) -> Result<&dyn Encoder, &str> {
        match self.made.get_or_init(&self.make) {
            Ok(encoder) => Ok(&**encoder),
            Err(why) => Err(why),
        }
    }

    /// Why there is none, once that has shown.
    pub(crate) fn failure(&self) -> Option<&str> {
        self.made.get()?.as_ref().err().map(String::as_str)
    }
}

impl fmt::Debug for LazyEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazyEncoder").field("id", &self.id).field("is_made", &self.made.get().is_some()).finish()
    }
}
