//! The fuzz target `config`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolscout_config::fuzz::config(bytes));
