//! An HTTP server on this machine.

use crate::world::World;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// An HTTP server process and its port. Dropping it stops the process.
pub(crate) struct Web(Child, u16);

impl Web {
    pub(crate) fn start(world: &World, mode: &str) -> Self {
        let words = world.hostile(mode, mode, &["--http", "0", "--canary", "http://127.0.0.1:9/"]);
        let mut command = world.program_command(&words[0]);
        let mut child =
            command.args(&words[1..]).stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let port =
            line.trim().rsplit_once(':').and_then(|(_, port)| port.parse().ok()).expect("a port");
        Self(child, port)
    }

    /// The URL of the server.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.1)
    }
}

impl Drop for Web {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
