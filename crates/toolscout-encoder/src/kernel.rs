//! Sums of products of eight-bit numbers, as fast as the processor has it; every way gives the same integers.

mod portable;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::file::ModelFile;
use crate::pass::{self, Batch, Passed};
use crate::shape::BLOCK;
use portable::Portable;
use std::sync::LazyLock;

/// Blocks of rows that are summed at once, at most.
pub(crate) const PANEL: usize = 4;
/// Rows of a panel, and how far apart the sums of two inputs are.
pub(crate) const PANEL_ROWS: usize = PANEL * BLOCK;

/// A way to sum products.
pub(crate) trait Kernel: Copy {
    /// What inputs are written with: 0x80 makes of a number from -127 to 127 one from 1 to 255.
    const FLIP: u8;

    /// Sums the products of every input with every row of the panel. `sums` has [`PANEL_ROWS`] for each input, of which as many
    /// are written as the panel has rows.
    fn sum(self, panel: Panel<'_>, inputs: &[u8], sums: &mut [i32]);
}

/// Some blocks of a matrix.
#[derive(Clone, Copy)]
pub(crate) struct Panel<'a> {
    /// The blocks' weights, as a model's file has them.
    pub(crate) weights: &'a [u8],
    /// What sums start at, for kernels that flip; one for each row.
    pub(crate) starts: &'a [i32],
    pub(crate) columns: usize,
}

impl<'a> Panel<'a> {
    /// Each block's weights, and what its sums start at.
    #[inline(always)]
    pub(crate) fn blocks(self) -> impl Iterator<Item = (&'a [u8], &'a [i32; BLOCK])> {
        self.weights.chunks_exact(self.columns * BLOCK).zip(self.starts.as_chunks::<BLOCK>().0)
    }
}

/// The kernels there are; which of them this processor can run is found out once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Path {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Path {
    /// The best that this processor has.
    pub(crate) fn fastest() -> Self {
        static FASTEST: LazyLock<Path> = LazyLock::new(|| Path::all().pop().unwrap_or(Path::Portable));
        *FASTEST
    }

    /// All that this processor can run, the fastest last.
    pub(crate) fn all() -> Vec<Self> {
        #[cfg(target_arch = "x86_64")]
        let special = [x86::Avx2::here().map(|_| Self::Avx2), x86::Avx512::here().map(|_| Self::Avx512)];
        #[cfg(not(target_arch = "x86_64"))]
        let special: [Option<Self>; 0] = [];
        std::iter::once(Self::Portable).chain(special.into_iter().flatten()).collect()
    }
}

/// Takes the texts through the model on this path, or on the portable one if the processor has no such instructions.
pub(crate) fn run(path: Path, file: &ModelFile, batch: &Batch) -> Passed {
    match path {
        #[cfg(target_arch = "x86_64")]
        Path::Avx512 if let Some(kernel) = x86::Avx512::here() => kernel.run(file, batch),
        #[cfg(target_arch = "x86_64")]
        Path::Avx2 if let Some(kernel) = x86::Avx2::here() => kernel.run(file, batch),
        _ => pass::run(Portable, file, batch),
    }
}
