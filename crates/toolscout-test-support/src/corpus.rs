//! Replays the corpus of a fuzz target as an ordinary test.

use std::path::{Path, PathBuf};

/// Runs the target on every input of its corpus, in the order of file names. A failing input is
/// named on stderr.
pub fn replay(target: &str, run: fn(&[u8])) {
    let inputs = inputs(target);
    assert!(!inputs.is_empty(), "the fuzz target `{target}` has no corpus");
    for input in inputs {
        let bytes = std::fs::read(&input).expect("the input can be read");
        let reporter = FailureReporter(&input);
        run(&bytes);
        std::mem::forget(reporter);
    }
}

/// The inputs in `fuzz/corpus` and in `fuzz/seeds`.
fn inputs(target: &str) -> Vec<PathBuf> {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz");
    let folders = ["seeds", "corpus"].map(|folder| fuzz.join(folder).join(target));
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let mut inputs: Vec<_> =
        entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    inputs.sort();
    inputs
}

/// Names the input if the target panics.
struct FailureReporter<'a>(&'a Path);

impl Drop for FailureReporter<'_> {
    #[allow(clippy::print_stderr, reason = "the output of a failed test")]
    fn drop(&mut self) {
        eprintln!("failed on {}", self.0.display());
    }
}
