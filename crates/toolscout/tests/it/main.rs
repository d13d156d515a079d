//! What a user sees, through the real program: a world of files in, a page of text out.

mod bad_input;
mod bench;
mod clients;
mod completion;
mod composition;
mod discovery;
mod embedding;
mod execution;
mod exports;
mod flags;
mod lifecycle;
mod locale;
mod manifest;
mod output;
mod own_server;
mod readme;
mod real_servers;
mod requests;
mod retries;
mod search;
mod serve;
mod servers;
mod trust;
mod trust_of_servers;
mod world;
