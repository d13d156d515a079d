//! Tests the hostile server as a program, over a pipe or a socket.

mod command_line;
mod every_mode;
mod http;
mod life;
mod reference;
mod rich;
mod stdio;
mod talk;
