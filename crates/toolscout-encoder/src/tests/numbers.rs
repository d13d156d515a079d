use crate::math;

#[test]
fn exp_is_accurate_to_one_part_in_a_million() {
    for step in 0..8700 {
        let value = -step as f32 / 100.0;
        let expected = f64::from(value).exp();
        let error = (f64::from(math::exp(value)) - expected).abs() / expected;
        assert!(error < 1e-6, "exp({value}) is off by {error}");
    }
    assert!(math::exp(-1e30) < 1e-37);
}

#[test]
fn gelu_is_x_times_the_share_below_x() {
    // Values of the normal distribution from tables.
    for (value, expected) in [
        (0.0, 0.0),
        (1.0, 0.841_344_8),
        (-1.0, -0.158_655_25),
        (2.0, 1.954_499_7),
        (-3.0, -0.004_049_69),
        (0.5, 0.345_731_23),
    ] {
        let found = math::gelu(value);
        assert!((found - expected).abs() < 1e-6, "gelu({value}) is {found}");
    }
    assert_eq!(math::gelu(30.0), 30.0);
    assert!(math::gelu(-30.0).abs() < 1e-20);
}

#[test]
fn rounding_gives_the_nearest_step_of_eight_bits() {
    for (value, expected) in
        [(0.0, 0i8), (0.4, 0), (0.6, 1), (-0.6, -1), (126.7, 127), (-127.0, -127)]
    {
        assert_eq!(math::round_to_byte(value) as i8, expected, "{value}");
    }
}

#[test]
fn sums_and_peaks_count_what_fills_no_lane() {
    let values: Vec<f32> = (1..=37).map(|index| index as f32).collect();
    assert_eq!(math::sum(&values), 703.0);
    assert_eq!(math::maximum(&values), 37.0);
    assert_eq!(math::peak(&[1.0, -4.0, 3.0]), 4.0);
    assert_eq!(math::sum_of_squares(&[3.0, 4.0]), 25.0);
}
