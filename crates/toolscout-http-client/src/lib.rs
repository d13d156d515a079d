//! HTTP clients that trust the system's certificates and use the proxies of the environment.

mod post;

pub use post::{FullResponse, Post, PostResponse};

use reqwest::{Client, ClientBuilder, Url};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;
use std::error::Error;
use std::sync::{Arc, OnceLock};

/// The kind of connection to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionRoute {
    /// To this machine, unencrypted: proxies and certificates do not apply, and loading them
    /// takes a while.
    Plain,
    /// To this machine, encrypted. Never through a proxy.
    Direct,
    /// To any other machine.
    Remote,
}

impl ConnectionRoute {
    /// The kind of connection to this address.
    pub fn for_url(url: &Url) -> Self {
        match (is_this_machine(url), url.scheme()) {
            (true, "http") => Self::Plain,
            (true, _) => Self::Direct,
            (false, _) => Self::Remote,
        }
    }

    /// A client builder for this kind of connection. The error is a message for the user.
    pub fn client(self) -> Result<ClientBuilder, String> {
        let tls = if self == Self::Plain { tls_without_roots() } else { system_tls() };
        let tls = tls.map_err(|reason| format!("could not set up TLS: {reason}"))?;
        let builder = Client::builder()
            .user_agent("toolscout")
            .tcp_nodelay(true)
            .tls_backend_preconfigured(tls);
        Ok(if self == Self::Remote { builder } else { builder.no_proxy() })
    }
}

/// Whether the address is a loopback address.
pub fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|host| host.is_loopback())
}

/// An address without its possibly private parts: no user and no query.
pub fn display_url(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

/// The error and all its causes.
pub fn error_chain(err: &reqwest::Error) -> String {
    let mut out = err.to_string();
    let mut cause = err.source();
    while let Some(err) = cause {
        out += &format!(": {err}");
        cause = err.source();
    }
    out
}

/// Loaded once for the whole process, and shared: TLS session resumption makes later handshakes
/// short.
fn system_tls() -> Result<ClientConfig, String> {
    static TLS: OnceLock<Result<ClientConfig, String>> = OnceLock::new();
    let config = TLS.get_or_init(|| {
        let provider = Arc::new(ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions();
        let verifier = Verifier::new(provider).map_err(|err| err.to_string())?;
        let builder = builder.map_err(|err| err.to_string())?;
        let tls = builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier))
            .with_no_client_auth();
        Ok(with_http1(tls))
    });
    config.clone()
}

fn tls_without_roots() -> Result<ClientConfig, String> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|err| err.to_string())?;
    Ok(with_http1(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth()))
}

fn with_http1(mut tls: ClientConfig) -> ClientConfig {
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    tls
}
