//! The fuzz target `schema`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolscout_gateway::fuzz::schema(bytes));
