//! Embeddings of tools, quantized to int8.

use crate::document::TextStamp;
use crate::meaning::QueryEmbedding;
use hashbrown::HashMap;

/// A quantized vector: int8 values and a scale factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    scale: f32,
    numbers: Box<[i8]>,
}

impl Vector {
    /// Quantizes to int8. The error is far below the difference between two tools.
    pub fn of(numbers: &[f32]) -> Self {
        let most = numbers.iter().fold(0.0_f32, |most, it| most.max(it.abs()));
        let scale = if most > 0.0 { most / 127.0 } else { 1.0 };
        Self { scale, numbers: numbers.iter().map(|it| (it / scale).round() as i8).collect() }
    }

    /// Serializes the vector.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = self.numbers.iter().map(|it| *it as u8);
        self.scale.to_le_bytes().into_iter().chain(numbers).collect()
    }

    /// Reads the output of [`Self::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (scale, numbers) = bytes.split_first_chunk()?;
        let scale = f32::from_le_bytes(*scale);
        let is_whole = scale.is_finite() && !numbers.is_empty();
        is_whole.then(|| Self { scale, numbers: numbers.iter().map(|it| *it as i8).collect() })
    }

    /// The cosine similarity, from -1 to 1.
    pub(crate) fn likeness(&self, other: &Self) -> f32 {
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
        let dimensions = new.values().next().map_or(old.vectors.dimensions, |it| it.numbers.len());
        if dimensions == 0 {
            return Self::default();
        }
        let mut all = Self { encoder: encoder.to_owned(), dimensions, ..Self::default() };
        all.numbers.reserve_exact(stamps.len() * dimensions);
        all.scales.reserve_exact(stamps.len());
        for stamp in stamps {
            let new = new.get(stamp).map(|it| (&*it.numbers, it.scale));
            let known = new
                .or_else(|| old.vector(stamp))
                .filter(|(numbers, _)| numbers.len() == dimensions);
            match known {
                Some((numbers, _)) => all.numbers.extend_from_slice(numbers),
                None => all.numbers.extend(std::iter::repeat_n(0, dimensions)),
            }
            all.scales.push(known.map_or(f32::NAN, |(_, scale)| scale));
        }
        all
    }

    /// Whether the sizes match this number of tools.
    pub(crate) fn fits(&self, tools: usize) -> bool {
        let is_whole = self.scales.len() == tools
            && Some(self.numbers.len()) == tools.checked_mul(self.dimensions);
        if self.dimensions == 0 {
            self.scales.is_empty() && self.numbers.is_empty()
        } else {
            is_whole
        }
    }

    /// The number of tools that have a vector.
    pub(crate) fn len(&self) -> usize {
        self.scales.iter().filter(|it| it.is_finite()).count()
    }

    /// The similarity of the query to each tool; NaN for a tool without a vector. None if the
    /// vectors are not comparable.
    pub(crate) fn similarities(&self, meaning: &QueryEmbedding) -> Option<Vec<f32>> {
        if self.dimensions == 0 || meaning.whole.len() != self.dimensions {
            return None;
        }
        let mut all = self.to(&meaning.whole);
        let mut best: Option<Vec<f32>> = None;
        for part in meaning.parts.iter().filter(|it| it.len() == self.dimensions) {
            let of_part = self.to(part);
            best = Some(match best {
                None => of_part,
                Some(best) => {
                    best.iter().zip(&of_part).map(|(one, other)| one.max(*other)).collect()
                }
            });
        }
        // A query for several things matches no tool as a whole, but each of them with a part.
        for (one, part) in all.iter_mut().zip(best.into_iter().flatten()) {
            const OF_PART: f32 = 0.7;
            *one += OF_PART * (part - *one).max(0.0);
        }
        Some(all)
    }

    fn to(&self, numbers: &[f32]) -> Vec<f32> {
        let asked = Vector::of(numbers);
        let rows = self.numbers.chunks_exact(self.dimensions).zip(&self.scales);
        rows.map(|(row, scale)| dot(row, &asked.numbers) as f32 * scale * asked.scale).collect()
    }
}

/// Existing vectors, with their positions by stamp.
pub(crate) struct ExistingVectors<'a> {
    vectors: &'a Vectors,
    places: HashMap<TextStamp, usize>,
}

impl<'a> ExistingVectors<'a> {
    pub(crate) fn of(vectors: &'a Vectors, stamps: &[TextStamp]) -> Self {
        let places = if vectors.dimensions == 0 { &[] } else { stamps };
        Self { vectors, places: places.iter().zip(0..).map(|(stamp, at)| (*stamp, at)).collect() }
    }

    fn vector(&self, stamp: &TextStamp) -> Option<(&'a [i8], f32)> {
        let at = *self.places.get(stamp)?;
        let scale = *self.vectors.scales.get(at).filter(|it| it.is_finite())?;
        let size = self.vectors.dimensions;
        Some((self.vectors.numbers.get(at * size..(at + 1) * size)?, scale))
    }
}

/// The dot product. Products in 16 bits let the compiler use SIMD instructions.
fn dot(one: &[i8], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(one, other)| i32::from(i16::from(*one) * i16::from(*other))).sum()
}
