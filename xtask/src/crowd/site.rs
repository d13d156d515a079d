//! The program under test: a project with one server, and the tokens of two principals.

use crate::hostile::HostilePrograms;
use crate::tenants::http_client::HttpClient;
use crate::tenants::listening;
use anyhow::{Context, ensure};
use serde_json::{Value, json};
use std::fs;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A process that serves the project; ended on drop.
pub(super) struct CrowdSite {
    pub(super) addr: SocketAddr,
    pub(super) agent: String,
    pub(super) operator: String,
    child: Child,
    _dir: TempDir,
}

/// The client whose calls are measured: one session on one connection.
pub(super) struct HonestClient {
    client: HttpClient,
    authorization: String,
    session: String,
}

/// The parameters of a call through the meta tool.
pub(super) fn execute(name: &str, arguments: &Value) -> Value {
    json!({"name": "execute_tool", "arguments": {"name": name, "arguments": arguments}})
}

impl CrowdSite {
    pub(super) fn open(programs: &HostilePrograms) -> anyhow::Result<Self> {
        let dir = tempfile::tempdir()?;
        let project = dir.path().join("project");
        fs::create_dir_all(&project)?;
        let command = json!(programs.hostile);
        let args = json!(["--mode", "honest", "--name", "s", "--ttl", "600", "--ttl-ms", "600000"]);
        let config = format!("[servers.s]\ncommand = {command}\nargs = {args}\n");
        fs::write(project.join("toolscout.toml"), config)?;
        for words in [&["server", "refresh"][..], &["policy", "set", "s/fail", "ask"]] {
            let output = program(programs, dir.path()).args(words).output()?;
            let stderr = String::from_utf8_lossy(&output.stderr);
            ensure!(output.status.success(), "`{}`: {stderr}", words.join(" "));
        }
        let mut command = program(programs, dir.path());
        command.args(["serve", "--http", "127.0.0.1:0"]);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let token = |file: &str| {
            let path = dir.path().join("state").join(file);
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            anyhow::Ok(text.trim().to_owned())
        };
        let opened = listening(&mut child)
            .and_then(|addr| Ok((addr, token("agent.token")?, token("operator.token")?)));
        if opened.is_err() {
            let _ = child.kill();
        }
        let (addr, agent, operator) = opened?;
        Ok(Self { addr, agent, operator, child, _dir: dir })
    }

    /// A session with the token of the agent.
    pub(super) fn honest(&self) -> anyhow::Result<HonestClient> {
        self.session(&self.agent)
    }

    pub(super) fn session(&self, token: &str) -> anyhow::Result<HonestClient> {
        let mut client = HttpClient::new(self.addr)?;
        let authorization = format!("Bearer {token}");
        let session = client.greet(&[("Authorization", &authorization)])?;
        Ok(HonestClient { client, authorization, session })
    }
}

impl HonestClient {
    /// Sends a request, and waits for the response.
    pub(super) fn call(&mut self, method: &str, params: Value) -> io::Result<Value> {
        let headers = [("Authorization", self.authorization.as_str())];
        let response = self.client.legacy(&headers, &self.session, method, params)?;
        Ok(response.message())
    }

    /// Sends a request on a new connection, and does not wait.
    pub(super) fn begin(
        &self,
        addr: SocketAddr,
        http_method: &str,
        length: usize,
        body: &[u8],
    ) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect(addr)?;
        let head = format!(
            "{http_method} /mcp HTTP/1.1\r\nHost: {addr}\r\nAuthorization: {}\r\n\
             Mcp-Session-Id: {}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\r\n",
            self.authorization, self.session
        );
        stream.write_all(head.as_bytes())?;
        // A refused request ends the connection.
        let _ = stream.write_all(body);
        Ok(stream)
    }
}

impl Drop for CrowdSite {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn program(programs: &HostilePrograms, dir: &Path) -> Command {
    let mut command = Command::new(&programs.toolscout);
    command
        .current_dir(dir.join("project"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("TOOLSCOUT_TRUST", "1")
        .env("HOME", dir.join("home"))
        .env("TOOLSCOUT_STATE_DIR", dir.join("state"))
        .env("TOOLSCOUT_CONFIG_DIR", dir.join("config"));
    command
}
