//! Keeps the end of a stream that may be endless.

/// The last bytes of the pushed data.
#[derive(Debug, Clone)]
pub struct OutputTail {
    bytes: Vec<u8>,
    limit: usize,
    is_cut: bool,
}

impl OutputTail {
    pub fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, is_cut: false }
    }

    pub fn push(&mut self, more: &[u8]) {
        self.bytes.extend_from_slice(more);
        // Up to twice the limit is buffered, so that the shift costs little per byte.
        if self.bytes.len() > self.limit * 2 {
            self.truncate();
        }
    }

    fn truncate(&mut self) {
        if let Some(extra @ 1..) = self.bytes.len().checked_sub(self.limit) {
            self.bytes.drain(..extra);
            self.is_cut = true;
        }
    }

    /// The kept bytes. If some are missing, it starts with `…` and a complete line, if there is
    /// one.
    pub fn into_bytes(mut self) -> Vec<u8> {
        self.truncate();
        if !self.is_cut {
            return self.bytes;
        }
        let start = self.bytes.iter().position(|byte| *byte == b'\n').map_or(0, |index| index + 1);
        let start = if start < self.bytes.len() { start } else { 0 };
        let mut out = "…\n".as_bytes().to_vec();
        out.extend_from_slice(&self.bytes[start..]);
        out
    }
}
