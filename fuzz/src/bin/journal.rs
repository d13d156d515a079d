//! The fuzz target `journal`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolscout_store::fuzz::journal(bytes));
