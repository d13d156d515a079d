//! A fuzz target: login metadata of a hostile server.

use super::{
    IssuerMetadata, ResourceMetadata, checked, covers, issuer_urls, resource_urls, same_origin,
};
use crate::oauth::challenge::Challenge;
use crate::oauth::reach::{Reach, system_names};
use crate::oauth::web::OAuthHttp;
use reqwest::Url;
use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::LazyLock;

const SERVER: &str = "https://203.0.113.7:8443/mcp";

/// A client for the login to a public server. The server is an address, so no name is resolved.
static CLIENT: LazyLock<(OAuthHttp, Url)> = LazyLock::new(|| {
    let server = Url::parse(SERVER).expect("a valid address");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
    let reach = runtime.expect("a runtime").block_on(Reach::for_server(
        &server,
        system_names(),
        BTreeSet::new(),
    ));
    (OAuthHttp::new(reach), server)
});

/// Reads a challenge, the metadata of a resource, and that of an issuer, each on a line. No address
/// that results is insecure or near this machine.
pub fn metadata(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.splitn(3, '\n');
    let (web, server) = &*CLIENT;
    let challenge = Challenge::parse(lines.next().unwrap_or_default());
    if let Some(address) = &challenge.resource_metadata
        && let Ok(url) = same_origin(server, address)
    {
        assert_eq!(url.origin(), server.origin());
    }
    if let Ok(found) = serde_json::from_str::<ResourceMetadata>(lines.next().unwrap_or_default())
        && let Ok(resource) = Url::parse(&found.resource)
    {
        let urls = resource_urls(&resource).into_iter().chain(issuer_urls(&resource));
        assert!(
            urls.into_iter()
                .all(|url| url.origin() == resource.origin() || !resource.origin().is_tuple())
        );
        assert!(!covers(&resource, server) || resource.origin() == server.origin());
    }
    let Ok(found) = serde_json::from_str::<IssuerMetadata>(lines.next().unwrap_or_default()) else {
        return;
    };
    let Ok(found) = checked(web, found, SERVER.to_owned(), Vec::new()) else { return };
    let urls = [found.authorization, Some(found.token), found.registration, found.device];
    for url in urls.into_iter().flatten() {
        assert_eq!(url.scheme(), "https");
        assert!(url.username().is_empty() && url.password().is_none());
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
        match host.parse::<IpAddr>() {
            Ok(IpAddr::V4(address)) => assert!(!address.is_loopback() && !address.is_private()),
            Ok(IpAddr::V6(address)) => assert!(!address.is_loopback()),
            Err(_) => assert_ne!(host, "localhost"),
        }
    }
}
