//! Logs, traces and metrics, and the reports about shadowed tools.

mod logs;
mod otlp;
mod shadows;
mod web;
