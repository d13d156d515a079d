//! Computed data about tools, kept from one index to the next and from one process to the next.

use crate::document::{TextStamp, ToolDocument};
use crate::lexical::Lexical;
use crate::stems::Stems;
use crate::vectors::{ExistingVectors, Vector, Vectors};
use crate::vocabulary::TermVocabulary;
use hashbrown::HashMap;
use std::sync::Arc;

/// All computed data about tools. Cloning is cheap.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct IndexData {
    pub(crate) lexical: Arc<Lexical>,
    pub(crate) vectors: Arc<Vectors>,
}

/// Magic number and version of the format; data with another one is discarded.
const FORMAT: u32 = 0x7473_0001;

impl IndexData {
    /// Whether both are the same instance, so that nothing was computed in between.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.lexical, &other.lexical) && Arc::ptr_eq(&self.vectors, &other.vectors)
    }

    /// Adds data for tools that `before` does not contain, and drops data of other tools.
    pub(crate) fn update(before: &Self, stems: &Stems, documents: &[ToolDocument<'_>]) -> Self {
        if documents.iter().map(|document| document.stamp).eq(before.lexical.stamps.iter().copied())
        {
            return before.clone();
        }
        let lexical = Lexical::build(&before.lexical, stems, documents.iter().copied());
        let old = ExistingVectors::new(&before.vectors, &before.lexical.stamps);
        let vectors =
            Vectors::gather(&before.vectors.encoder, &lexical.stamps, &old, &HashMap::new());
        Self { lexical: Arc::new(lexical), vectors: Arc::new(vectors) }
    }

    /// The same data with these vectors in addition; vectors of another encoder are dropped.
    pub(crate) fn with_vectors(
        &self,
        encoder: &str,
        new: impl IntoIterator<Item = (TextStamp, Vector)>,
    ) -> Self {
        let none = Vectors::default();
        let old = if self.vectors.encoder == encoder { &*self.vectors } else { &none };
        let old = ExistingVectors::new(old, &self.lexical.stamps);
        let vectors =
            Vectors::gather(encoder, &self.lexical.stamps, &old, &new.into_iter().collect());
        Self { lexical: self.lexical.clone(), vectors: Arc::new(vectors) }
    }

    /// Serializes to bytes: lists of little-endian numbers with a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Lexical { vocabulary, stamps, ends, entries, fields, term_ends, postings } =
            &*self.lexical;
        let mut out = FORMAT.to_le_bytes().to_vec();
        write_part(&mut out, vocabulary.text.as_bytes());
        write_part(
            &mut out,
            &stamps.iter().flat_map(|stamp| stamp.to_le_bytes()).collect::<Vec<_>>(),
        );
        for numbers in [&vocabulary.ends, ends, entries, term_ends, postings] {
            write_part(
                &mut out,
                &numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>(),
            );
        }
        write_part(&mut out, fields);
        write_part(&mut out, self.vectors.encoder.as_bytes());
        write_part(&mut out, &(self.vectors.dimensions as u32).to_le_bytes());
        write_part(
            &mut out,
            &self.vectors.scales.iter().flat_map(|scale| scale.to_le_bytes()).collect::<Vec<_>>(),
        );
        write_part(
            &mut out,
            &self.vectors.numbers.iter().map(|number| *number as u8).collect::<Vec<_>>(),
        );
        let check = blake3::hash(&out);
        out.extend_from_slice(&check.as_bytes()[..16]);
        out
    }

    /// Reads the output of [`Self::to_bytes`]. None for any other or inconsistent data; then the
    /// caller indexes all tools again.
    pub fn from_bytes(all: &[u8]) -> Option<Self> {
        let (rest, check) = all.split_last_chunk::<16>()?;
        let is_intact = blake3::hash(rest).as_bytes()[..16] == *check;
        let mut rest = rest.strip_prefix(&FORMAT.to_le_bytes()).filter(|_| is_intact)?;
        let text = String::from_utf8(read_part(&mut rest)?.to_vec()).ok()?;
        let stamps = read_part(&mut rest)?
            .as_chunks()
            .0
            .iter()
            .map(|chunk| TextStamp::from_le_bytes(*chunk))
            .collect();
        let mut numbers = || {
            Some(
                read_part(&mut rest)?
                    .as_chunks()
                    .0
                    .iter()
                    .map(|chunk| u32::from_le_bytes(*chunk))
                    .collect(),
            )
        };
        let [ends_of_words, ends, entries, term_ends, postings]: [Vec<u32>; 5] =
            [numbers()?, numbers()?, numbers()?, numbers()?, numbers()?];
        let fields = read_part(&mut rest)?.to_vec();
        let vocabulary = TermVocabulary { text, ends: ends_of_words };
        let lexical = Lexical { vocabulary, stamps, ends, entries, fields, term_ends, postings };
        let encoder = String::from_utf8(read_part(&mut rest)?.to_vec()).ok()?;
        let dimensions = u32::from_le_bytes(read_part(&mut rest)?.try_into().ok()?) as usize;
        let scales = read_part(&mut rest)?
            .as_chunks()
            .0
            .iter()
            .map(|chunk| f32::from_le_bytes(*chunk))
            .collect();
        let numbers = read_part(&mut rest)?.iter().map(|byte| *byte as i8).collect();
        let vectors = Vectors { encoder, dimensions, numbers, scales };
        let is_valid = lexical.is_consistent() && vectors.fits(lexical.len());
        is_valid.then(|| Self { lexical: Arc::new(lexical), vectors: Arc::new(vectors) })
    }
}

/// Writes the length first, so that a part can be read as one slice.
fn write_part(out: &mut Vec<u8>, value: &[u8]) {
    out.extend_from_slice(&(value.len() as u64).to_le_bytes());
    out.extend_from_slice(value);
}

fn read_part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after_length) = rest.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (part, after_part) = after_length.split_at_checked(length)?;
    *rest = after_part;
    Some(part)
}
