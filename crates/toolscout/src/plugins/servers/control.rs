//! How a short command reaches the process that keeps a project's servers: a line of JSON over a socket, and lines back, of
//! which all but the last say how far it is.

use super::socket;
use crate::Surroundings;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use toolscout_core::cx::Progress;
use toolscout_core::{Arguments, RawJson};

/// Bytes of one line; results may be large.
pub(super) const LINE: u64 = 16 << 20;
/// How long a process that is there may take to say how its servers are.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where a project's servers are kept.
#[derive(Debug, Clone)]
pub(crate) struct Control {
    socket: PathBuf,
    /// Whether it is this process that keeps them.
    is_ours: Arc<AtomicBool>,
}

/// What can be asked. The word is outside, since raw JSON cannot be read beside a tag.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Ask {
    /// How all servers are.
    States,
    /// Start this one, and keep it.
    Start { server: String },
    /// End this one.
    Stop { server: String },
    /// The last this one said beside the protocol.
    Logs { server: String },
    /// A way for a person to get to the page.
    Page,
    /// Run a tool.
    Call {
        tool: String,
        arguments: Arguments,
        expect: Option<String>,
        meta: Option<RawJson>,
        deadline_ms: Option<u64>,
        /// Whether somebody wants to know how far it is.
        #[serde(default)]
        watched: bool,
    },
}

/// What is answered. After `progress` follows another answer.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Answer {
    Done,
    States {
        states: HashMap<String, String>,
    },
    Logs {
        tail: String,
    },
    /// None where it has no page.
    Page {
        link: Option<String>,
    },
    Result {
        result: RawJson,
    },
    Failed {
        kind: String,
        message: String,
        hint: Option<String>,
    },
    Progress {
        done: f64,
        total: Option<f64>,
        message: Option<String>,
    },
}

impl Control {
    /// The way to the process that keeps this project's servers; none where there is none. A socket that nobody listens on
    /// any more is none, too, and is found out when it is used.
    pub(super) fn at(surroundings: &Surroundings, partition: &str) -> Option<Self> {
        Self::place(surroundings, partition).filter(|it| socket::is_there(&it.socket))
    }

    /// Where it would be; none where nothing can be kept.
    pub(super) fn place(surroundings: &Surroundings, partition: &str) -> Option<Self> {
        let socket = socket::place(surroundings, partition)?;
        Some(Self { socket, is_ours: Arc::default() })
    }

    /// This very process keeps the servers from now on: asking would be asking ourselves.
    pub(super) fn take_over(&self) {
        self.is_ours.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_ours(&self) -> bool {
        self.is_ours.load(Ordering::Relaxed)
    }

    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Asks, and waits for the answer. An error means that nobody is there.
    pub(super) async fn ask(&self, ask: &Ask) -> io::Result<Answer> {
        self.ask_watched(ask, |_| ()).await
    }

    /// As [`Control::ask`], and tells how far it is.
    pub(super) async fn ask_watched(&self, ask: &Ask, watch: impl Fn(Progress)) -> io::Result<Answer> {
        let mut stream = UnixStream::connect(&self.socket).await?;
        let mut line = serde_json::to_vec(ask)?;
        line.push(b'\n');
        stream.write_all(&line).await?;
        let mut stream = BufReader::new(stream);
        let mut answer = Vec::new();
        loop {
            answer.clear();
            (&mut stream).take(LINE).read_until(b'\n', &mut answer).await?;
            if answer.is_empty() {
                return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it closed the connection"));
            }
            match serde_json::from_slice(&answer)? {
                Answer::Progress { done, total, message } => watch(Progress { done, total, message }),
                answer => return Ok(answer),
            }
        }
    }

    /// How the servers kept there are, by id; nothing where nobody is there.
    pub(super) async fn states(&self) -> HashMap<String, &'static str> {
        let answer = tokio::time::timeout(PATIENCE, self.ask(&Ask::States)).await;
        let Ok(Ok(Answer::States { states })) = answer else { return HashMap::new() };
        let known = |word: String| {
            ["configured", "known", "starting", "running", "idle", "failed"].into_iter().find(|it| *it == word)
        };
        states.into_iter().filter_map(|(id, word)| Some((id, known(word)?))).collect()
    }
}
