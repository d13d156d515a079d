//! A model as one file: its parameters, its vocabulary, and its weights in the layout of the
//! kernels.
//!
//! Little-endian throughout; every section starts at a multiple of 64 bytes. In this order:
//!
//! 1. eight bytes that name format and version, then 32 bytes of BLAKE3 over all that follows them;
//! 2. the numbers of [`ModelShape`] and the model's name;
//! 3. the vocabulary in byte order: the start of each token, their text, and for a Unigram
//!    tokenizer their scores;
//! 4. the embeddings of tokens and of positions, each row with its scale, and the norm after them;
//! 5. for each layer the matrices query-key-value and output with their norm, and those of the
//!    feed-forward part (into and out of its inner width) with theirs.
//!
//! A matrix consists of smoothing, scales, biases and starts (see [`Matrix`]), then its weights:
//! blocks of [`BLOCK`] rows, and in a block the first [`GROUP`] columns of all rows, then the next
//! of all rows. One instruction reads that much at a time, so nothing has to be rearranged, and a
//! built-in model is ready as soon as its pages are loaded.

mod cursor;
mod head;
pub(crate) mod write;

use crate::bytes::{Bytes, number_at};
use crate::shape::{BLOCK, GROUP, ModelShape, Tokenizer};
use crate::vocabulary::TokenVocabulary;
use cursor::Cursor;
use std::ops::Range;

/// Changes with the format; the last byte is its version.
const MAGIC: &[u8; 8] = b"tsmodel\x01";
const CHECKSUM: Range<usize> = 8..40;
const ALIGNMENT: usize = 64;

/// A parsed model; its weights stay in `bytes`.
pub(crate) struct ModelFile {
    pub(crate) bytes: Bytes,
    pub(crate) name: String,
    pub(crate) shape: ModelShape,
    pub(crate) vocabulary: TokenVocabulary,
    /// The log probability of each token; empty for WordPiece, which needs none.
    scores: Range<usize>,
    /// The lowest score of all tokens.
    pub(crate) lowest_score: f32,
    pub(crate) words: EmbeddingTable,
    pub(crate) positions: EmbeddingTable,
    pub(crate) norm: Norm,
    pub(crate) layers: Vec<EncoderLayer>,
}

/// Embeddings, of which a text needs a few rows.
pub(crate) struct EmbeddingTable {
    scales: Range<usize>,
    rows: Range<usize>,
    width: usize,
}

pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

pub(crate) struct EncoderLayer {
    /// Query, key and value: three matrices, one below the other.
    pub(crate) qkv: Matrix,
    pub(crate) attention_output: Matrix,
    pub(crate) attention_norm: Norm,
    pub(crate) intermediate: Matrix,
    pub(crate) output: Matrix,
    pub(crate) output_norm: Norm,
}

pub(crate) struct Matrix {
    pub(crate) rows: usize,
    /// A multiple of [`GROUP`]; surplus columns are zero.
    pub(crate) columns: usize,
    /// The factor for each column of the input before it is quantized; the weights are divided by
    /// it.
    pub(crate) smoothing: Vec<f32>,
    pub(crate) scales: Vec<f32>,
    pub(crate) bias: Vec<f32>,
    /// The start value of each row's sum for kernels with unsigned inputs (offset 128): the
    /// zero-point correction −128 · Σ(row).
    pub(crate) starts: Vec<i32>,
    weights: Range<usize>,
}

impl ModelFile {
    /// Parses a model and checks the sizes of all sections. Does not check each weight; see
    /// [`ModelFile::verify`].
    pub(crate) fn read(bytes: Bytes) -> Result<Self, String> {
        let mut cursor = Cursor::new(&bytes);
        if cursor.take(MAGIC.len())? != MAGIC {
            return Err("it is not a model file of this version".to_owned());
        }
        cursor.take(CHECKSUM.len())?;
        let (shape, name) = head::read(&mut cursor)?;
        let vocabulary = read_vocabulary(&mut cursor, shape.vocabulary)?;
        let is_unigram = shape.tokenizer == Tokenizer::Unigram;
        let scores = cursor.section(if is_unigram { shape.vocabulary } else { 0 }, 4)?;
        let lowest_score = lowest(&bytes[scores.clone()]);
        let words = EmbeddingTable::read(&mut cursor, shape.vocabulary, shape.width)?;
        let positions = EmbeddingTable::read(&mut cursor, shape.positions, shape.width)?;
        let norm = Norm::read(&mut cursor, shape.width)?;
        let layers = (0..shape.layers)
            .map(|_| EncoderLayer::read(&mut cursor, &shape))
            .collect::<Result<_, _>>()?;
        cursor.expect_end()?;
        Ok(Self {
            name,
            shape,
            vocabulary,
            scores,
            lowest_score,
            words,
            positions,
            norm,
            layers,
            bytes,
        })
    }

    /// Checks the checksum and the order of the vocabulary. Reads the whole file.
    pub(crate) fn verify(&self) -> Result<(), String> {
        let sum = blake3::hash(&self.bytes[CHECKSUM.end..]);
        if sum.as_bytes() != self.checksum() {
            return Err("it is damaged: its checksum does not match".to_owned());
        }
        let first_disorder = self.vocabulary.first_disorder(&self.bytes);
        first_disorder
            .map_or(Ok(()), |at| Err(format!("its vocabulary is out of order at token {at}")))
    }

    pub(crate) fn checksum(&self) -> &[u8] {
        &self.bytes[CHECKSUM]
    }

    pub(crate) fn score(&self, token: u32) -> f32 {
        f32::from_le_bytes(number_at(&self.bytes, &self.scores, token as usize))
    }
}

fn lowest(scores: &[u8]) -> f32 {
    scores.as_chunks().0.iter().map(|chunk| f32::from_le_bytes(*chunk)).fold(0.0, f32::min)
}

fn read_vocabulary(cursor: &mut Cursor<'_>, len: usize) -> Result<TokenVocabulary, String> {
    let starts = cursor.section(len + 1, 4)?;
    let text_len = u32::from_le_bytes(number_at(cursor.bytes(), &starts, len)) as usize;
    let text = cursor.section(text_len, 1)?;
    Ok(TokenVocabulary { len, starts, text })
}

impl EmbeddingTable {
    fn read(cursor: &mut Cursor<'_>, rows: usize, width: usize) -> Result<Self, String> {
        Ok(Self { scales: cursor.section(rows, 4)?, rows: cursor.section(rows, width)?, width })
    }

    /// A quantized row and its scale.
    #[inline(always)]
    pub(crate) fn row<'a>(&self, bytes: &'a [u8], row: usize) -> (&'a [u8], f32) {
        let at = self.rows.start + row * self.width;
        (&bytes[at..at + self.width], f32::from_le_bytes(number_at(bytes, &self.scales, row)))
    }
}

impl Norm {
    fn read(cursor: &mut Cursor<'_>, width: usize) -> Result<Self, String> {
        Ok(Self { weight: cursor.floats(width)?, bias: cursor.floats(width)? })
    }
}

impl EncoderLayer {
    fn read(cursor: &mut Cursor<'_>, shape: &ModelShape) -> Result<Self, String> {
        let ModelShape { width, inner, .. } = *shape;
        Ok(Self {
            qkv: Matrix::read(cursor, 3 * width, width)?,
            attention_output: Matrix::read(cursor, width, width)?,
            attention_norm: Norm::read(cursor, width)?,
            intermediate: Matrix::read(cursor, inner, width)?,
            output: Matrix::read(cursor, width, inner)?,
            output_norm: Norm::read(cursor, width)?,
        })
    }
}

impl Matrix {
    fn read(cursor: &mut Cursor<'_>, rows: usize, columns: usize) -> Result<Self, String> {
        let padded = rows.next_multiple_of(BLOCK);
        let smoothing = cursor.floats(columns)?;
        let columns = columns.next_multiple_of(GROUP);
        Ok(Self {
            rows,
            columns,
            smoothing,
            scales: cursor.floats(padded)?,
            bias: cursor.floats(padded)?,
            starts: cursor.integers(padded)?,
            weights: cursor.section(padded, columns)?,
        })
    }

    /// The blocks of rows in sequence.
    #[inline(always)]
    pub(crate) fn weights<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.weights.clone()]
    }
}
