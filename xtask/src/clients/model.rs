//! A scripted model: it calls one tool after the other, and then ends.
//!
//! It listens on loopback and supports four [`dialect`]s. It derives the next step from the
//! conversation itself, in which the agent repeats all results so far, so that side requests such
//! as titles do not confuse it.

mod dialect;
mod request;

use super::script::ScriptStep;
use anyhow::Context;
pub(super) use dialect::{Dialect, ShownToolName};
use parking_lot::Mutex;
use request::ModelHttpRequest;
use serde_json::Value;
use std::io::{BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// The idle timeout of a connection.
const SILENCE: Duration = Duration::from_secs(300);

/// The content of a request to the model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ModelRequest {
    pub(super) tools: Vec<ShownToolName>,
    /// The results of the calls so far.
    pub(super) results: Vec<String>,
}

/// A scripted model; it listens until this is dropped.
pub(super) struct Model {
    addr: SocketAddr,
    state: Arc<ModelState>,
    listening: Option<JoinHandle<()>>,
}

struct ModelState {
    script: Vec<ScriptStep>,
    requests: Mutex<Vec<ModelRequest>>,
    is_over: AtomicBool,
}

impl Model {
    pub(super) fn begin(script: Vec<ScriptStep>) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("listen on loopback")?;
        let addr = listener.local_addr()?;
        let state = Arc::new(ModelState {
            script,
            requests: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let at = state.clone();
        let listening = thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if at.is_over.load(Ordering::Acquire) {
                    return;
                }
                let state = at.clone();
                // The thread ends with its connection.
                thread::spawn(move || drop(state.serve(stream)));
            }
        });
        Ok(Self { addr, state, listening: Some(listening) })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    pub(super) fn script(&self) -> &[ScriptStep] {
        &self.state.script
    }

    /// Removes and returns all requests so far, in order.
    pub(super) fn take_requests(&self) -> Vec<ModelRequest> {
        std::mem::take(&mut self.state.requests.lock())
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Release);
        // Wakes the listener, so that it notices the shutdown.
        let _ = TcpStream::connect(self.addr);
        let _ = self.listening.take().map(JoinHandle::join);
    }
}

impl ModelState {
    fn serve(&self, stream: TcpStream) -> anyhow::Result<()> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SILENCE))?;
        let mut stream = BufReader::new(stream);
        while let Some(request) = ModelHttpRequest::read(&mut stream)? {
            let (kind, body) = self.answer(&request);
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n",
                body.len()
            );
            let body = if request.wants_body { body } else { String::new() };
            stream.get_mut().write_all((head + &body).as_bytes())?;
        }
        Ok(())
    }

    fn answer(&self, request: &ModelHttpRequest) -> (&'static str, String) {
        let asked: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let Some(dialect) = Dialect::of(&request.path) else {
            // Any other endpoint, such as the list of models or a token count, gets an empty
            // response.
            return ("application/json", r#"{"data":[],"models":[],"input_tokens":1}"#.to_owned());
        };
        let requests =
            ModelRequest { tools: dialect.tools(&asked), results: dialect.results(&asked) };
        let next = self.script.get(requests.results.len());
        let next = next.and_then(|step| {
            Some((requests.tools.iter().find(|tool| tool.name.ends_with(step.tool))?.clone(), step))
        });
        let number = requests.results.len();
        if !requests.tools.is_empty() {
            self.requests.lock().push(requests);
        }
        let call = next.as_ref().map(|(tool, step)| (tool, &step.arguments));
        dialect.answer(&asked, number, call)
    }
}
