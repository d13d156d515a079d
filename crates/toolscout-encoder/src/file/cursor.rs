//! Reads a file section by section, and never beyond its end.

use super::ALIGNMENT;
use std::ops::Range;

pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    pub(super) fn take(&mut self, len: usize) -> Result<&'a [u8], String> {
        let range = self.skip(Some(len))?;
        Ok(&self.bytes[range])
    }

    pub(super) fn number(&mut self) -> Result<u32, String> {
        let four = self.take(4)?.try_into().expect("four bytes were taken");
        Ok(u32::from_le_bytes(four))
    }

    /// The byte range of this many items of this size, aligned to a cache line.
    pub(super) fn section(&mut self, count: usize, size: usize) -> Result<Range<usize>, String> {
        self.at = self.at.next_multiple_of(ALIGNMENT);
        self.skip(count.checked_mul(size))
    }

    pub(super) fn floats(&mut self, count: usize) -> Result<Vec<f32>, String> {
        Ok(self.words(count)?.map(f32::from_le_bytes).collect())
    }

    pub(super) fn integers(&mut self, count: usize) -> Result<Vec<i32>, String> {
        Ok(self.words(count)?.map(i32::from_le_bytes).collect())
    }

    pub(super) fn expect_end(&self) -> Result<(), String> {
        let rest = self.bytes.len() - self.at;
        if rest == 0 { Ok(()) } else { Err(format!("it has extra data at its end ({rest} bytes)")) }
    }

    fn words(&mut self, count: usize) -> Result<impl Iterator<Item = [u8; 4]> + use<'a>, String> {
        let range = self.section(count, 4)?;
        Ok(self.bytes[range].as_chunks::<4>().0.iter().copied())
    }

    fn skip(&mut self, len: Option<usize>) -> Result<Range<usize>, String> {
        let end =
            len.and_then(|len| self.at.checked_add(len)).filter(|sum| *sum <= self.bytes.len());
        let end = end.ok_or_else(|| format!("it is truncated after {} bytes", self.bytes.len()))?;
        let range = self.at..end;
        self.at = end;
        Ok(range)
    }
}
