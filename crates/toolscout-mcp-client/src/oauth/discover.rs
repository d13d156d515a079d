//! Finds the authorization server of an MCP server: protected resource metadata (RFC 9728), then
//! the metadata of the issuer that it names (RFC 8414, OpenID Connect Discovery).

#[cfg(any(test, fuzzing))]
pub(super) mod fuzz;
#[cfg(test)]
mod tests;

use super::super::ClientError;
use super::challenge::Challenge;
use super::web::{OAuthHttp, OAuthResponse};
use super::{broken, excerpt, shown};
use reqwest::{StatusCode, Url};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The maximum number of authorization servers tried per resource.
const ISSUERS: usize = 4;

/// The authorization server of an MCP server; every address in it has been checked.
#[derive(Debug, Clone)]
pub(super) struct AuthorizationServer {
    /// The issuer identifier, compared byte by byte.
    pub(super) issuer: String,
    /// The resource that tokens are requested for: the identifier that the server uses for itself.
    pub(super) resource: String,
    /// The scopes that the server suggests.
    pub(super) suggested: Vec<String>,
    /// The authorization endpoint, which the user opens in a browser.
    pub(super) authorization: Option<Url>,
    pub(super) token: Url,
    pub(super) registration: Option<Url>,
    pub(super) device: Option<Url>,
    /// Client authentication methods, if it lists them.
    pub(super) methods: Option<Vec<String>>,
    /// Whether each of its responses has an `iss` parameter (RFC 9207).
    pub(super) requires_iss: bool,
    /// Whether it supports the `offline_access` scope for refresh tokens.
    pub(super) offline: bool,
    /// PKCE methods, if it lists them.
    pub(super) challenges: Option<Vec<String>>,
}

/// Protected resource metadata (RFC 9728).
#[derive(Deserialize)]
struct ResourceMetadata {
    resource: String,
    #[serde(default)]
    authorization_servers: Vec<String>,
    #[serde(default)]
    scopes_supported: Vec<String>,
}

/// Authorization server metadata (RFC 8414, OpenID Connect Discovery).
#[derive(Default, Deserialize)]
struct IssuerMetadata {
    issuer: String,
    authorization_endpoint: Option<String>,
    token_endpoint: Option<String>,
    registration_endpoint: Option<String>,
    device_authorization_endpoint: Option<String>,
    #[serde(default)]
    scopes_supported: Vec<String>,
    code_challenge_methods_supported: Option<Vec<String>>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

/// Reads the metadata of the server, and then of the first usable issuer it names.
pub(super) async fn discover(
    web: &OAuthHttp,
    server: &Url,
    challenge: &Challenge,
) -> Result<AuthorizationServer, ClientError> {
    let Some(resource) = resource_metadata(web, server, challenge).await? else {
        return discover_without_metadata(web, server).await;
    };
    let mut issuers = resource.authorization_servers;
    if issuers.is_empty() {
        issuers.push(server.origin().ascii_serialization());
    }
    let mut first_error = None;
    for issuer in issuers.iter().take(ISSUERS) {
        match named_issuer(web, issuer).await {
            Ok(found) => return checked(web, found, resource.resource, resource.scopes_supported),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| broken("the server does not name an authorization server")))
}

/// The metadata of the server, from the address in the challenge, or else from the well-known
/// addresses.
async fn resource_metadata(
    web: &OAuthHttp,
    server: &Url,
    challenge: &Challenge,
) -> Result<Option<ResourceMetadata>, ClientError> {
    let found = match &challenge.resource_metadata {
        Some(address) => {
            let url = same_origin(server, address)?;
            let response = web.read(&url).await?;
            let (address, status) = (shown(&url), response.status);
            if status.is_redirection() {
                return Err(broken(format!(
                    "`{address}` answered {status}; redirects are not followed"
                )));
            }
            let missing =
                || broken(format!("`{address}` answered {status} without login metadata"));
            Some(parse::<ResourceMetadata>(&url, &response)?.ok_or_else(missing)?)
        }
        None => first_found(web, resource_urls(server)).await?.map(|(_, found)| found),
    };
    match found {
        // The metadata must be for this address, or for a path above it.
        Some(found)
            if !Url::parse(&found.resource).is_ok_and(|resource| covers(&resource, server)) =>
        {
            let resource = excerpt(&found.resource);
            Err(broken(format!("the login metadata is for `{resource}`, not for this server")))
        }
        found => Ok(found),
    }
}

fn same_origin(server: &Url, address: &str) -> Result<Url, ClientError> {
    let own = server.origin();
    match Url::parse(address) {
        Ok(url) if own.is_tuple() && url.origin() == own => Ok(url),
        Ok(url) => Err(broken(format!(
            "the server refers to login metadata at `{}`, which is not on its own origin `{}`; no request was sent",
            excerpt(&shown(&url)),
            own.ascii_serialization()
        ))),
        Err(_) => {
            Err(broken("the server refers to login metadata at an address that is not a URL"))
        }
    }
}

fn covers(resource: &Url, server: &Url) -> bool {
    let below =
        server.path().trim_end_matches('/').strip_prefix(resource.path().trim_end_matches('/'));
    resource.origin().is_tuple()
        && resource.origin() == server.origin()
        && resource.fragment().is_none()
        && (resource.query().is_none() || resource.query() == server.query())
        && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The first document found, and its address.
async fn first_found<T: DeserializeOwned>(
    web: &OAuthHttp,
    urls: Vec<Url>,
) -> Result<Option<(Url, T)>, ClientError> {
    for url in urls {
        let response = web.read(&url).await?;
        if let Some(found) = parse(&url, &response)? {
            return Ok(Some((url, found)));
        }
    }
    Ok(None)
}

/// The document in a response, if it contains one. Many sites answer unknown paths with a page or a
/// redirect.
fn parse<T: DeserializeOwned>(
    url: &Url,
    response: &OAuthResponse,
) -> Result<Option<T>, ClientError> {
    match response.status {
        StatusCode::OK => Ok(response.json()),
        status if status.is_server_error() => {
            Err(ClientError::lost(format!("GET {} answered {status}", shown(url))))
        }
        _ => Ok(None),
    }
}

async fn named_issuer(web: &OAuthHttp, issuer: &str) -> Result<IssuerMetadata, ClientError> {
    let url = web.url(issuer)?;
    match first_found::<IssuerMetadata>(web, issuer_urls(&url)).await? {
        Some((_, found)) if found.issuer == issuer => Ok(found),
        Some((address, found)) => Err(another_issuer(&address, &found, issuer)),
        None => {
            Err(broken(format!("the authorization server `{}` has no login metadata", shown(&url))))
        }
    }
}

/// Servers older than RFC 9728 are their own authorization servers, some at fixed paths.
async fn discover_without_metadata(
    web: &OAuthHttp,
    server: &Url,
) -> Result<AuthorizationServer, ClientError> {
    let origin = server.origin().ascii_serialization();
    let is_bare = server.path() == "/" && server.query().is_none();
    let resource = if is_bare { server.as_str().trim_end_matches('/') } else { server.as_str() };
    let found =
        match first_found::<IssuerMetadata>(web, issuer_urls(&with_path(server, ""))).await? {
            Some((address, found))
                if found.issuer.strip_suffix('/').unwrap_or(&found.issuer) != origin =>
            {
                return Err(another_issuer(&address, &found, &origin));
            }
            Some((_, found)) => found,
            None => {
                let at = |path| Some(with_path(server, path).to_string());
                IssuerMetadata {
                    issuer: origin,
                    authorization_endpoint: at("/authorize"),
                    token_endpoint: at("/token"),
                    registration_endpoint: at("/register"),
                    // Revision 2025-03-26 requires PKCE of a server, also if it has no metadata.
                    code_challenge_methods_supported: Some(vec!["S256".to_owned()]),
                    ..IssuerMetadata::default()
                }
            }
        };
    checked(web, found, resource.to_owned(), Vec::new())
}

fn another_issuer(address: &Url, found: &IssuerMetadata, expected: &str) -> ClientError {
    let (expected, found) = (excerpt(expected), excerpt(&found.issuer));
    broken(format!("`{}` has the metadata of `{found}`, not of `{expected}`", shown(address)))
}

fn checked(
    web: &OAuthHttp,
    metadata: IssuerMetadata,
    resource: String,
    suggested: Vec<String>,
) -> Result<AuthorizationServer, ClientError> {
    let checked = |text: Option<String>| text.map(|text| web.url(&text)).transpose();
    let issuer = metadata.issuer;
    let missing = || broken(format!("the authorization server `{issuer}` has no token endpoint"));
    Ok(AuthorizationServer {
        authorization: checked(metadata.authorization_endpoint)?,
        token: checked(metadata.token_endpoint)?.ok_or_else(missing)?,
        registration: checked(metadata.registration_endpoint)?,
        device: checked(metadata.device_authorization_endpoint)?,
        resource,
        suggested,
        methods: metadata.token_endpoint_auth_methods_supported,
        requires_iss: metadata.authorization_response_iss_parameter_supported,
        offline: metadata.scopes_supported.iter().any(|scope| scope == super::OFFLINE),
        challenges: metadata.code_challenge_methods_supported,
        issuer,
    })
}

/// The addresses where a server may publish its metadata (RFC 9728), in the order to try: for its
/// own path, then for the whole host.
fn resource_urls(server: &Url) -> Vec<Url> {
    let path = server.path().trim_end_matches('/');
    let mut own = with_path(server, &format!("/.well-known/oauth-protected-resource{path}"));
    own.set_query(server.query());
    let mut urls = vec![own, with_path(server, "/.well-known/oauth-protected-resource")];
    urls.dedup();
    urls
}

/// The addresses where an authorization server may publish its metadata (RFC 8414, then OpenID), in
/// the order to try.
fn issuer_urls(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/');
    let mut urls = vec![
        with_path(issuer, &format!("/.well-known/oauth-authorization-server{path}")),
        with_path(issuer, &format!("/.well-known/openid-configuration{path}")),
        with_path(issuer, &format!("{path}/.well-known/openid-configuration")),
    ];
    urls.dedup();
    urls
}

/// The same origin with another path, and without query and fragment.
fn with_path(url: &Url, path: &str) -> Url {
    let mut url = url.clone();
    url.set_path(path);
    url.set_query(None);
    url.set_fragment(None);
    url
}
