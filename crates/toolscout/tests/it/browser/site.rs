//! Runs `toolscout ui` on a free port, and runs browser walks against it.

use crate::world::{World, is_installed};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running UI server. Dropping it stops the server.
pub(crate) struct Site<'a> {
    world: &'a World,
    child: Child,
    /// The sign-in link, which works once.
    pub(crate) link: String,
}

/// The path of Chromium, if Chromium and node are installed.
pub(crate) fn chromium() -> Option<String> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = names
        .into_iter()
        .find(|name| std::env::split_paths(&path).any(|item| item.join(name).is_file()));
    (is_installed("node") && is_installed(there.unwrap_or(names[0])))
        .then(|| there.unwrap_or(names[0]).to_owned())
}

impl<'a> Site<'a> {
    /// Starts `toolscout ui` in this world.
    pub(crate) fn open(world: &'a World) -> Self {
        let mut command = world.command(&["ui", "--no-open", "--port", "0"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("start the program");
        let mut err = BufReader::new(child.stderr.take().expect("stderr is piped"));
        let (mut output, mut line) = (String::new(), String::new());
        while !output.contains("listening on") {
            line.clear();
            assert_ne!(
                err.read_line(&mut line).expect("a line"),
                0,
                "the server never listened: {output}"
            );
            output += &line;
        }
        // Drains stderr, so that the program never blocks on a full pipe.
        std::thread::spawn(move || err.lines().map_while(Result::ok).for_each(drop));
        // V-33: the link is the output of the command; the messages may be kept in a log.
        assert!(!output.contains("signin?code"), "{output}");
        let mut link = String::new();
        let mut out = BufReader::new(child.stdout.take().expect("its output"));
        out.read_line(&mut link).expect("a link");
        let link = link.trim().to_owned();
        Self { world, child, link }
    }

    /// Runs a walk in the browser; returns its report.
    pub(super) fn walk(&self, chromium: &str, name: &str, more: Value) -> Value {
        walk(self.world, chromium, name, &self.link, more)
    }
}

/// Runs a walk in the browser that begins at this link; returns its report.
pub(crate) fn walk(world: &World, chromium: &str, walk: &str, link: &str, more: Value) -> Value {
    let token = |name: &str| {
        fs::read_to_string(world.temp_dir().join("state").join(name)).unwrap_or_default()
    };
    let mut given = json!({
        "walk": walk,
        "chromium": chromium,
        "profile": world.temp_dir().join("chromium"),
        "link": link,
        "agent": token("agent.token").trim(),
        "operator": token("operator.token").trim(),
    });
    let more = more.as_object().cloned().unwrap_or_default();
    more.into_iter().for_each(|(name, value)| given[name] = value);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/walk.mjs");
    let output = Command::new("node")
        .arg(script)
        .arg(given.to_string())
        .env("HOME", world.temp_dir())
        .output()
        .expect("node starts");
    let (out, err) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{walk}: {err}");
    serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
}

impl Drop for Site<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
