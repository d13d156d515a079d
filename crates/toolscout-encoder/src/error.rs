//! Why there is no encoder.

use std::io;
use std::path::PathBuf;

/// Why a model could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The program was built without the model.
    #[error("this build of toolscout carries no model; use a release, or give it a model directory of your own")]
    NotBuiltIn,
    /// A file of the model is missing or cannot be read.
    #[error("model: could not read `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// A file of the model does not hold what its name promises.
    #[error("model: `{}` is not as it should be: {why}", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// A model that is sound, but of another kind than this crate can run.
    #[error("model: `{}` has {what}, which is not supported; what is: BERT and XLM-RoBERTa encoders with a WordPiece or \
        Unigram tokenizer, mean or CLS pooling, and weights in `model.safetensors`", path.display())]
    Unsupported {
        /// The file that says so.
        path: PathBuf,
        /// What it asks for.
        what: String,
    },
}
