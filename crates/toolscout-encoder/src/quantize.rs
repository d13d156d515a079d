//! Quantizes 32-bit floats to int8, with one scale per row.

/// The maximum absolute value. Not 128: the sum of two products must fit 16 bits.
const MAX_STEP: f32 = 127.0;

/// Quantizes a row and returns its scale, which is given by the maximum absolute value.
pub(crate) fn quantize(row: &[f32], steps: &mut [u8]) -> f32 {
    let peak = row.iter().fold(0.0f32, |peak, row| peak.max(row.abs()));
    let scale = peak / MAX_STEP;
    for (step, value) in steps.iter_mut().zip(row) {
        // For a row of zeros the quotient is NaN, which the cast turns into 0.
        *step = (value / scale).round_ties_even().clamp(-MAX_STEP, MAX_STEP) as i8 as u8;
    }
    scale
}
