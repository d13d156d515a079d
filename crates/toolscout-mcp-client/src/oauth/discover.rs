//! Finds out who gives tokens for a server.

use super::super::ClientError;
use super::challenge::Challenge;
use super::metadata::{IssuerMetadata, ResourceMetadata};
use super::web::{OAuthHttp, OAuthResponse};
use super::{broken, excerpt, shown, well_known};
use reqwest::{StatusCode, Url};

/// Authorization servers of one resource that are tried.
const ISSUERS: usize = 4;

/// Who gives tokens for a server, and where; every address in it has been checked.
#[derive(Debug, Clone)]
pub(super) struct AuthorizationServer {
    /// Its name, compared byte by byte.
    pub(super) issuer: String,
    /// What tokens are asked for: the server, as it calls itself.
    pub(super) resource: String,
    /// What the server suggests to ask for.
    pub(super) suggested: Vec<String>,
    /// Where a person logs in.
    pub(super) authorization: Option<Url>,
    pub(super) token: Url,
    pub(super) registration: Option<Url>,
    pub(super) device: Option<Url>,
    /// How clients may prove who they are; unknown where it does not say.
    pub(super) methods: Option<Vec<String>>,
    /// Whether each of its answers says whose it is.
    pub(super) announces_itself: bool,
    /// Whether a scope has to be asked for to get a token that renews others.
    pub(super) offline: bool,
    /// How its codes may be bound to who asked for them; unknown where it does not say.
    pub(super) challenges: Option<Vec<String>>,
}

/// Asks the server, and then whom it names.
pub(super) async fn discover(
    web: &OAuthHttp,
    server: &Url,
    challenge: &Challenge,
) -> Result<AuthorizationServer, ClientError> {
    match resource(web, server, challenge).await? {
        Some(it) => named(web, server, it).await,
        None => own(web, server).await,
    }
}

/// The server's description of its login: where it says it is, else where it is by agreement.
async fn resource(
    web: &OAuthHttp,
    server: &Url,
    challenge: &Challenge,
) -> Result<Option<ResourceMetadata>, ClientError> {
    if let Some(place) = &challenge.resource_metadata {
        let url = same_origin(server, place)?;
        let answer = web.read(&url).await?;
        return understood(&url, &answer).and_then(|it| fitting(it, server)).map(Some);
    }
    for url in well_known::of_resource(server) {
        let answer = web.read(&url).await?;
        if let Some(it) = found(&url, &answer)? {
            return fitting(it, server).map(Some);
        }
    }
    Ok(None)
}

fn same_origin(server: &Url, place: &str) -> Result<Url, ClientError> {
    let own = server.origin();
    match Url::parse(place) {
        Ok(url) if own.is_tuple() && url.origin() == own => Ok(url),
        Ok(url) => Err(broken(format!(
            "the server says its login is described at `{}`, which is not on its own origin `{}`; it was not asked",
            excerpt(&shown(&url)),
            own.ascii_serialization()
        ))),
        Err(_) => Err(broken("the server says its login is described at an address that is none")),
    }
}

/// A description, or nothing where there is none. Many sites answer what they do not know with a page or a redirect.
fn found<T: serde::de::DeserializeOwned>(url: &Url, answer: &OAuthResponse) -> Result<Option<T>, ClientError> {
    match answer.status {
        StatusCode::OK => Ok(answer.json()),
        it if it.is_server_error() => Err(ClientError::Lost { what: format!("GET {} answered {it}", shown(url)) }),
        _ => Ok(None),
    }
}

/// A description that has to be there.
fn understood<T: serde::de::DeserializeOwned>(url: &Url, answer: &OAuthResponse) -> Result<T, ClientError> {
    let place = shown(url);
    if answer.status.is_redirection() {
        return Err(broken(format!("`{place}` answered {}; redirects are not followed here", answer.status)));
    }
    let missing = || broken(format!("`{place}` answered {} and no description of a login", answer.status));
    found(url, answer)?.ok_or_else(missing)
}

/// A description must be one of this server: of its very address, or of a path above it.
fn fitting(it: ResourceMetadata, server: &Url) -> Result<ResourceMetadata, ClientError> {
    let covers = Url::parse(&it.resource).is_ok_and(|resource| covers(&resource, server));
    let reason = || format!("the description of the login is for `{}`, not for this server", excerpt(&it.resource));
    if covers { Ok(it) } else { Err(broken(reason())) }
}

fn covers(resource: &Url, server: &Url) -> bool {
    let below = server.path().trim_end_matches('/').strip_prefix(resource.path().trim_end_matches('/'));
    resource.origin().is_tuple()
        && resource.origin() == server.origin()
        && resource.fragment().is_none()
        && (resource.query().is_none() || resource.query() == server.query())
        && below.is_some_and(|it| it.is_empty() || it.starts_with('/'))
}

/// The first authorization server of those named that can be used.
async fn named(web: &OAuthHttp, server: &Url, resource: ResourceMetadata) -> Result<AuthorizationServer, ClientError> {
    let mut first = None;
    let own = server.origin().ascii_serialization();
    let issuers = if resource.authorization_servers.is_empty() { vec![own] } else { resource.authorization_servers };
    for issuer in issuers.iter().take(ISSUERS) {
        match described(web, issuer).await {
            Ok(found) => return authority(web, found, resource.resource, resource.scopes_supported),
            Err(err) => first = first.or(Some(err)),
        }
    }
    Err(first.unwrap_or_else(|| broken("the server names nobody who gives tokens for it")))
}

async fn described(web: &OAuthHttp, issuer: &str) -> Result<IssuerMetadata, ClientError> {
    let url = web.url(issuer)?;
    for place in well_known::of_issuer(&url) {
        let answer = web.read(&place).await?;
        let Some(found) = found::<IssuerMetadata>(&place, &answer)? else { continue };
        if found.issuer != issuer {
            let (wanted, found) = (excerpt(issuer), excerpt(&found.issuer));
            return Err(broken(format!("`{}` speaks for `{found}`, not for `{wanted}`", shown(&place))));
        }
        return Ok(found);
    }
    Err(broken(format!("the authorization server `{}` does not say how to log in", shown(&url))))
}

/// Servers older than such descriptions give their tokens themselves, some at fixed places.
async fn own(web: &OAuthHttp, server: &Url) -> Result<AuthorizationServer, ClientError> {
    let base = well_known::with_path(server, "");
    let origin = server.origin().ascii_serialization();
    let resource = canonical(server);
    for place in well_known::of_issuer(&base) {
        let answer = web.read(&place).await?;
        let Some(found) = found::<IssuerMetadata>(&place, &answer)? else { continue };
        if found.issuer.strip_suffix('/').unwrap_or(&found.issuer) != origin {
            let found = excerpt(&found.issuer);
            return Err(broken(format!("`{}` speaks for `{found}`, not for `{origin}`", shown(&place))));
        }
        return authority(web, found, resource, Vec::new());
    }
    let at = |path| Some(well_known::with_path(server, path).to_string());
    let defaults = IssuerMetadata {
        issuer: origin,
        authorization_endpoint: at("/authorize"),
        token_endpoint: at("/token"),
        registration_endpoint: at("/register"),
        ..IssuerMetadata::default()
    };
    authority(web, defaults, resource, Vec::new())
}

/// The server's address as it is commonly written.
fn canonical(server: &Url) -> String {
    let text = server.as_str();
    let bare = server.path() == "/" && server.query().is_none();
    if bare { text.trim_end_matches('/').to_owned() } else { text.to_owned() }
}

fn authority(
    web: &OAuthHttp,
    it: IssuerMetadata,
    resource: String,
    suggested: Vec<String>,
) -> Result<AuthorizationServer, ClientError> {
    let checked = |text: Option<String>| text.map(|it| web.url(&it)).transpose();
    let missing = || broken(format!("the authorization server `{}` does not say where it gives tokens", it.issuer));
    Ok(AuthorizationServer {
        authorization: checked(it.authorization_endpoint)?,
        token: checked(it.token_endpoint)?.ok_or_else(missing)?,
        registration: checked(it.registration_endpoint)?,
        device: checked(it.device_authorization_endpoint)?,
        resource,
        suggested,
        methods: it.token_endpoint_auth_methods_supported,
        announces_itself: it.authorization_response_iss_parameter_supported,
        offline: it.scopes_supported.iter().any(|it| it == "offline_access"),
        challenges: it.code_challenge_methods_supported,
        issuer: it.issuer,
    })
}
