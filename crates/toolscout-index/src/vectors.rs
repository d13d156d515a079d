//! Embeddings of tools, quantized to int8.

use crate::document::TextStamp;
use crate::query_embedding::QueryEmbedding;
use hashbrown::HashMap;

/// A quantized vector: int8 values and a scale factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    scale: f32,
    numbers: Box<[i8]>,
}

impl Vector {
    /// Quantizes to int8. The error is far below the difference between two tools.
    pub fn quantize(numbers: &[f32]) -> Self {
        let maximum = numbers.iter().fold(0.0_f32, |maximum, number| maximum.max(number.abs()));
        let scale = if maximum > 0.0 { maximum / 127.0 } else { 1.0 };
        Self {
            scale,
            numbers: numbers.iter().map(|number| (number / scale).round() as i8).collect(),
        }
    }

    /// Serializes the vector.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = self.numbers.iter().map(|number| *number as u8);
        self.scale.to_le_bytes().into_iter().chain(numbers).collect()
    }

    /// Reads the output of [`Self::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (scale, numbers) = bytes.split_first_chunk()?;
        let scale = f32::from_le_bytes(*scale);
        let is_valid = scale.is_finite() && !numbers.is_empty();
        is_valid
            .then(|| Self { scale, numbers: numbers.iter().map(|number| *number as i8).collect() })
    }

    /// The cosine similarity, from -1 to 1.
    pub(crate) fn similarity(&self, other: &Self) -> f32 {
        dot(&self.numbers, &other.numbers) as f32 * self.scale * other.scale
    }
}

/// The vectors of all tools, in the order of the tools.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Vectors {
    /// The encoder's id; empty while there are no vectors.
    pub(crate) encoder: String,
    pub(crate) dimensions: usize,
    /// The values of all vectors in sequence; zeros for a tool without a vector.
    pub(crate) numbers: Vec<i8>,
    /// The scale factors; NaN for a tool without a vector.
    pub(crate) scales: Vec<f32>,
}

impl Vectors {
    /// Collects the vectors of these tools from old and new ones; new ones take precedence.
    pub(crate) fn gather(
        encoder: &str,
        stamps: &[TextStamp],
        old: &ExistingVectors<'_>,
        new: &HashMap<TextStamp, Vector>,
    ) -> Self {
        let dimensions =
            new.values().next().map_or(old.vectors.dimensions, |value| value.numbers.len());
        if dimensions == 0 {
            return Self::default();
        }
        let mut vectors = Self { encoder: encoder.to_owned(), dimensions, ..Self::default() };
        vectors.numbers.reserve_exact(stamps.len() * dimensions);
        vectors.scales.reserve_exact(stamps.len());
        for stamp in stamps {
            let new = new.get(stamp).map(|value| (&*value.numbers, value.scale));
            let known = new
                .or_else(|| old.vector(stamp))
                .filter(|(numbers, _)| numbers.len() == dimensions);
            match known {
                Some((numbers, _)) => vectors.numbers.extend_from_slice(numbers),
                None => vectors.numbers.extend(std::iter::repeat_n(0, dimensions)),
            }
            vectors.scales.push(known.map_or(f32::NAN, |(_, scale)| scale));
        }
        vectors
    }

    /// Whether the sizes match this number of tools.
    pub(crate) fn fits(&self, tools: usize) -> bool {
        let is_valid = self.scales.len() == tools
            && Some(self.numbers.len()) == tools.checked_mul(self.dimensions);
        if self.dimensions == 0 {
            self.scales.is_empty() && self.numbers.is_empty()
        } else {
            is_valid
        }
    }

    /// The number of tools that have a vector.
    pub(crate) fn len(&self) -> usize {
        self.scales.iter().filter(|scale| scale.is_finite()).count()
    }

    /// The similarity of the query to each tool; NaN for a tool without a vector. None if the
    /// vectors are not comparable.
    pub(crate) fn similarities(&self, embedding: &QueryEmbedding) -> Option<Vec<f32>> {
        if self.dimensions == 0 || embedding.whole.len() != self.dimensions {
            return None;
        }
        let mut similarities = self.similarities_to(&embedding.whole);
        let mut best: Option<Vec<f32>> = None;
        for part in embedding.parts.iter().filter(|part| part.len() == self.dimensions) {
            let of_part = self.similarities_to(part);
            best = Some(match best {
                None => of_part,
                Some(best) => {
                    best.iter().zip(&of_part).map(|(one, other)| one.max(*other)).collect()
                }
            });
        }
        // A query for several things matches no tool as a whole, but each of them with a part.
        for (one, part) in similarities.iter_mut().zip(best.into_iter().flatten()) {
            const PART_WEIGHT: f32 = 0.7;
            *one += PART_WEIGHT * (part - *one).max(0.0);
        }
        Some(similarities)
    }

    fn similarities_to(&self, numbers: &[f32]) -> Vec<f32> {
        let query = Vector::quantize(numbers);
        let rows = self.numbers.chunks_exact(self.dimensions).zip(&self.scales);
        rows.map(|(row, scale)| dot(row, &query.numbers) as f32 * scale * query.scale).collect()
    }
}

/// Existing vectors, with their positions by stamp.
pub(crate) struct ExistingVectors<'a> {
    vectors: &'a Vectors,
    positions: HashMap<TextStamp, usize>,
}

impl<'a> ExistingVectors<'a> {
    pub(crate) fn new(vectors: &'a Vectors, stamps: &[TextStamp]) -> Self {
        let positions = if vectors.dimensions == 0 { &[] } else { stamps };
        Self {
            vectors,
            positions: positions.iter().zip(0..).map(|(stamp, at)| (*stamp, at)).collect(),
        }
    }

    fn vector(&self, stamp: &TextStamp) -> Option<(&'a [i8], f32)> {
        let at = *self.positions.get(stamp)?;
        let scale = *self.vectors.scales.get(at).filter(|scale| scale.is_finite())?;
        let size = self.vectors.dimensions;
        Some((self.vectors.numbers.get(at * size..(at + 1) * size)?, scale))
    }
}

/// The dot product. Products in 16 bits let the compiler use SIMD instructions.
fn dot(one: &[i8], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(one, other)| i32::from(i16::from(*one) * i16::from(*other))).sum()
}
