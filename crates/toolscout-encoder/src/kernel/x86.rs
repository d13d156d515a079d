//! Kernels for x86 processors: 64 products per instruction with AVX-512 VNNI, 32 in four
//! instructions with AVX2.
//!
//! This is the only unsafe code of this crate. A value of [`Avx512`] or [`Avx2`] exists only if the
//! processor has those instructions, so holding one proves that calling them is sound; the rest is
//! loads from slices whose length was checked before.

#![expect(unsafe_code, reason = "intrinsics of optional CPU features are unsafe to call")]

use crate::file::ModelFile;
use crate::panel::{Kernel, PANEL, PANEL_ROWS, Panel};
use crate::pass::{self, Passed, TokenBatch};
use crate::shape::{BLOCK, GROUP};
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
pub(super) struct Avx512(());

impl Avx512 {
    pub(super) fn here() -> Option<Self> {
        let has = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vnni");
        has.then_some(Self(()))
    }

    pub(super) fn run(self, file: &ModelFile, batch: &TokenBatch) -> Passed {
        // The whole pass is compiled for these instructions, not only the sums.
        #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
        fn run(kernel: Avx512, file: &ModelFile, batch: &TokenBatch) -> Passed {
            pass::run(kernel, file, batch)
        }
        // SAFETY: `self` exists, so the processor has these instructions.
        unsafe { run(self, file, batch) }
    }
}

impl Kernel for Avx512 {
    const FLIP: u8 = 0x80;

    #[inline(always)]
    fn sum(self, panel: Panel<'_>, inputs: &[u8], sums: &mut [i32]) {
        // SAFETY: `self` exists, so the processor has these instructions.
        unsafe { sum_avx512(panel, inputs, sums) }
    }
}

#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
fn sum_avx512(panel: Panel<'_>, inputs: &[u8], sums: &mut [i32]) {
    // As many inputs as leave registers for the weights of a whole panel.
    const INPUTS: usize = 6;
    let blocks = panel.starts.len() / BLOCK;
    let tiles = inputs.chunks(INPUTS * panel.columns).zip(sums.chunks_mut(INPUTS * PANEL_ROWS));
    for (inputs, sums) in tiles {
        match (blocks, inputs.len() / panel.columns) {
            (PANEL, INPUTS) => tile_avx512::<INPUTS, PANEL>(panel, inputs, sums),
            (PANEL, 5) => tile_avx512::<5, PANEL>(panel, inputs, sums),
            (PANEL, 4) => tile_avx512::<4, PANEL>(panel, inputs, sums),
            (PANEL, 3) => tile_avx512::<3, PANEL>(panel, inputs, sums),
            (PANEL, 2) => tile_avx512::<2, PANEL>(panel, inputs, sums),
            (PANEL, _) => tile_avx512::<1, PANEL>(panel, inputs, sums),
            _ => each_alone(panel, inputs, sums, |panel, input, sums| {
                tile_avx512::<1, 1>(panel, input, sums)
            }),
        }
    }
}

/// The sums of `INPUTS` inputs with the rows of `BLOCKS` blocks, kept in registers until the last
/// column.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512dq,avx512vnni")]
#[inline]
fn tile_avx512<const INPUTS: usize, const BLOCKS: usize>(
    panel: Panel<'_>,
    inputs: &[u8],
    sums: &mut [i32],
) {
    let columns = panel.columns;
    // The loads below rely on this. Checked here, because a check in the loop makes the compiler
    // keep sums in memory.
    assert!(panel.weights.len() >= BLOCKS * BLOCK * columns && inputs.len() >= INPUTS * columns);
    assert!(columns.is_multiple_of(GROUP));
    let (weights, inputs) = (panel.weights.as_ptr(), inputs.as_ptr());
    let mut totals = [[_mm512_setzero_si512(); BLOCKS]; INPUTS];
    for (block, starts) in panel.starts.as_chunks::<BLOCK>().0[..BLOCKS].iter().enumerate() {
        // SAFETY: the load reads a block's starts, 16 numbers of four bytes.
        let start = unsafe { _mm512_loadu_si512(starts.as_ptr().cast()) };
        for totals in &mut totals {
            totals[block] = start;
        }
    }
    for column in (0..columns).step_by(GROUP) {
        let mut strips = [_mm512_setzero_si512(); BLOCKS];
        for (block, strip) in strips.iter_mut().enumerate() {
            // SAFETY: `column` is less than `columns` by a group at least, and the weights of a
            // block are `BLOCK * columns` bytes.
            *strip = unsafe {
                _mm512_loadu_si512(weights.add((block * columns + column) * BLOCK).cast())
            };
        }
        for (input, totals) in totals.iter_mut().enumerate() {
            // SAFETY: `column` is less than `columns` by a group at least, and an input is
            // `columns` bytes.
            let group =
                unsafe { inputs.add(input * columns + column).cast::<i32>().read_unaligned() };
            let group = _mm512_set1_epi32(group);
            for (total, strip) in totals.iter_mut().zip(strips) {
                *total = _mm512_dpbusd_epi32(*total, group, strip);
            }
        }
    }
    for (totals, sums) in totals.iter().zip(sums.chunks_exact_mut(PANEL_ROWS)) {
        for (total, sums) in totals.iter().zip(sums.as_chunks_mut::<BLOCK>().0) {
            // SAFETY: the store writes 16 numbers of four bytes.
            unsafe { _mm512_storeu_si512(sums.as_mut_ptr().cast(), *total) };
        }
    }
}

/// For the rest of a matrix beyond its last whole panel: block by block, input by input.
#[inline(always)]
fn each_alone(
    panel: Panel<'_>,
    inputs: &[u8],
    sums: &mut [i32],
    sum: impl Fn(Panel<'_>, &[u8], &mut [i32]),
) {
    for (at, (weights, starts)) in panel.blocks().enumerate() {
        let block = Panel { weights, starts, columns: panel.columns };
        for (input, sums) in
            inputs.chunks_exact(panel.columns).zip(sums.chunks_exact_mut(PANEL_ROWS))
        {
            // The kernel writes to the start of a panel's sums, so the result is copied to its
            // offset.
            let mut own = [0; PANEL_ROWS];
            sum(block, input, &mut own);
            sums[at * BLOCK..][..BLOCK].copy_from_slice(&own[..BLOCK]);
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Avx2(());

impl Avx2 {
    pub(super) fn here() -> Option<Self> {
        is_x86_feature_detected!("avx2").then_some(Self(()))
    }

    pub(super) fn run(self, file: &ModelFile, batch: &TokenBatch) -> Passed {
        #[target_feature(enable = "avx2")]
        fn run(kernel: Avx2, file: &ModelFile, batch: &TokenBatch) -> Passed {
            pass::run(kernel, file, batch)
        }
        // SAFETY: `self` exists, so the processor has these instructions.
        unsafe { run(self, file, batch) }
    }
}

impl Kernel for Avx2 {
    const FLIP: u8 = 0;

    #[inline(always)]
    fn sum(self, panel: Panel<'_>, inputs: &[u8], sums: &mut [i32]) {
        // SAFETY: `self` exists, so the processor has these instructions.
        unsafe { sum_avx2(panel, inputs, sums) }
    }
}

#[target_feature(enable = "avx2")]
fn sum_avx2(panel: Panel<'_>, inputs: &[u8], sums: &mut [i32]) {
    // Of sixteen registers, eight are for sums, two per block, and the rest for operands.
    const INPUTS: usize = 4;
    for (at, (weights, _)) in panel.blocks().enumerate() {
        let tiles = inputs.chunks(INPUTS * panel.columns).zip(sums.chunks_mut(INPUTS * PANEL_ROWS));
        for (inputs, sums) in tiles {
            match inputs.len() / panel.columns {
                INPUTS => {
                    tile_avx2::<INPUTS>(weights, panel.columns, inputs, &mut sums[at * BLOCK..])
                }
                3 => tile_avx2::<3>(weights, panel.columns, inputs, &mut sums[at * BLOCK..]),
                2 => tile_avx2::<2>(weights, panel.columns, inputs, &mut sums[at * BLOCK..]),
                _ => tile_avx2::<1>(weights, panel.columns, inputs, &mut sums[at * BLOCK..]),
            }
        }
    }
}

/// The sums of `INPUTS` inputs with the rows of one block.
///
/// The instruction multiplies unsigned by signed numbers, so the sign of an input moves to the
/// weight. The sum of two such products fits 16 bits, because neither number is ever -128.
#[target_feature(enable = "avx2")]
#[inline]
fn tile_avx2<const INPUTS: usize>(weights: &[u8], columns: usize, inputs: &[u8], sums: &mut [i32]) {
    // As above: the loads below rely on this.
    assert!(
        weights.len() >= BLOCK * columns
            && inputs.len() >= INPUTS * columns
            && columns.is_multiple_of(GROUP)
    );
    let (weights, inputs) = (weights.as_ptr(), inputs.as_ptr());
    let ones = _mm256_set1_epi16(1);
    let mut totals = [[_mm256_setzero_si256(); 2]; INPUTS];
    for column in (0..columns).step_by(GROUP) {
        // SAFETY: `column` is less than `columns` by a group at least, and the weights of a block
        // are `BLOCK * columns` bytes.
        let strip = unsafe { weights.add(column * BLOCK).cast::<__m256i>() };
        // SAFETY: the two halves of a strip of 64 bytes.
        let halves = unsafe { [_mm256_loadu_si256(strip), _mm256_loadu_si256(strip.add(1))] };
        for (input, totals) in totals.iter_mut().enumerate() {
            // SAFETY: `column` is less than `columns` by a group at least, and an input is
            // `columns` bytes.
            let group =
                unsafe { inputs.add(input * columns + column).cast::<i32>().read_unaligned() };
            let group = _mm256_set1_epi32(group);
            let magnitude = _mm256_abs_epi8(group);
            for (total, half) in totals.iter_mut().zip(halves) {
                let pairs = _mm256_maddubs_epi16(magnitude, _mm256_sign_epi8(half, group));
                *total = _mm256_add_epi32(*total, _mm256_madd_epi16(pairs, ones));
            }
        }
    }
    for (totals, sums) in totals.iter().zip(sums.chunks_mut(PANEL_ROWS)) {
        for (total, sums) in totals.iter().zip(sums.as_chunks_mut::<{ BLOCK / 2 }>().0) {
            // SAFETY: the store writes eight numbers of four bytes.
            unsafe { _mm256_storeu_si256(sums.as_mut_ptr().cast(), *total) };
        }
    }
}
