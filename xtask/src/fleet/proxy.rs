//! A proxy between replicas and their database that breaks connections in the ways networks do.

use anyhow::Context;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// What happens to all connections, present and new ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NetworkFault {
    /// Bytes pass.
    None,
    /// Bytes pass after this time, in both directions.
    Delay(Duration),
    /// Connections are reset, and new ones too.
    Reset,
    /// Connections are accepted and stay open, and no byte passes.
    BlackHole,
    /// The database closes its direction; bytes to it pass.
    HalfClose,
    /// Connections are reset after this many more bytes from the database.
    CutAfter(u64),
}

/// The proxy; it ends when it is dropped.
pub(super) struct FaultProxy {
    addr: SocketAddr,
    fault: watch::Sender<NetworkFault>,
    passed: Arc<AtomicU64>,
    _runtime: Runtime,
}

/// The state that all connections share.
#[derive(Clone)]
struct ProxyContext {
    target: SocketAddr,
    fault: watch::Receiver<NetworkFault>,
    /// Bytes from the database so far, over all connections.
    passed: Arc<AtomicU64>,
}

impl FaultProxy {
    /// Starts a proxy on a free port, in front of this address.
    pub(super) fn start(target: SocketAddr) -> anyhow::Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).context("bind")?;
        let addr = listener.local_addr()?;
        let (sender, fault) = watch::channel(NetworkFault::None);
        let passed = Arc::new(AtomicU64::new(0));
        runtime.spawn(accept(listener, ProxyContext { target, fault, passed: passed.clone() }));
        Ok(Self { addr, fault: sender, passed, _runtime: runtime })
    }

    pub(super) fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Applies a fault to all connections from now on.
    pub(super) fn set(&self, fault: NetworkFault) {
        let fault = match fault {
            NetworkFault::CutAfter(more) => {
                NetworkFault::CutAfter(self.passed.load(Ordering::Relaxed) + more)
            }
            other => other,
        };
        self.fault.send_replace(fault);
    }
}

async fn accept(listener: TcpListener, mut context: ProxyContext) {
    let mut connections = JoinSet::new();
    loop {
        let Ok((client, _)) = listener.accept().await else { return };
        while connections.try_join_next().is_some() {}
        if *context.fault.borrow_and_update() == NetworkFault::Reset {
            reset(client);
            continue;
        }
        connections.spawn(context.clone().serve(client));
    }
}

impl ProxyContext {
    async fn serve(self, client: TcpStream) {
        let Ok(server) = TcpStream::connect(self.target).await else { return reset(client) };
        let _ = (client.set_nodelay(true), server.set_nodelay(true));
        let (from_client, mut to_client) = client.into_split();
        let (from_server, mut to_server) = server.into_split();
        let mut both = JoinSet::new();
        let (up, down) = (self.clone(), self);
        both.spawn(async move {
            let end = up.copy(from_client, &mut to_server, false).await;
            (end, to_server)
        });
        both.spawn(async move {
            let end = down.copy(from_server, &mut to_client, true).await;
            (end, to_client)
        });
        while let Some(Ok((end, mut half))) = both.join_next().await {
            match end {
                Ok(()) => drop(half.shutdown().await),
                Err(_) => {
                    let _ = half.as_ref().set_zero_linger();
                    return both.abort_all();
                }
            }
        }
    }

    /// Copies bytes of one direction; an error means that the connection is to be reset.
    async fn copy(
        mut self,
        mut from: OwnedReadHalf,
        to: &mut OwnedWriteHalf,
        is_from_server: bool,
    ) -> io::Result<()> {
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let count = tokio::select! {
                changed = self.fault.changed() => {
                    changed.map_err(io::Error::other)?;
                    self.check(is_from_server).await?;
                    if is_from_server && self.is_half_closed() {
                        return Ok(());
                    }
                    continue;
                }
                count = from.read(&mut buffer) => count?,
            };
            if count == 0 {
                return Ok(());
            }
            self.check(is_from_server).await?;
            if is_from_server && self.is_half_closed() {
                return Ok(());
            }
            let allowed = self.allowed(count, is_from_server);
            to.write_all(&buffer[..allowed]).await?;
            if allowed < count {
                return Err(io::ErrorKind::ConnectionReset.into());
            }
        }
    }

    /// Waits as long as the fault holds bytes back; an error means a reset.
    async fn check(&mut self, is_from_server: bool) -> io::Result<()> {
        loop {
            let fault = *self.fault.borrow_and_update();
            match fault {
                NetworkFault::Reset => return Err(io::ErrorKind::ConnectionReset.into()),
                NetworkFault::BlackHole => {
                    self.fault.changed().await.map_err(io::Error::other)?;
                }
                NetworkFault::Delay(time) => {
                    tokio::time::sleep(time).await;
                    return Ok(());
                }
                NetworkFault::CutAfter(end)
                    if is_from_server && self.passed.load(Ordering::Relaxed) >= end =>
                {
                    return Err(io::ErrorKind::ConnectionReset.into());
                }
                _ => return Ok(()),
            }
        }
    }

    fn is_half_closed(&self) -> bool {
        *self.fault.borrow() == NetworkFault::HalfClose
    }

    /// How many of these bytes may pass.
    fn allowed(&self, count: usize, is_from_server: bool) -> usize {
        if !is_from_server {
            return count;
        }
        let before = self.passed.fetch_add(count as u64, Ordering::Relaxed);
        match *self.fault.borrow() {
            NetworkFault::CutAfter(end) => {
                usize::try_from(end.saturating_sub(before)).unwrap_or(count).min(count)
            }
            _ => count,
        }
    }
}

/// Closes the connection with a reset instead of an end of the stream.
fn reset(stream: TcpStream) {
    let _ = stream.set_zero_linger();
}
