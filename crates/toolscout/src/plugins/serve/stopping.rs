//! Waits for a signal to stop: SIGTERM, or an interrupt.

/// Waits for a signal to stop.
pub(super) async fn stop_requested() {
    tokio::select! {
        () = terminated() => {}
        () = interrupted() => {}
    }
}

async fn terminated() {
    #[cfg(unix)]
    if let Ok(mut signal) =
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
    {
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
