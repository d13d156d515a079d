//! The output of a program while it runs.

use std::sync::Arc;

/// Receives the output of a called program as it is written. It must not fail.
pub type OutputSink = Arc<dyn Fn(OutputStream, &[u8]) + Send + Sync>;

/// The stream that a program has written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output: the result.
    Stdout,
    /// Standard error: messages.
    Stderr,
}
