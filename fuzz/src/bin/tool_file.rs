//! The fuzz target `tool_file`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolscout_folder::fuzz::tool_file(bytes));
