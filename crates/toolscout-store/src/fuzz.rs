//! Fuzz targets. Each panics if a property of the code does not hold for an input.

pub use crate::journal::fuzz::journal;

#[cfg(test)]
mod tests {
    use toolscout_test_support::corpus::replay;

    #[test]
    fn every_input_of_the_corpora_passes() {
        replay("journal", super::journal);
    }
}
