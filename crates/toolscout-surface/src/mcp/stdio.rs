//! MCP over two pipes, one message per line, for a client that starts this process.

use super::batch;
use super::client::{Client, Identity, Outlet};
use super::message::{self, Incoming, MAX_MESSAGE_BYTES};
use super::server::{Reply, Server};
use super::version::Version;
use crate::mcp::SessionInfo;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

/// Capacity of the queue to a client that does not read. Responses wait for room; notifications are
/// dropped.
const QUEUE_CAPACITY: usize = 1024;
/// Approximate number of bytes per write.
const BATCH_BYTES: usize = 64 << 10;
/// How long requests in flight may run after the client closes its pipe, or after `stop`. Clients
/// wait about 5 s before they kill the process, and servers take up to a second to stop.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(4);

/// Serves one client until it closes its pipe and every request has its response, or until `stop`.
/// Only protocol messages are written to `output`. `on_start` receives the session after the first
/// message.
pub async fn serve(
    server: Arc<Server>,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    stop: impl Future<Output = ()>,
    on_start: impl FnOnce(SessionInfo),
) -> io::Result<()> {
    let mut on_start = Some(on_start);
    let (queue, queued) = mpsc::channel(QUEUE_CAPACITY);
    let out = Arc::new(Pipe(queue.clone()));
    let client = Client::new(Identity::default(), out.clone());
    let mut writer = JoinSet::new();
    writer.spawn(write(queued, output));
    let mut tasks = JoinSet::new();
    let mut notifier = JoinSet::new();
    let read = async {
        let mut input = BufReader::with_capacity(BATCH_BYTES, input);
        let mut line = Vec::new();
        while next_line(&mut input, &mut line).await? {
            while tasks.try_join_next().is_some() {}
            let has_batches = client.version().is_some_and(Version::has_batches);
            let batch = has_batches.then(|| message::parse_batch(line.trim_ascii())).flatten();
            if let Some(batch) = batch {
                let (server, client) = (server.clone(), client.clone());
                let (queue, out) = (queue.clone(), out.clone());
                tasks.spawn(Box::pin(async move {
                    let replied = batch::respond(batch, |incoming| {
                        server.handle(&client, incoming, out.clone())
                    })
                    .await;
                    if let Some(reply) = replied {
                        let _ = queue.send(reply.text).await;
                    }
                }));
                continue;
            }
            match message::parse(line.trim_ascii()) {
                Ok(incoming) => {
                    if is_initialized(&incoming) && notifier.is_empty() {
                        let (server, client) = (server.clone(), client.clone());
                        notifier.spawn(async move { server.notify_of_changes(client).await });
                    }
                    handle(&server, &client, incoming, &queue, &out, &mut tasks).await;
                    if let Some(on_start) = on_start.take() {
                        on_start(client.session_info("stdio"));
                    }
                }
                Err(unreadable) => {
                    let reply = Reply::error(unreadable.id.as_ref(), &unreadable.error);
                    let _ = queue.send(reply.text).await;
                }
            }
        }
        Ok(())
    };
    let result = tokio::select! {
        result = read => result,
        () = stop => Ok(()),
    };
    let deadline = Instant::now() + DRAIN_TIMEOUT;
    client.disconnect();
    notifier.shutdown().await;
    drain(&mut tasks, deadline).await;
    tasks.shutdown().await;
    drop((queue, out, client));
    let _ = timeout_at(deadline, writer.join_next()).await;
    result
}

/// Takes one message. `initialize`, notifications and responses are processed before the next line
/// is read, so that they take effect for that line.
async fn handle(
    server: &Arc<Server>,
    client: &Arc<Client>,
    incoming: Incoming,
    queue: &mpsc::Sender<String>,
    out: &Arc<Pipe>,
    tasks: &mut JoinSet<()>,
) {
    let (server, client, out, queue) = (server.clone(), client.clone(), out.clone(), queue.clone());
    let is_immediate = !matches!(&incoming, Incoming::Request(it) if it.method != "initialize");
    let responding = async move {
        if let Some(reply) = server.handle(&client, incoming, out).await {
            let _ = queue.send(reply.text).await;
        }
    };
    if is_immediate {
        responding.await;
    } else {
        // Boxed, because the future is large and is moved several times before it becomes a task.
        tasks.spawn(Box::pin(responding));
    }
}

fn is_initialized(incoming: &Incoming) -> bool {
    matches!(incoming, Incoming::Notification { method, .. } if method == "notifications/initialized")
}

/// Waits for the requests in flight. Subscriptions end when the client leaves.
async fn drain(tasks: &mut JoinSet<()>, deadline: Instant) {
    while let Ok(Some(_)) = timeout_at(deadline, tasks.join_next()).await {}
}

/// Reads one line that is not empty; returns false at the end. A line that is too long is cut, and
/// is rejected later.
async fn next_line(
    input: &mut (impl AsyncBufReadExt + Unpin),
    line: &mut Vec<u8>,
) -> io::Result<bool> {
    loop {
        line.clear();
        let limit = MAX_MESSAGE_BYTES as u64 + 2;
        if input.take(limit).read_until(b'\n', line).await? == 0 {
            return Ok(false);
        }
        if line.len() > MAX_MESSAGE_BYTES && line.last() != Some(&b'\n') {
            skip_line(input).await?;
        }
        if !line.trim_ascii().is_empty() {
            return Ok(true);
        }
    }
}

async fn skip_line(input: &mut (impl AsyncBufReadExt + Unpin)) -> io::Result<()> {
    loop {
        let buffer = input.fill_buf().await?;
        if buffer.is_empty() {
            return Ok(());
        }
        let end = buffer.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(buffer.len(), |end| end + 1);
        input.consume(length);
        if end.is_some() {
            return Ok(());
        }
    }
}

struct Pipe(mpsc::Sender<String>);

impl Outlet for Pipe {
    fn send(&self, message: String) -> bool {
        self.0.try_send(message).is_ok()
    }
}

/// Writes queued messages in batches.
async fn write(mut queued: mpsc::Receiver<String>, mut output: impl AsyncWrite + Unpin) {
    let mut batch = Vec::with_capacity(BATCH_BYTES);
    while let Some(first) = queued.recv().await {
        let mut next = Some(first);
        while let Some(message) = next {
            batch.extend_from_slice(message.as_bytes());
            batch.push(b'\n');
            next = if batch.len() < BATCH_BYTES { queued.try_recv().ok() } else { None };
        }
        if output.write_all(&batch).await.is_err() || output.flush().await.is_err() {
            return;
        }
        batch.clear();
    }
}
