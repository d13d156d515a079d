//! What tools mean, a byte a number.

use crate::document::TextStamp;
use crate::meaning::QueryEmbedding;
use hashbrown::HashMap;

/// A vector as it is kept: numbers as bytes, and what they are to be multiplied with.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector {
    scale: f32,
    numbers: Box<[i8]>,
}

impl Vector {
    /// Rounds to bytes. What is lost is far below what tells two tools apart.
    pub fn of(numbers: &[f32]) -> Self {
        let most = numbers.iter().fold(0.0_f32, |most, it| most.max(it.abs()));
        let scale = if most > 0.0 { most / 127.0 } else { 1.0 };
        Self { scale, numbers: numbers.iter().map(|it| (it / scale).round() as i8).collect() }
    }

    /// As it is written down.
    pub fn to_bytes(&self) -> Vec<u8> {
        let numbers = self.numbers.iter().map(|it| *it as u8);
        self.scale.to_le_bytes().into_iter().chain(numbers).collect()
    }

    /// Reads what [`Self::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (scale, numbers) = bytes.split_first_chunk()?;
        let scale = f32::from_le_bytes(*scale);
        let is_whole = scale.is_finite() && !numbers.is_empty();
        is_whole.then(|| Self { scale, numbers: numbers.iter().map(|it| *it as i8).collect() })
    }

    /// How alike two are, from -1 to 1.
    pub(crate) fn likeness(&self, other: &Self) -> f32 {
        dot(&self.numbers, &other.numbers) as f32 * self.scale * other.scale
    }
}

/// The vectors of tools, in the order of the tools.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Vectors {
    /// Whose space this is; empty while there are none.
    pub(crate) encoder: String,
    pub(crate) dimensions: usize,
    /// One by one; zeros where there is none yet.
    pub(crate) numbers: Vec<i8>,
    /// Not a number where there is none yet.
    pub(crate) scales: Vec<f32>,
}

impl Vectors {
    /// Those of these tools, from what there was and from what is new; what is new counts.
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
            let known = new.or_else(|| old.vector(stamp)).filter(|(numbers, _)| numbers.len() == dimensions);
            match known {
                Some((numbers, _)) => all.numbers.extend_from_slice(numbers),
                None => all.numbers.extend(std::iter::repeat_n(0, dimensions)),
            }
            all.scales.push(known.map_or(f32::NAN, |(_, scale)| scale));
        }
        all
    }

    /// Whether these can be of so many tools.
    pub(crate) fn fits(&self, tools: usize) -> bool {
        let is_whole = self.scales.len() == tools && Some(self.numbers.len()) == tools.checked_mul(self.dimensions);
        if self.dimensions == 0 { self.scales.is_empty() && self.numbers.is_empty() } else { is_whole }
    }

    /// How many tools have one.
    pub(crate) fn len(&self) -> usize {
        self.scales.iter().filter(|it| it.is_finite()).count()
    }

    /// How alike the question is to each tool; not a number where that is not known. None where nothing is.
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
                Some(best) => best.iter().zip(&of_part).map(|(one, other)| one.max(*other)).collect(),
            });
        }
        // Who asks for several things at once means none of the tools as a whole, but each with a part.
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

/// Vectors that are there already, and whose they are.
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

/// In wide pieces, which compilers turn into wide instructions.
fn dot(one: &[i8], other: &[i8]) -> i32 {
    one.iter().zip(other).map(|(one, other)| i32::from(i16::from(*one) * i16::from(*other))).sum()
}
