//! A server on the web, on this machine.

use crate::world::World;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// A server on the web that is gone when dropped, and its port.
pub(crate) struct Web(Child, u16);

impl Web {
    pub(crate) fn start(world: &World, mode: &str) -> Self {
        let words = world.hostile(mode, mode, &["--http", "0", "--canary", "http://127.0.0.1:9/"]);
        let mut command = world.other(&words[0]);
        let mut child =
            command.args(&words[1..]).stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let port =
            line.trim().rsplit_once(':').and_then(|(_, port)| port.parse().ok()).expect("a port");
        Self(child, port)
    }

    /// Where it is.
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
