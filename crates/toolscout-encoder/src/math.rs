//! Operations on 32-bit floats, in the same order on every machine.
//!
//! Sums run in [`LANES`] lanes that are added at the end, whatever the processor has; no product is
//! fused with a sum, and no function of the system's math library is called. So the compiler may
//! use the widest instructions available, and the result has the same bits.

/// Numbers that are processed side by side.
pub(crate) const LANES: usize = 16;

/// Adding this to a number rounds it, because the mantissa of the sum has no bits left for the
/// fraction.
const ROUNDER: f32 = 12_582_912.0;

#[inline(always)]
pub(crate) fn sum(values: &[f32]) -> f32 {
    fold_lanes(values, 0.0, |sum, value| sum + value, |one, other| one + other)
}

#[inline(always)]
pub(crate) fn sum_of_squares(values: &[f32]) -> f32 {
    fold_lanes(values, 0.0, |sum, value| sum + value * value, |one, other| one + other)
}

/// The maximum absolute value.
#[inline(always)]
pub(crate) fn peak(values: &[f32]) -> f32 {
    fold_lanes(values, 0.0, |peak, value| max(peak, value.abs()), max)
}

#[inline(always)]
pub(crate) fn maximum(values: &[f32]) -> f32 {
    fold_lanes(values, f32::MIN, max, max)
}

#[inline(always)]
fn max(one: f32, other: f32) -> f32 {
    if other > one { other } else { one }
}

#[inline(always)]
fn fold_lanes(
    values: &[f32],
    start: f32,
    fold: impl Fn(f32, f32) -> f32,
    join: impl Fn(f32, f32) -> f32,
) -> f32 {
    let mut lanes = [start; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = fold(lanes[lane], chunk[lane]);
        }
    }
    for (lane, value) in lanes.iter_mut().zip(rest) {
        *lane = fold(*lane, *value);
    }
    for half in [8, 4, 2, 1] {
        for lane in 0..half {
            lanes[lane] = join(lanes[lane], lanes[lane + half]);
        }
    }
    lanes[0]
}

/// The nearest integer, as its low eight bits.
#[inline(always)]
pub(crate) fn round_to_byte(value: f32) -> u8 {
    (value + ROUNDER).to_bits() as u8
}

/// The exponential of a number that is not positive, with a relative error of about 1e-7.
#[inline(always)]
pub(crate) fn exp(value: f32) -> f32 {
    const MIN_EXPONENT: f32 = -87.0;
    // ln 2 in two parts, so that subtracting multiples of the first part is exact.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let value = if value < MIN_EXPONENT { MIN_EXPONENT } else { value };
    let powers = value * std::f32::consts::LOG2_E + ROUNDER;
    let whole = powers - ROUNDER;
    let rest = value - whole * LN_2[0] - whole * LN_2[1];
    let series = [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];
    let series = series.iter().fold(1.987_569_1e-4, |sum, series| sum * rest + series);
    let fraction = series * rest * rest + rest + 1.0;
    // Sets the exponent of the float directly.
    fraction * f32::from_bits(powers.to_bits().wrapping_add(127) << 23)
}

/// x Φ(x) with the normal distribution function Φ, with an error of about 1e-6.
#[inline(always)]
pub(crate) fn gelu(value: f32) -> f32 {
    // Abramowitz and Stegun 7.1.26, for the tail of the distribution beyond |x|.
    const SERIES: [f32; 4] = [-1.453_152, 1.421_413_7, -0.284_496_74, 0.254_829_6];
    let distance = value.abs() * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.327_591_1 * distance);
    let series = SERIES.iter().fold(1.061_405_4, |sum, series| sum * t + series) * t;
    let tail = 0.5 * series * exp(-distance * distance);
    let share = if value < 0.0 { tail } else { 1.0 - tail };
    value * share
}

#[inline(always)]
pub(crate) fn relu(value: f32) -> f32 {
    max(0.0, value)
}

/// Layer normalization: mean 0 and variance 1, then the learned weight and bias of each column.
#[inline(always)]
pub(crate) fn normalize(row: &mut [f32], weight: &[f32], bias: &[f32], epsilon: f32) {
    let count = row.len() as f32;
    let mean = sum(row) / count;
    for value in row.iter_mut() {
        *value -= mean;
    }
    let factor = 1.0 / (sum_of_squares(row) / count + epsilon).sqrt();
    for ((value, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
        *value = *value * factor * weight + bias;
    }
}
