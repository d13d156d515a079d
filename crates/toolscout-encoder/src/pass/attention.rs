//! Self-attention among the pieces of one text.

#![expect(
    clippy::needless_range_loop,
    reason = "loops over constant ranges become registers, iterators become memory"
)]

use crate::math::{self, LANES};
use crate::shape::ModelShape;

/// Queries that are processed at a time, so that keys and values are loaded once for all of them.
const ASKING: usize = 4;

/// Buffers for one head of one text.
#[derive(Default)]
pub(super) struct Attention {
    /// The keys: a row for each dimension, a column for each piece.
    keys: Vec<f32>,
    /// The values: a row for each piece.
    values: Vec<f32>,
    /// The attention weights of the current queries.
    weights: Vec<f32>,
}

impl Attention {
    /// `asked` has query, key and value of each piece side by side; `found` receives the output.
    #[inline(always)]
    pub(super) fn run(&mut self, shape: &ModelShape, asked: &[f32], found: &mut [f32]) {
        for head in 0..shape.heads {
            self.lay_out(shape, asked, head);
            let pieces = asked.len() / (3 * shape.width);
            for first in (0..pieces).step_by(ASKING) {
                let asking = first..pieces.min(first + ASKING);
                self.weigh(shape, asked, head, asking.clone());
                self.take(shape, found, head, asking);
            }
        }
    }

    /// Copies keys and values of this head into a layout for whole lanes; surplus lanes are zero.
    #[inline(always)]
    fn lay_out(&mut self, shape: &ModelShape, asked: &[f32], head: usize) {
        let (width, own) = (shape.width, shape.head_width());
        let pieces = asked.len() / (3 * width);
        let (across, deep) = (pieces.next_multiple_of(LANES), own.next_multiple_of(LANES));
        self.keys.resize(own * across, 0.0);
        self.values.resize(pieces * deep, 0.0);
        self.weights.resize(ASKING * across, 0.0);
        for (piece, row) in asked.chunks_exact(3 * width).enumerate() {
            let key = &row[width + head * own..][..own];
            for (dimension, value) in key.iter().enumerate() {
                self.keys[dimension * across + piece] = *value;
            }
            let value = &mut self.values[piece * deep..][..deep];
            value[..own].copy_from_slice(&row[2 * width + head * own..][..own]);
            value[own..].fill(0.0);
        }
        for row in self.keys.chunks_exact_mut(across) {
            row[pieces..].fill(0.0);
        }
    }

    /// Computes the attention weights of these queries; they sum up to one for each query.
    #[inline(always)]
    fn weigh(
        &mut self,
        shape: &ModelShape,
        asked: &[f32],
        head: usize,
        asking: std::ops::Range<usize>,
    ) {
        let (width, own) = (shape.width, shape.head_width());
        let pieces = asked.len() / (3 * width);
        let across = pieces.next_multiple_of(LANES);
        // Surplus slots repeat the last query, and their results are ignored.
        let questions: [&[f32]; ASKING] = std::array::from_fn(|it| {
            let piece = (asking.start + it).min(asking.end - 1);
            &asked[piece * 3 * width + head * own..][..own]
        });
        for lane in (0..across).step_by(LANES) {
            let mut sums = [[0.0f32; LANES]; ASKING];
            for dimension in 0..own {
                let keys: &[f32; LANES] = lanes_at(&self.keys, dimension * across + lane);
                for at in 0..ASKING {
                    accumulate(&mut sums[at], questions[at][dimension], keys);
                }
            }
            for (at, sums) in sums.iter().enumerate() {
                self.weights[at * across + lane..][..LANES].copy_from_slice(sums);
            }
        }
        let scale = 1.0 / (own as f32).sqrt();
        for weights in self.weights.chunks_exact_mut(across) {
            // Positions beyond the last piece get no weight; whole lanes are faster than parts of
            // them.
            weights[pieces..].fill(f32::MIN);
            soften(weights, scale);
        }
    }

    #[inline(always)]
    fn take(
        &self,
        shape: &ModelShape,
        found: &mut [f32],
        head: usize,
        asking: std::ops::Range<usize>,
    ) {
        let (width, own) = (shape.width, shape.head_width());
        let pieces = found.len() / width;
        let (across, deep) = (pieces.next_multiple_of(LANES), own.next_multiple_of(LANES));
        let weights: [&[f32]; ASKING] =
            std::array::from_fn(|it| &self.weights[it * across..][..pieces]);
        for lane in (0..deep).step_by(LANES) {
            let mut sums = [[0.0f32; LANES]; ASKING];
            for piece in 0..pieces {
                let values: &[f32; LANES] = lanes_at(&self.values, piece * deep + lane);
                for at in 0..ASKING {
                    accumulate(&mut sums[at], weights[at][piece], values);
                }
            }
            let real = LANES.min(own - lane);
            for (sums, piece) in sums.iter().zip(asking.clone()) {
                found[piece * width + head * own + lane..][..real].copy_from_slice(&sums[..real]);
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
fn soften(weights: &mut [f32], scale: f32) {
    let most = math::maximum(weights);
    for weight in weights.iter_mut() {
        *weight = math::exp((*weight - most) * scale);
    }
    let factor = 1.0 / math::sum(weights);
    for weight in weights.iter_mut() {
        *weight *= factor;
    }
}
