//! nginx with the configuration in `deploy/compose`, in front of real replicas.

use super::deployment::free_port;
use super::fleet;
use super::sessions::{CLIENT_APPROVALS, Events, accepting, ask, look, wait_until_known};
use crate::serve::{Client, Web};
use crate::servers::fixture::{signal, wait_until};
use crate::world::is_installed;
use rustix::process::Signal;
use serde_json::json;
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

const CONFIGURATION: &str = include_str!("../../../../../deploy/compose/nginx.conf");

/// A running nginx. Dropping it stops the process.
struct Nginx {
    child: Child,
    client: Client,
    _folder: TempDir,
}

impl Nginx {
    /// Starts nginx in front of replicas at these ports; none if it is not installed.
    fn start(ports: [u16; 2]) -> Option<Self> {
        if !is_installed("nginx") {
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let port = free_port();
        let file = folder.path().join("nginx.conf");
        std::fs::write(&file, configuration(folder.path(), port, ports)).expect("a file");
        let shown = folder.path().display();
        let directives = format!("daemon off; pid {shown}/pid; error_log {shown}/log;");
        let mut command = Command::new("nginx");
        command.arg("-p").arg(folder.path()).arg("-c").arg(&file).args(["-g", &directives]);
        let child = command.stdin(Stdio::null()).spawn().expect("start nginx");
        let client = Client { addr: format!("127.0.0.1:{port}") };
        wait_until("nginx listens", || TcpStream::connect(&client.addr).is_ok());
        Some(Self { child, client, _folder: folder })
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        signal(self.child.id(), Signal::TERM);
        let _ = self.child.wait();
    }
}

/// The configuration with other addresses, and with all files in this folder.
fn configuration(folder: &Path, port: u16, ports: [u16; 2]) -> String {
    let replace = |text: String, from: &str, to: &str| {
        assert!(text.contains(from), "`{from}` is not in the configuration");
        text.replace(from, to)
    };
    let text =
        CONFIGURATION.replace("        server toolscout-3:7420 max_fails=1 fail_timeout=2s;\n", "");
    let text = replace(text, "toolscout-1:7420", &format!("127.0.0.1:{}", ports[0]));
    let text = replace(text, "toolscout-2:7420", &format!("127.0.0.1:{}", ports[1]));
    let text = replace(text, "listen 7420;", &format!("listen 127.0.0.1:{port};"));
    let kinds = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let folders: String = kinds
        .iter()
        .map(|kind| format!("    {kind}_temp_path {}/{kind};\n", folder.display()))
        .collect();
    replace(text, "http {\n", &format!("http {{\n    access_log off;\n{folders}"))
}

fn at(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

/// Y-43: through nginx, clients need no sticky sessions, events arrive at once, and headers and
/// bodies of the permitted sizes pass.
#[test]
fn nginx_passes_streams_answers_and_large_headers_on() {
    let Some(machines) = super::configured_fleet(2, CLIENT_APPROVALS) else { return };
    let ports = [free_port(), free_port()];
    let Some(nginx) = Nginx::start(ports) else { return };
    let _replicas: Vec<Web> = (0..2)
        .map(|number| Web::start_at(&machines[number], &at(ports[number]), &["--auth", "none"]))
        .collect();
    wait_until_known(&machines[1], 2);
    let mut session = nginx.client.session_of("/mcp", &[], json!({"elicitation": {}}));
    // More requests than replicas: they go to both.
    for _ in 0..6 {
        assert_eq!(look(&mut session), "called");
    }
    let mut stream = Events::of(session.begin_method("GET", &[]));
    assert_eq!(stream.status(), 200);
    // The call is open while its question arrives and is answered, at whichever replica.
    for text in ["bob", "eve", "kim"] {
        let (mut events, question) = ask(&mut session, text);
        assert_eq!(session.post(&accepting(&question)).status, 202);
        let result = events.next().expect("a result");
        assert_eq!(result["result"]["content"][0]["text"], "called", "{result}");
    }
    let header = format!("X-Large: {}", "x".repeat(20 << 10));
    assert_eq!(nginx.client.send("GET", "/api/ready", &[&header], "").status, 200);
    let large = json!({"name": "s/look", "arguments": {"text": "x".repeat(4 << 20)}});
    assert_eq!(session.text("execute_tool", large), "called");
    let other = nginx.client.send("GET", "/api/ready", &["Host: other.example.com"], "");
    assert_eq!(other.status, 403, "the name that the client uses arrives: {other:?}");
}

/// Y-44: a call whose replica dies is not repeated on another one; later requests are served there.
#[test]
fn nginx_does_not_repeat_a_call() {
    let Some(machines) = fleet(2) else { return };
    let ports = [free_port(), free_port()];
    let Some(nginx) = Nginx::start(ports) else { return };
    let started = machines[0].start_log();
    let tool = json!({
        "name": "wait", "description": "Waits", "input_schema": {"type": "object"},
        "run": {"command": ["sh", "-c", "echo started >> \"$0\"; exec sleep 60", started]},
    });
    std::fs::create_dir_all(machines[0].path("tools")).expect("a folder");
    std::fs::write(machines[0].path("tools/wait.tool.json"), tool.to_string()).expect("a file");
    machines.iter().for_each(|world| drop(world.run(&["trust"]).exits(0)));
    let dying = Web::start_at(&machines[0], &at(ports[0]), &["--auth", "none"]);
    let mut session = nginx.client.session("/mcp", &[]);
    assert_eq!(look(&mut session), "called");
    let call = session.begin(
        "tools/call",
        json!({"name": "execute_tool", "arguments": {"name": "wait", "arguments": {}}}),
    );
    wait_until("the tool runs", || machines[0].started().len() == 1);
    let _other = Web::start_at(&machines[1], &at(ports[1]), &["--auth", "none"]);
    assert_eq!(dying.ends(Signal::KILL), None);
    let response = Client::receive(call);
    let is_cut_off = response.status == 502 || !response.body.contains("\"result\"");
    assert!(is_cut_off, "{response:?}");
    // nginx has left out the other replica, which was not running, for two seconds.
    wait_until("nginx finds the other replica", || {
        nginx.client.send("GET", "/api/ready", &[], "").status == 200
    });
    assert_eq!(look(&mut session), "called", "the session goes on");
    assert_eq!(machines[0].started().len(), 1, "the tool ran once");
}
