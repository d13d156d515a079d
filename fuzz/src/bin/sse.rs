//! The fuzz target `sse`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| toolscout_mcp_client::fuzz::sse(bytes));
