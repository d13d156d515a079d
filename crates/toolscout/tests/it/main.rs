//! End-to-end tests: each test creates a folder of files, runs the real program in it and checks
//! the output.

mod api;
mod bad_input;
mod bench;
mod browser;
mod clients;
mod completion;
mod composition;
mod context;
mod discovery;
mod docs;
mod embedding;
mod execution;
mod exports;
mod flags;
mod journal;
mod lifecycle;
mod locale;
mod manifest;
mod observe;
mod operations;
mod output;
mod own_server;
mod real_servers;
mod requests;
mod retries;
mod search;
mod serve;
mod server_trust;
mod servers;
mod telemetry;
mod trust;
mod trust_in_content;
mod ui;
mod world;
