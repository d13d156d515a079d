//! The fuzz target `findings`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolscout_catalog::fuzz::findings(bytes));
