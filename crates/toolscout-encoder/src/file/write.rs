//! Writes a model, section by section; the counterpart of the reader.

use super::{ALIGNMENT, CHECKSUM, MAGIC, head};
use crate::quantize::quantize;
use crate::shape::{BLOCK, GROUP, ModelShape};

/// A model that is being written.
pub(crate) struct ModelWriter(Vec<u8>);

impl ModelWriter {
    pub(crate) fn new(shape: &ModelShape, name: &str) -> Self {
        let mut writer = Self(MAGIC.to_vec());
        writer.bytes(&[0; CHECKSUM.end - CHECKSUM.start]);
        writer.bytes(&head::write(shape, name));
        writer
    }

    /// The tokens in byte order.
    pub(crate) fn vocabulary(&mut self, tokens: &[&str]) {
        let mut start = 0;
        let mut starts: Vec<u32> = vec![0];
        for token in tokens {
            start += token.len() as u32;
            starts.push(start);
        }
        self.section(starts.iter().flat_map(|start| start.to_le_bytes()));
        self.section(tokens.iter().flat_map(|token| token.bytes()));
    }

    pub(crate) fn floats(&mut self, values: &[f32]) {
        self.section(values.iter().flat_map(|value| value.to_le_bytes()));
    }

    /// Quantized vectors, each with its own scale.
    pub(crate) fn table(&mut self, scales: &[f32], rows: &[u8]) {
        self.floats(scales);
        self.section(rows.iter().copied());
    }

    /// A matrix of 32-bit weights in row order, and the factors of its inputs.
    pub(crate) fn matrix(&mut self, weights: &[f32], bias: &[f32], smoothing: &[f32]) {
        let rows = bias.len().next_multiple_of(BLOCK);
        let width = smoothing.len();
        let columns = width.next_multiple_of(GROUP);
        let mut steps = vec![0u8; rows * columns];
        let mut scales = vec![0.0; rows];
        for (row, values) in weights.chunks_exact(width).enumerate() {
            let smoothed: Vec<f32> =
                values.iter().zip(smoothing).map(|(value, smoothing)| value / smoothing).collect();
            scales[row] = quantize(&smoothed, &mut steps[row * columns..][..width]);
        }
        let starts = steps.chunks_exact(columns).map(start);
        let starts: Vec<u8> = starts.flat_map(i32::to_le_bytes).collect();
        self.floats(smoothing);
        self.floats(&scales);
        let padding = std::iter::repeat_n(0.0f32, rows - bias.len());
        self.section(bias.iter().copied().chain(padding).flat_map(f32::to_le_bytes));
        self.section(starts);
        self.section(interleaved(&steps, columns));
    }

    /// The complete file, with its checksum.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let sum = blake3::hash(&self.0[CHECKSUM.end..]);
        self.0[CHECKSUM].copy_from_slice(sum.as_bytes());
        self.0
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn section(&mut self, bytes: impl IntoIterator<Item = u8>) {
        self.0.resize(self.0.len().next_multiple_of(ALIGNMENT), 0);
        self.0.extend(bytes);
    }
}

/// Zero-point correction: −128 · Σ(row).
fn start(row: &[u8]) -> i32 {
    -128 * row.iter().map(|row| i32::from(*row as i8)).sum::<i32>()
}

/// The rows of a block interleaved, one group of columns at a time.
fn interleaved(steps: &[u8], columns: usize) -> impl Iterator<Item = u8> {
    steps.chunks_exact(BLOCK * columns).flat_map(move |block| {
        let groups = (0..columns).step_by(GROUP);
        groups.flat_map(move |at| {
            (0..BLOCK).flat_map(move |row| block[row * columns + at..][..GROUP].iter().copied())
        })
    })
}
