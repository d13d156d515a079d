//! Errors of opening a model.

use std::io;
use std::path::PathBuf;

/// The reason why a model could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The program was built without the model.
    #[error(
        "this build of toolscout has no built-in model; use a release, or configure a model directory"
    )]
    NotBuiltIn,
    /// A file of the model is missing or cannot be read.
    #[error("model: could not read `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        cause: io::Error,
    },
    /// A file of the model has invalid content.
    #[error("model: `{}` is invalid: {why}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// A valid model of a kind that this crate does not support.
    #[error("model: `{}` has {what}, which is not supported; supported are BERT and XLM-RoBERTa encoders with a WordPiece or \
        Unigram tokenizer, mean or CLS pooling, and weights in `model.safetensors`", path.display())]
    Unsupported {
        /// The file that requires it.
        path: PathBuf,
        /// The unsupported feature.
        what: String,
    },
}
