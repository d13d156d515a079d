//! The forward pass: embeddings of tokens, the layers, one vector for each text.
//!
//! Tokens of several texts may form a batch; each row is processed independently, except in
//! [`attention`], which keeps texts apart. Everything here is inlined into one function for each
//! kernel, and compiled for the instructions of that kernel.

mod attention;
mod matrix;

use crate::file::{EncoderLayer, ModelFile, Norm};
use crate::math;
use crate::panel::Kernel;
use crate::shape::{Activation, ModelShape, Pooling};
use attention::Attention;
use matrix::{Inputs, multiply};

/// The tokens of some texts in sequence.
#[derive(Debug, Default)]
pub(crate) struct TokenBatch {
    tokens: Vec<u32>,
    ends: Vec<usize>,
    records_peaks: bool,
}

/// The result of a forward pass.
pub(crate) struct Passed {
    /// A vector of unit length for each text.
    pub(crate) vectors: Vec<Vec<f32>>,
    /// The maximum absolute inputs of each matrix by column; empty unless requested.
    pub(crate) peaks: Vec<Vec<f32>>,
}

impl TokenBatch {
    /// A batch that records the peaks of its inputs.
    pub(crate) fn recording_peaks() -> Self {
        Self { records_peaks: true, ..Self::default() }
    }

    /// Adds a text, which has at least one token.
    pub(crate) fn push(&mut self, tokens: &[u32]) {
        self.tokens.extend_from_slice(tokens);
        self.ends.push(self.tokens.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The range of each text's tokens.
    fn texts(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| start..*end)
    }
}

#[inline(always)]
pub(crate) fn run<K: Kernel>(kernel: K, file: &ModelFile, batch: &TokenBatch) -> Passed {
    let mut rows = embed(file, batch);
    let mut buffers = PassBuffers::new(&file.shape, batch);
    for layer in &file.layers {
        attend(kernel, file, layer, batch, &mut rows, &mut buffers);
        feed_forward(kernel, file, layer, &mut rows, &mut buffers);
    }
    let width = file.shape.width;
    let vectors = batch
        .texts()
        .map(|text| pool(&file.shape, &rows[text.start * width..text.end * width]))
        .collect();
    Passed { vectors, peaks: buffers.inputs.into_peaks() }
}

/// Buffers between the steps of a layer; reused by each layer.
struct PassBuffers {
    inputs: Inputs,
    /// Query, key and value of each token; later the inner activations of the layer.
    wide: Vec<f32>,
    narrow: Vec<f32>,
    sums: Vec<i32>,
    attention: Attention,
}

impl PassBuffers {
    fn new(shape: &ModelShape, batch: &TokenBatch) -> Self {
        let tokens = batch.len();
        Self {
            inputs: Inputs::new(batch.records_peaks),
            wide: vec![0.0; tokens * shape.inner.max(3 * shape.width)],
            narrow: vec![0.0; tokens * shape.width],
            sums: Vec::new(),
            attention: Attention::default(),
        }
    }
}

#[inline(always)]
fn embed(file: &ModelFile, batch: &TokenBatch) -> Vec<f32> {
    let width = file.shape.width;
    let mut rows = vec![0.0; batch.len() * width];
    let positions = batch.texts().flat_map(|text| 0..text.len());
    for ((row, token), position) in rows.chunks_exact_mut(width).zip(&batch.tokens).zip(positions) {
        let (word, word_scale) = file.words.row(&file.bytes, *token as usize);
        let (position, place_scale) = file.positions.row(&file.bytes, position);
        for ((value, word), position) in row.iter_mut().zip(word).zip(position) {
            *value = f32::from(*word as i8) * word_scale + f32::from(*position as i8) * place_scale;
        }
        math::normalize(row, &file.norm.weight, &file.norm.bias, file.shape.epsilon);
    }
    rows
}

/// Self-attention with residual connection and norm.
#[inline(always)]
fn attend<K: Kernel>(
    kernel: K,
    file: &ModelFile,
    layer: &EncoderLayer,
    batch: &TokenBatch,
    rows: &mut [f32],
    buffers: &mut PassBuffers,
) {
    let width = file.shape.width;
    buffers.inputs.quantize::<K>(rows, &layer.qkv);
    multiply(kernel, file, &layer.qkv, &buffers.inputs, &mut buffers.wide, &mut buffers.sums);
    for text in batch.texts() {
        let qkv = &buffers.wide[text.start * 3 * width..text.end * 3 * width];
        let output = &mut buffers.narrow[text.start * width..text.end * width];
        buffers.attention.run(&file.shape, qkv, output);
    }
    buffers.inputs.quantize::<K>(&buffers.narrow, &layer.attention_output);
    multiply(
        kernel,
        file,
        &layer.attention_output,
        &buffers.inputs,
        &mut buffers.narrow,
        &mut buffers.sums,
    );
    add(file, &layer.attention_norm, rows, &buffers.narrow);
}

/// The feed-forward part: each token independently, in a wider space.
#[inline(always)]
fn feed_forward<K: Kernel>(
    kernel: K,
    file: &ModelFile,
    layer: &EncoderLayer,
    rows: &mut [f32],
    buffers: &mut PassBuffers,
) {
    let ModelShape { width, inner, activation, .. } = file.shape;
    buffers.inputs.quantize::<K>(rows, &layer.intermediate);
    multiply(
        kernel,
        file,
        &layer.intermediate,
        &buffers.inputs,
        &mut buffers.wide,
        &mut buffers.sums,
    );
    let middle = &mut buffers.wide[..rows.len() / width * inner];
    // A loop, because `for_each` would be a separate function, compiled for the oldest processors.
    for value in middle.iter_mut() {
        *value =
            if activation == Activation::Gelu { math::gelu(*value) } else { math::relu(*value) };
    }
    buffers.inputs.quantize::<K>(middle, &layer.output);
    multiply(kernel, file, &layer.output, &buffers.inputs, &mut buffers.narrow, &mut buffers.sums);
    add(file, &layer.output_norm, rows, &buffers.narrow);
}

#[inline(always)]
fn add(file: &ModelFile, norm: &Norm, rows: &mut [f32], residual: &[f32]) {
    let width = file.shape.width;
    for (row, residual) in rows.chunks_exact_mut(width).zip(residual.chunks_exact(width)) {
        for (value, residual) in row.iter_mut().zip(residual) {
            *value += residual;
        }
        math::normalize(row, &norm.weight, &norm.bias, file.shape.epsilon);
    }
}

#[inline(always)]
fn pool(shape: &ModelShape, rows: &[f32]) -> Vec<f32> {
    let mut vector = rows[..shape.width].to_vec();
    if shape.pooling == Pooling::Mean {
        for row in rows.chunks_exact(shape.width).skip(1) {
            for (value, other) in vector.iter_mut().zip(row) {
                *value += other;
            }
        }
    }
    // The sum replaces the mean, since the vector is normalized anyway. If the weights are NaN, the
    // result is a zero vector, which is similar to nothing.
    let length = math::sum_of_squares(&vector).sqrt();
    if !length.is_normal() {
        return vec![0.0; shape.width];
    }
    for value in &mut vector {
        *value *= 1.0 / length;
    }
    vector
}
