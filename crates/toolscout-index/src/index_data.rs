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
const FORM: u32 = 0x7473_0001;

impl IndexData {
    /// Whether both are the same instance, so that nothing was computed in between.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.lexical, &other.lexical) && Arc::ptr_eq(&self.vectors, &other.vectors)
    }

    /// Adds data for tools that `before` does not contain, and drops data of other tools.
    pub(crate) fn after(before: &Self, stems: &Stems, documents: &[ToolDocument<'_>]) -> Self {
        if documents.iter().map(|it| it.stamp).eq(before.lexical.stamps.iter().copied()) {
            return before.clone();
        }
        let lexical = Lexical::build(&before.lexical, stems, documents.iter().copied());
        let old = ExistingVectors::of(&before.vectors, &before.lexical.stamps);
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
        let old = ExistingVectors::of(old, &self.lexical.stamps);
        let vectors =
            Vectors::gather(encoder, &self.lexical.stamps, &old, &new.into_iter().collect());
        Self { lexical: self.lexical.clone(), vectors: Arc::new(vectors) }
    }

    /// Serializes to bytes: lists of little-endian numbers with a checksum.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Lexical { vocabulary, stamps, ends, entries, fields, term_ends, postings } =
            &*self.lexical;
        let mut out = FORM.to_le_bytes().to_vec();
        bytes(&mut out, vocabulary.text.as_bytes());
        bytes(&mut out, &stamps.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>());
        for numbers in [&vocabulary.ends, ends, entries, term_ends, postings] {
            bytes(&mut out, &numbers.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>());
        }
        bytes(&mut out, fields);
        bytes(&mut out, self.vectors.encoder.as_bytes());
        bytes(&mut out, &(self.vectors.dimensions as u32).to_le_bytes());
        bytes(
            &mut out,
            &self.vectors.scales.iter().flat_map(|it| it.to_le_bytes()).collect::<Vec<_>>(),
        );
        bytes(&mut out, &self.vectors.numbers.iter().map(|it| *it as u8).collect::<Vec<_>>());
        let check = blake3::hash(&out);
        out.extend_from_slice(&check.as_bytes()[..16]);
        out
    }

    /// Reads the output of [`Self::to_bytes`]. None for any other or inconsistent data; then the
    /// caller indexes all tools again.
    pub fn from_bytes(all: &[u8]) -> Option<Self> {
        let (rest, check) = all.split_last_chunk::<16>()?;
        let is_whole = blake3::hash(rest).as_bytes()[..16] == *check;
        let mut rest = rest.strip_prefix(&FORM.to_le_bytes()).filter(|_| is_whole)?;
        let text = String::from_utf8(part(&mut rest)?.to_vec()).ok()?;
        let stamps =
            part(&mut rest)?.as_chunks().0.iter().map(|it| TextStamp::from_le_bytes(*it)).collect();
        let mut numbers = || {
            Some(part(&mut rest)?.as_chunks().0.iter().map(|it| u32::from_le_bytes(*it)).collect())
        };
        let [ends_of_words, ends, entries, term_ends, postings]: [Vec<u32>; 5] =
            [numbers()?, numbers()?, numbers()?, numbers()?, numbers()?];
        let fields = part(&mut rest)?.to_vec();
        let vocabulary = TermVocabulary { text, ends: ends_of_words };
        let lexical = Lexical { vocabulary, stamps, ends, entries, fields, term_ends, postings };
        let encoder = String::from_utf8(part(&mut rest)?.to_vec()).ok()?;
        let dimensions = u32::from_le_bytes(part(&mut rest)?.try_into().ok()?) as usize;
        let scales =
            part(&mut rest)?.as_chunks().0.iter().map(|it| f32::from_le_bytes(*it)).collect();
        let numbers = part(&mut rest)?.iter().map(|it| *it as i8).collect();
        let vectors = Vectors { encoder, dimensions, numbers, scales };
        let fits = lexical.fits_together() && vectors.fits(lexical.len());
        fits.then(|| Self { lexical: Arc::new(lexical), vectors: Arc::new(vectors) })
    }
}

/// Writes the length first, so that a part can be read as one slice.
fn bytes(out: &mut Vec<u8>, it: &[u8]) {
    out.extend_from_slice(&(it.len() as u64).to_le_bytes());
    out.extend_from_slice(it);
}

fn part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, behind) = rest.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (part, behind) = behind.split_at_checked(length)?;
    *rest = behind;
    Some(part)
}
