//! One connection to the database.

use crate::FleetError;
use futures_util::future::poll_fn;
use rustls::ClientConfig;
use rustls::crypto::ring::default_provider;
use rustls_platform_verifier::BuilderVerifierExt;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::NoTlsStream;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long a connection, and a statement, may take.
pub(crate) const LIMIT: Duration = Duration::from_secs(2);

/// The stream of an encrypted connection.
type TlsStream = <MakeRustlsConnect as tokio_postgres::tls::MakeTlsConnect<Socket>>::Stream;

/// A connection that must be polled.
pub(crate) enum Driver {
    Plain(Box<Connection<Socket, NoTlsStream>>),
    Encrypted(Box<Connection<Socket, TlsStream>>),
}

impl Driver {
    /// Polls the connection until it ends.
    pub(crate) async fn run(&mut self, notified: impl Fn()) {
        loop {
            let message = poll_fn(|cx| match self {
                Self::Plain(connection) => connection.poll_message(cx),
                Self::Encrypted(connection) => connection.poll_message(cx),
            });
            match message.await {
                Some(Ok(AsyncMessage::Notification(_))) => notified(),
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return,
            }
        }
    }
}

/// Does this work with a connection of its own.
pub(crate) async fn with_client<T>(
    url: &str,
    work: impl AsyncFnOnce(&mut Client) -> Result<T, FleetError>,
) -> Result<T, FleetError> {
    let (mut client, mut driver) = connect(url).await?;
    tokio::select! {
        result = work(&mut client) => result,
        () = driver.run(|| ()) => Err(FleetError::closed()),
    }
}

/// Opens a connection, encrypted unless the URL has `sslmode=disable` or the server refuses.
pub(crate) async fn connect(url: &str) -> Result<(Client, Driver), FleetError> {
    let mut config = parse(url)?;
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(LIMIT);
    }
    if config.get_application_name().is_none() {
        config.application_name("toolscout");
    }
    config.tcp_user_timeout(LIMIT * 2);
    let connecting = async {
        if config.get_ssl_mode() == SslMode::Disable {
            let (client, connection) = config.connect(NoTls).await?;
            return Ok((client, Driver::Plain(Box::new(connection))));
        }
        let (client, connection) = config.connect(MakeRustlsConnect::new(tls())).await?;
        Ok((client, Driver::Encrypted(Box::new(connection))))
    };
    match timeout(LIMIT * 2, connecting).await {
        Ok(result) => result.map_err(|error: tokio_postgres::Error| FleetError::of(&error)),
        Err(_) => Err(FleetError::no_answer()),
    }
}

/// Checks a URL without connecting.
pub(crate) fn parse(url: &str) -> Result<Config, FleetError> {
    url.parse().map_err(|error: tokio_postgres::Error| FleetError::InvalidUrl(error.to_string()))
}

fn tls() -> ClientConfig {
    let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("the provider supports the default versions");
    let builder = builder.with_platform_verifier().expect("the provider supports verification");
    builder.with_no_client_auth()
}
