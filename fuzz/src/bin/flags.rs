//! The fuzz target `flags`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolscout_surface::fuzz::flags(bytes));
