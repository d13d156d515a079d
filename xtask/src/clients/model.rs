//! A model that has made up its mind: it calls one tool after the other, as its script says, and then is done.
//!
//! It listens on loopback and speaks three [`dialect`]s. What it does next it takes from the conversation itself, in which an
//! agent tells it all results so far, so that titles and other chatter beside the conversation do not confuse it.

mod dialect;
mod request;

use super::errand::ErrandStep;
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

/// A connection that says nothing for so long is over.
const SILENCE: Duration = Duration::from_secs(300);

/// What a request told the model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ModelRequest {
    pub(super) tools: Vec<ShownToolName>,
    /// What came of the calls so far.
    pub(super) results: Vec<String>,
}

/// A scripted model; it listens until this is dropped.
pub(super) struct Model {
    addr: SocketAddr,
    desk: Arc<ModelState>,
    listening: Option<JoinHandle<()>>,
}

struct ModelState {
    script: Vec<ErrandStep>,
    heard: Mutex<Vec<ModelRequest>>,
    is_over: AtomicBool,
}

impl Model {
    pub(super) fn begin(script: Vec<ErrandStep>) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("listen on loopback")?;
        let addr = listener.local_addr()?;
        let desk = Arc::new(ModelState { script, heard: Mutex::default(), is_over: AtomicBool::new(false) });
        let at = desk.clone();
        let listening = thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if at.is_over.load(Ordering::Acquire) {
                    return;
                }
                let desk = at.clone();
                // Ends with its connection.
                thread::spawn(move || drop(desk.serve(stream)));
            }
        });
        Ok(Self { addr, desk, listening: Some(listening) })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Everything of the conversation so far, in the order it came.
    pub(super) fn heard(&self) -> Vec<ModelRequest> {
        self.desk.heard.lock().clone()
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.desk.is_over.store(true, Ordering::Release);
        // Wakes it, so that it sees that it is over.
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
            let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
            let body = if request.wants_body { body } else { String::new() };
            stream.get_mut().write_all((head + &body).as_bytes())?;
        }
        Ok(())
    }

    fn answer(&self, request: &ModelHttpRequest) -> (&'static str, String) {
        let asked: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let Some(dialect) = Dialect::of(&request.path) else {
            // Models there are, tokens that something would take: whatever it is, there is none.
            return ("application/json", r#"{"data":[],"models":[],"input_tokens":1}"#.to_owned());
        };
        let heard = ModelRequest { tools: dialect.tools(&asked), results: dialect.results(&asked) };
        let next = self.script.get(heard.results.len());
        let next =
            next.and_then(|step| Some((heard.tools.iter().find(|it| it.name.ends_with(step.tool))?.clone(), step)));
        let number = heard.results.len();
        if !heard.tools.is_empty() {
            self.heard.lock().push(heard);
        }
        let call = next.as_ref().map(|(tool, step)| (tool, &step.arguments));
        dialect.answer(&asked, number, call)
    }
}
