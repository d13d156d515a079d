//! Texts become vectors: the place for the sentence encoder behind semantic search, empty until that is built.
