//! The inner loop of a matrix product: the kernel trait, and the panel of weights it works on.

use crate::shape::BLOCK;

/// Maximum number of blocks of rows that are summed at once.
pub(crate) const PANEL: usize = 4;
/// Rows of a panel, and the distance between the sums of two inputs.
pub(crate) const PANEL_ROWS: usize = PANEL * BLOCK;

/// A way to compute dot products.
pub(crate) trait Kernel: Copy {
    /// XOR mask for inputs: 0x80 maps a number from -127 to 127 to one from 1 to 255.
    const FLIP: u8;

    /// Computes the dot product of every input with every row of the panel. `sums` has
    /// [`PANEL_ROWS`] entries for each input; as many as the panel has rows are written.
    fn sum(self, panel: Panel<'_>, inputs: &[u8], sums: &mut [i32]);
}

/// Some blocks of a matrix.
#[derive(Clone, Copy)]
pub(crate) struct Panel<'a> {
    /// The blocks' weights, in the layout of the model file.
    pub(crate) weights: &'a [u8],
    /// The start values of the sums, for kernels with a flip mask; one for each row.
    pub(crate) starts: &'a [i32],
    pub(crate) columns: usize,
}

impl<'a> Panel<'a> {
    /// Each block's weights, and the start values of its sums.
    #[inline(always)]
    pub(crate) fn blocks(self) -> impl Iterator<Item = (&'a [u8], &'a [i32; BLOCK])> {
        self.weights.chunks_exact(self.columns * BLOCK).zip(self.starts.as_chunks::<BLOCK>().0)
    }
}
