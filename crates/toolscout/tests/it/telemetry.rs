//! What other programs are told about what happens: the log, the traces, the numbers; and what is reported of tools that hide each other.

mod logs;
mod otlp;
mod shadows;
mod web;
