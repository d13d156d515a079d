//! The inner loop of a matrix product: what a kernel computes, and the panel of weights it computes it on.

use crate::shape::BLOCK;

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
