//! When to end: told so by another process, or interrupted.

/// Waits until we are told to end.
pub(super) async fn told() {
    tokio::select! {
        () = terminated() => {}
        () = interrupted() => {}
    }
}

async fn terminated() {
    #[cfg(unix)]
    if let Ok(mut signal) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        signal.recv().await;
        return;
    }
    std::future::pending().await
}

async fn interrupted() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
