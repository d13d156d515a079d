//! The forward pass: embeddings of pieces, the layers, one vector for each text.
//!
//! Pieces of several texts may form a batch; each row is processed independently, except in
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

/// The pieces of some texts in sequence.
#[derive(Debug, Default)]
pub(crate) struct TokenBatch {
    pieces: Vec<u32>,
    ends: Vec<usize>,
    is_watched: bool,
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
    pub(crate) fn watched() -> Self {
        Self { is_watched: true, ..Self::default() }
    }

    /// Adds a text, which has at least one piece.
    pub(crate) fn push(&mut self, pieces: &[u32]) {
        self.pieces.extend_from_slice(pieces);
        self.ends.push(self.pieces.len());
    }

    pub(crate) fn len(&self) -> usize {
        self.pieces.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// The range of each text's pieces.
    fn texts(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| start..*end)
    }
}

#[inline(always)]
pub(crate) fn run<K: Kernel>(kernel: K, file: &ModelFile, batch: &TokenBatch) -> Passed {
    let mut rows = embed(file, batch);
    let mut desk = PassBuffers::new(&file.shape, batch);
    for layer in &file.layers {
        attend(kernel, file, layer, batch, &mut rows, &mut desk);
        think(kernel, file, layer, &mut rows, &mut desk);
    }
    let width = file.shape.width;
    let vectors = batch
        .texts()
        .map(|text| pool(&file.shape, &rows[text.start * width..text.end * width]))
        .collect();
    Passed { vectors, peaks: desk.inputs.into_peaks() }
}

/// Buffers between the steps of a layer; reused by each layer.
struct PassBuffers {
    inputs: Inputs,
    /// Query, key and value of each piece; later the inner activations of the layer.
    wide: Vec<f32>,
    narrow: Vec<f32>,
    sums: Vec<i32>,
    attention: Attention,
}

impl PassBuffers {
    fn new(shape: &ModelShape, batch: &TokenBatch) -> Self {
        let pieces = batch.len();
        Self {
            inputs: Inputs::new(batch.is_watched),
            wide: vec![0.0; pieces * shape.inner.max(3 * shape.width)],
            narrow: vec![0.0; pieces * shape.width],
            sums: Vec::new(),
            attention: Attention::default(),
        }
    }
}

#[inline(always)]
fn embed(file: &ModelFile, batch: &TokenBatch) -> Vec<f32> {
    let width = file.shape.width;
    let mut rows = vec![0.0; batch.len() * width];
    let places = batch.texts().flat_map(|text| 0..text.len());
    for ((row, piece), place) in rows.chunks_exact_mut(width).zip(&batch.pieces).zip(places) {
        let (word, word_scale) = file.words.row(&file.bytes, *piece as usize);
        let (place, place_scale) = file.places.row(&file.bytes, place);
        for ((value, word), place) in row.iter_mut().zip(word).zip(place) {
            *value = f32::from(*word as i8) * word_scale + f32::from(*place as i8) * place_scale;
        }
        math::normalise(row, &file.norm.weight, &file.norm.bias, file.shape.epsilon);
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
    desk: &mut PassBuffers,
) {
    let width = file.shape.width;
    desk.inputs.quantise::<K>(rows, &layer.attend);
    multiply(kernel, file, &layer.attend, &desk.inputs, &mut desk.wide, &mut desk.sums);
    for text in batch.texts() {
        let asked = &desk.wide[text.start * 3 * width..text.end * 3 * width];
        let found = &mut desk.narrow[text.start * width..text.end * width];
        desk.attention.run(&file.shape, asked, found);
    }
    desk.inputs.quantise::<K>(&desk.narrow, &layer.gather);
    multiply(kernel, file, &layer.gather, &desk.inputs, &mut desk.narrow, &mut desk.sums);
    add(file, &layer.gathered, rows, &desk.narrow);
}

/// The feed-forward part: each piece independently, in a wider space.
#[inline(always)]
fn think<K: Kernel>(
    kernel: K,
    file: &ModelFile,
    layer: &EncoderLayer,
    rows: &mut [f32],
    desk: &mut PassBuffers,
) {
    let ModelShape { width, inner, activation, .. } = file.shape;
    desk.inputs.quantise::<K>(rows, &layer.widen);
    multiply(kernel, file, &layer.widen, &desk.inputs, &mut desk.wide, &mut desk.sums);
    let middle = &mut desk.wide[..rows.len() / width * inner];
    // A loop, because `for_each` would be a separate function, compiled for the oldest processors.
    for value in middle.iter_mut() {
        *value =
            if activation == Activation::Gelu { math::gelu(*value) } else { math::relu(*value) };
    }
    desk.inputs.quantise::<K>(middle, &layer.narrow);
    multiply(kernel, file, &layer.narrow, &desk.inputs, &mut desk.narrow, &mut desk.sums);
    add(file, &layer.narrowed, rows, &desk.narrow);
}

#[inline(always)]
fn add(file: &ModelFile, norm: &Norm, rows: &mut [f32], news: &[f32]) {
    let width = file.shape.width;
    for (row, news) in rows.chunks_exact_mut(width).zip(news.chunks_exact(width)) {
        for (value, news) in row.iter_mut().zip(news) {
            *value += news;
        }
        math::normalise(row, &norm.weight, &norm.bias, file.shape.epsilon);
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
