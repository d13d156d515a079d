//! The fuzz target `fleet`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolscout_fleet::fuzz::fleet(bytes));
