//! Self-attention among the tokens of one text.

#![expect(
    clippy::needless_range_loop,
    reason = "loops over constant ranges stay in registers, iterators spill to memory"
)]

use crate::math::{self, LANES};
use crate::shape::ModelShape;

/// Queries that are processed at a time, so that keys and values are loaded once for all of them.
const QUERIES_AT_ONCE: usize = 4;

/// Buffers for one head of one text.
#[derive(Default)]
pub(super) struct Attention {
    /// The keys: a row for each dimension, a column for each token.
    keys: Vec<f32>,
    /// The values: a row for each token.
    values: Vec<f32>,
    /// The attention weights of the current queries.
    weights: Vec<f32>,
}

impl Attention {
    /// `qkv` has query, key and value of each token side by side; `output` receives the output.
    #[inline(always)]
    pub(super) fn run(&mut self, shape: &ModelShape, qkv: &[f32], output: &mut [f32]) {
        for head in 0..shape.heads {
            self.arrange(shape, qkv, head);
            let tokens = qkv.len() / (3 * shape.width);
            for first in (0..tokens).step_by(QUERIES_AT_ONCE) {
                let range = first..tokens.min(first + QUERIES_AT_ONCE);
                self.compute_weights(shape, qkv, head, range.clone());
                self.sum_values(shape, output, head, range);
            }
        }
    }

    /// Copies keys and values of this head into a layout for whole lanes; surplus lanes are zero.
    #[inline(always)]
    fn arrange(&mut self, shape: &ModelShape, qkv: &[f32], head: usize) {
        let (width, head_width) = (shape.width, shape.head_width());
        let tokens = qkv.len() / (3 * width);
        let (padded_len, padded_width) =
            (tokens.next_multiple_of(LANES), head_width.next_multiple_of(LANES));
        self.keys.resize(head_width * padded_len, 0.0);
        self.values.resize(tokens * padded_width, 0.0);
        self.weights.resize(QUERIES_AT_ONCE * padded_len, 0.0);
        for (token, row) in qkv.chunks_exact(3 * width).enumerate() {
            let key = &row[width + head * head_width..][..head_width];
            for (dimension, value) in key.iter().enumerate() {
                self.keys[dimension * padded_len + token] = *value;
            }
            let value = &mut self.values[token * padded_width..][..padded_width];
            value[..head_width]
                .copy_from_slice(&row[2 * width + head * head_width..][..head_width]);
            value[head_width..].fill(0.0);
        }
        for row in self.keys.chunks_exact_mut(padded_len) {
            row[tokens..].fill(0.0);
        }
    }

    /// Computes the attention weights of these queries; they sum up to one for each query.
    #[inline(always)]
    fn compute_weights(
        &mut self,
        shape: &ModelShape,
        qkv: &[f32],
        head: usize,
        range: std::ops::Range<usize>,
    ) {
        let (width, head_width) = (shape.width, shape.head_width());
        let tokens = qkv.len() / (3 * width);
        let padded_len = tokens.next_multiple_of(LANES);
        // Surplus slots repeat the last query, and their results are ignored.
        let queries: [&[f32]; QUERIES_AT_ONCE] = std::array::from_fn(|value| {
            let token = (range.start + value).min(range.end - 1);
            &qkv[token * 3 * width + head * head_width..][..head_width]
        });
        for lane in (0..padded_len).step_by(LANES) {
            let mut sums = [[0.0f32; LANES]; QUERIES_AT_ONCE];
            for dimension in 0..head_width {
                let keys: &[f32; LANES] = lanes_at(&self.keys, dimension * padded_len + lane);
                for at in 0..QUERIES_AT_ONCE {
                    accumulate(&mut sums[at], queries[at][dimension], keys);
                }
            }
            for (at, sums) in sums.iter().enumerate() {
                self.weights[at * padded_len + lane..][..LANES].copy_from_slice(sums);
            }
        }
        let scale = 1.0 / (head_width as f32).sqrt();
        for weights in self.weights.chunks_exact_mut(padded_len) {
            // Positions beyond the last token get no weight; whole lanes are faster than parts of
            // them.
            weights[tokens..].fill(f32::MIN);
            softmax(weights, scale);
        }
    }

    #[inline(always)]
    fn sum_values(
        &self,
        shape: &ModelShape,
        output: &mut [f32],
        head: usize,
        range: std::ops::Range<usize>,
    ) {
        let (width, head_width) = (shape.width, shape.head_width());
        let tokens = output.len() / width;
        let (padded_len, padded_width) =
            (tokens.next_multiple_of(LANES), head_width.next_multiple_of(LANES));
        let weights: [&[f32]; QUERIES_AT_ONCE] =
            std::array::from_fn(|value| &self.weights[value * padded_len..][..tokens]);
        for lane in (0..padded_width).step_by(LANES) {
            let mut sums = [[0.0f32; LANES]; QUERIES_AT_ONCE];
            for token in 0..tokens {
                let values: &[f32; LANES] = lanes_at(&self.values, token * padded_width + lane);
                for at in 0..QUERIES_AT_ONCE {
                    accumulate(&mut sums[at], weights[at][token], values);
                }
            }
            let filled = LANES.min(head_width - lane);
            for (sums, token) in sums.iter().zip(range.clone()) {
                output[token * width + head * head_width + lane..][..filled]
                    .copy_from_slice(&sums[..filled]);
            }
        }
    }
}

#[inline(always)]
fn lanes_at(values: &[f32], at: usize) -> &[f32; LANES] {
    values[at..].first_chunk().expect("rows are whole numbers of lanes")
}

#[inline(always)]
fn accumulate(sums: &mut [f32; LANES], factor: f32, values: &[f32; LANES]) {
    for lane in 0..LANES {
        sums[lane] += factor * values[lane];
    }
}

/// Softmax.
#[inline(always)]
fn softmax(weights: &mut [f32], scale: f32) {
    let maximum = math::maximum(weights);
    for weight in weights.iter_mut() {
        *weight = math::exp((*weight - maximum) * scale);
    }
    let factor = 1.0 / math::sum(weights);
    for weight in weights.iter_mut() {
        *weight *= factor;
    }
}
