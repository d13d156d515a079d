//! Shows the output of a program at the terminal while it runs.

use crate::Environment;
use parking_lot::Mutex;
use serde::de::IgnoredAny;
use std::mem;
use std::sync::Arc;
use toolscout_core::{OutputSink, OutputStream};
use toolscout_workspace::ProgressLine;

/// Bytes of output that may turn out to be JSON. More is not checked again.
const CHECKED_BYTES: usize = 64 << 10;

/// The output of one call. Messages are shown at once. Output that may be JSON waits: the
/// complete result is formatted when the program has exited.
pub(crate) struct LiveOutput {
    environment: Arc<Environment>,
    line: Arc<ProgressLine>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    held: Vec<u8>,
    is_text: bool,
    /// Whether the last shown byte leaves the cursor inside a line.
    is_inside_line: bool,
}

impl LiveOutput {
    pub(crate) fn new(environment: Arc<Environment>, line: Arc<ProgressLine>) -> Arc<Self> {
        Arc::new(Self { environment, line, state: Mutex::default() })
    }

    pub(crate) fn sink(self: &Arc<Self>) -> OutputSink {
        let output = self.clone();
        Arc::new(move |stream, bytes| output.receive(stream, bytes))
    }

    fn receive(&self, stream: OutputStream, bytes: &[u8]) {
        let mut state = self.state.lock();
        if stream == OutputStream::Stderr || state.is_text {
            return self.show(&mut state, stream, bytes);
        }
        state.held.extend_from_slice(bytes);
        if !may_be_json(&state.held) {
            state.is_text = true;
            let held = mem::take(&mut state.held);
            self.show(&mut state, stream, &held);
        }
    }

    /// Ends the last line. Returns whether the output of a successful program is shown already. The
    /// output of a failed program is not in its error, so the rest of it is shown.
    pub(crate) fn finish(&self, has_failed: bool) -> bool {
        let mut state = self.state.lock();
        let held = mem::take(&mut state.held);
        if has_failed {
            self.show(&mut state, OutputStream::Stdout, &held);
        }
        if mem::take(&mut state.is_inside_line) {
            self.environment.write_err(b"\n");
        }
        state.is_text
    }

    fn show(&self, state: &mut State, stream: OutputStream, bytes: &[u8]) {
        let Some(last) = bytes.last() else { return };
        self.line.hide();
        state.is_inside_line = *last != b'\n';
        match stream {
            // Fails only if the terminal is gone.
            OutputStream::Stdout => drop(self.environment.write(|out| out.write_all(bytes))),
            OutputStream::Stderr => self.environment.write_err(bytes),
        }
    }
}

/// Whether this can be the start of a JSON object or list.
fn may_be_json(output: &[u8]) -> bool {
    let text = output.trim_ascii_start();
    match text.first() {
        None => true,
        Some(b'{' | b'[') if output.len() > CHECKED_BYTES => true,
        Some(b'{' | b'[') => match serde_json::from_slice::<IgnoredAny>(text) {
            Ok(_) => true,
            Err(error) => error.is_eof(),
        },
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::may_be_json;

    #[test]
    fn only_the_start_of_an_object_or_a_list_may_be_json() {
        for json in ["", " \n", "{", "[", " {\"a\": [1, ", "[1, 2]\n", "[\"a\", tr"] {
            assert!(may_be_json(json.as_bytes()), "{json}");
        }
        for text in ["line 1", "[INFO] start", "[1/5] build", "{a}", "{} and more", "7"] {
            assert!(!may_be_json(text.as_bytes()), "{text}");
        }
    }
}
