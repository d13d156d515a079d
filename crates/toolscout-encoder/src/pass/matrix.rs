//! A matrix product: quantizes the rows to int8, sums integers, and scales back to f32.

use crate::file::{Matrix, ModelFile};
use crate::math;
use crate::panel::{Kernel, PANEL, PANEL_ROWS, Panel};
use crate::shape::BLOCK;

/// Quantized rows, each with its own scale, given by the maximum absolute value of the row.
#[derive(Default)]
pub(super) struct Inputs {
    steps: Vec<u8>,
    scales: Vec<f32>,
    smoothed: Vec<f32>,
    peaks: Option<Vec<Vec<f32>>>,
}

impl Inputs {
    pub(super) fn new(records_peaks: bool) -> Self {
        Self { peaks: records_peaks.then(Vec::new), ..Self::default() }
    }

    /// The maximum absolute value of each column, for each call of `quantize`.
    pub(super) fn into_peaks(self) -> Vec<Vec<f32>> {
        self.peaks.unwrap_or_default()
    }

    /// Quantizes rows for this matrix.
    #[inline(always)]
    pub(super) fn quantize<K: Kernel>(&mut self, rows: &[f32], matrix: &Matrix) {
        const MAX_STEP: f32 = 127.0;
        let (width, columns) = (matrix.smoothing.len(), matrix.columns);
        let count = rows.len() / width;
        self.steps.resize(count * columns, 0);
        self.scales.resize(count, 0.0);
        self.smoothed.resize(width, 0.0);
        if let Some(peaks) = &mut self.peaks {
            peaks.push(column_peaks(rows, width));
        }
        let slots = self.steps.chunks_exact_mut(columns).zip(&mut self.scales);
        for (row, (steps, scale)) in rows.chunks_exact(width).zip(slots) {
            for ((smoothed, value), smoothing) in
                self.smoothed.iter_mut().zip(row).zip(&matrix.smoothing)
            {
                *smoothed = value * smoothing;
            }
            let peak = math::peak(&self.smoothed);
            *scale = peak / MAX_STEP;
            let factor = if peak > 0.0 { MAX_STEP / peak } else { 0.0 };
            for (step, value) in steps.iter_mut().zip(&self.smoothed) {
                *step = math::round_to_byte(value * factor) ^ K::FLIP;
            }
            // The value does not matter, because the weights of surplus columns are zero.
            steps[width..].fill(0);
        }
    }
}

fn column_peaks(rows: &[f32], width: usize) -> Vec<f32> {
    let mut peaks = vec![0.0f32; width];
    for row in rows.chunks_exact(width) {
        for (peak, value) in peaks.iter_mut().zip(row) {
            *peak = peak.max(value.abs());
        }
    }
    peaks
}

/// Writes the product of every row with the matrix, in order.
#[inline(always)]
pub(super) fn multiply<K: Kernel>(
    kernel: K,
    file: &ModelFile,
    matrix: &Matrix,
    inputs: &Inputs,
    products: &mut [f32],
    sums: &mut Vec<i32>,
) {
    let weights = matrix.weights(&file.bytes);
    sums.resize(inputs.scales.len() * PANEL_ROWS, 0);
    let panels =
        weights.chunks(PANEL_ROWS * matrix.columns).zip(matrix.starts.chunks(PANEL * BLOCK));
    for (at, (weights, starts)) in panels.enumerate() {
        kernel.sum(Panel { weights, starts, columns: matrix.columns }, &inputs.steps, sums);
        let rows = at * PANEL_ROWS..matrix.rows.min((at + 1) * PANEL_ROWS);
        let (scales, bias) = (&matrix.scales[rows.clone()], &matrix.bias[rows.clone()]);
        let each = sums
            .chunks_exact(PANEL_ROWS)
            .zip(&inputs.scales)
            .zip(products.chunks_exact_mut(matrix.rows));
        for ((sums, scale), products) in each {
            scale_back(sums, *scale, scales, bias, &mut products[rows.clone()]);
        }
    }
}

#[inline(always)]
fn scale_back(sums: &[i32], input_scale: f32, scales: &[f32], bias: &[f32], products: &mut [f32]) {
    for (((product, sum), scale), bias) in products.iter_mut().zip(sums).zip(scales).zip(bias) {
        *product = *sum as f32 * (input_scale * scale) + bias;
    }
}
