//! Numbers of 32 bits become numbers of eight, and a scale for each row of them.

/// The largest a number of eight bits may be, either way. Not -128: two products of such numbers must fit 16 bits.
const MOST: f32 = 127.0;

/// Writes the row in steps of its scale, which is returned. The most distant number decides how long a step is.
pub(crate) fn quantise(row: &[f32], steps: &mut [u8]) -> f32 {
    let peak = row.iter().fold(0.0f32, |peak, it| peak.max(it.abs()));
    let scale = peak / MOST;
    for (step, value) in steps.iter_mut().zip(row) {
        // Of a row of zeros the quotient is no number, and becomes 0.
        *step = (value / scale).round_ties_even().clamp(-MOST, MOST) as i8 as u8;
    }
    scale
}
