//! The kernel for every processor, written so that compilers can vectorize it.

use crate::panel::{Kernel, PANEL_ROWS, Panel};
use crate::shape::{BLOCK, GROUP};

/// Rows that are summed at a time, so that an input is loaded once for all of them.
const ROWS: usize = 4;

#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Kernel for Portable {
    const FLIP: u8 = 0;

    fn sum(self, panel: Panel<'_>, inputs: &[u8], sums: &mut [i32]) {
        let inputs: Vec<i16> = inputs.iter().map(|input| i16::from(*input as i8)).collect();
        for (at, (weights, _)) in panel.blocks().enumerate() {
            let rows = row_by_row(weights, panel.columns);
            for (input, sums) in
                inputs.chunks_exact(panel.columns).zip(sums.chunks_exact_mut(PANEL_ROWS))
            {
                let sums = sums[at * BLOCK..][..BLOCK].as_chunks_mut::<ROWS>().0;
                for (rows, sums) in rows.chunks_exact(ROWS * panel.columns).zip(sums) {
                    *sums = sum_rows(rows, input);
                }
            }
        }
    }
}

/// The weights of a block as 16-bit numbers in row order. Most processors can multiply pairs of
/// such numbers and add them; with a few inputs that outweighs the copy.
fn row_by_row(weights: &[u8], columns: usize) -> Vec<i16> {
    let mut rows = vec![0; BLOCK * columns];
    for (at, strip) in weights.as_chunks::<{ BLOCK * GROUP }>().0.iter().enumerate() {
        for (row, group) in strip.as_chunks::<GROUP>().0.iter().enumerate() {
            rows[row * columns + at * GROUP..][..GROUP]
                .copy_from_slice(&group.map(|group| i16::from(group as i8)));
        }
    }
    rows
}

fn sum_rows(rows: &[i16], input: &[i16]) -> [i32; ROWS] {
    let row = |number: usize| &rows[number * input.len()..][..input.len()];
    let (first, second, third, fourth) = (row(0), row(1), row(2), row(3));
    let mut sums = [0i32; ROWS];
    for at in 0..input.len() {
        let product = |row: &[i16]| i32::from(row[at]) * i32::from(input[at]);
        sums[0] = sums[0].wrapping_add(product(first));
        sums[1] = sums[1].wrapping_add(product(second));
        sums[2] = sums[2].wrapping_add(product(third));
        sums[3] = sums[3].wrapping_add(product(fourth));
    }
    sums
}
