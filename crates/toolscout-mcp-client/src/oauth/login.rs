//! A login in a browser: an authorization code, bound to this client by PKCE.

use super::super::ClientError;
use super::callback::ExpectedCallback;
use super::discover::AuthorizationServer;
use super::identity::ClientIdentity;
use super::listener::CallbackListener;
use super::login_request::{LoginRequest, OAuthClient, PreparedLogin};
use super::registration::{LoginFlow, Registration, Registrations};
use super::secret::OAuthSecret;
use super::{OFFLINE, broken};
use reqwest::Url;
use std::fmt;
use std::time::Instant;

/// A login that waits for a user to agree in a browser.
///
/// Start it, show or open [`Login::browser_url`], then [`Login::wait`] for the redirect. If the browser
/// is on another machine, call [`Login::finish_with`] with the address it was redirected to. Both
/// may be tried concurrently. When one of them succeeds, the login is saved.
pub struct Login {
    prepared: PreparedLogin,
    client: OAuthClient,
    listener: CallbackListener,
    expected: ExpectedCallback,
    verifier: OAuthSecret,
    browser_url: Url,
}

impl Login {
    /// Discovers the authorization server and prepares the login. This takes a few requests, but
    /// requires no user interaction.
    pub async fn start(request: &LoginRequest<'_>) -> Result<Self, ClientError> {
        let prepared = request.prepare().await?;
        let authority = &prepared.authority;
        let authorization_endpoint = authorization_endpoint(authority)?.clone();
        let registrations =
            Registrations::new(request.folder, &authority.issuer, LoginFlow::Browser);
        let registered = registrations.read().filter(|_| prepared.configured.is_none());
        let listener = listener(request.port, registered.as_ref()).await?;
        let redirect = listener.redirect();
        let registered =
            registered.filter(|registration| registration.redirect.as_deref() == Some(&redirect));
        let client = prepared.client(registrations, registered, Some(&redirect)).await?;
        let (state, verifier) = (OAuthSecret::random()?, OAuthSecret::random()?);
        let browser_url = browser_url(
            authorization_endpoint,
            &prepared,
            &client.identity,
            &redirect,
            &state,
            &verifier,
        );
        let issuer = authority.issuer.clone();
        let expected = ExpectedCallback { state, issuer, requires_iss: authority.requires_iss };
        Ok(Self { prepared, client, listener, expected, verifier, browser_url })
    }

    /// The address to open in a browser. It is valid for this login only.
    pub fn browser_url(&self) -> &str {
        self.browser_url.as_str()
    }

    /// The issuer that will ask the user for consent, so that the user knows which site to expect.
    pub fn issuer(&self) -> &str {
        &self.prepared.authority.issuer
    }

    /// Waits for the redirect, and saves the login. Cancel-safe until the browser returns.
    pub async fn wait(&self, deadline: Instant) -> Result<(), ClientError> {
        let limit = deadline.saturating_duration_since(Instant::now());
        let callback = self.listener.wait(|query| self.expected.check(query));
        let timed_out = |_| ClientError::TimedOut {
            what: "waiting for the login in the browser".to_owned(),
            limit,
        };
        let code = tokio::time::timeout(limit, callback).await.map_err(timed_out)??;
        self.redeem(&code).await
    }

    /// Completes and saves the login with the address that the browser was redirected to.
    pub async fn finish_with(&self, pasted: &str) -> Result<(), ClientError> {
        let code = self.expected.check_pasted(pasted)?;
        self.redeem(&code).await
    }

    async fn redeem(&self, code: &OAuthSecret) -> Result<(), ClientError> {
        let redirect = self.listener.redirect();
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code.reveal()),
            ("redirect_uri", &redirect),
            ("code_verifier", self.verifier.reveal()),
            ("resource", &self.prepared.authority.resource),
        ];
        match self.prepared.tokens(&self.client, &form).await {
            Ok(grant) => self.prepared.save(&self.client.identity, grant).await,
            Err(refusal) => Err(self.prepared.refused(&self.client, refusal).await),
        }
    }
}

/// Shows only the issuer, because the rest is secret.
impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("issuer", &self.issuer()).finish_non_exhaustive()
    }
}

/// The authorization endpoint, if the server lists PKCE with S256. The MCP specification requires
/// clients to refuse a server that lists no methods.
fn authorization_endpoint(authority: &AuthorizationServer) -> Result<&Url, ClientError> {
    let issuer = &authority.issuer;
    let methods = authority.challenges.as_deref().unwrap_or_default();
    if !methods.iter().any(|method| method == "S256") {
        return Err(broken(format!(
            "the authorization server `{issuer}` does not list S256 in `code_challenge_methods_supported`; without PKCE a login could be stolen"
        )));
    }
    authority.authorization.as_ref().ok_or_else(|| {
        broken(format!(
            "the authorization server `{issuer}` has no endpoint for a login in the browser"
        ))
    })
}

/// Binds the registered port if it is free.
async fn listener(
    requested: Option<u16>,
    registration: Option<&Registration>,
) -> Result<CallbackListener, ClientError> {
    let before = registration.and_then(|value| Url::parse(value.redirect.as_deref()?).ok()?.port());
    let port = requested.or(before);
    let bound = match CallbackListener::bind(port).await {
        Err(_) if requested.is_none() && before.is_some() => CallbackListener::bind(None).await,
        other => other,
    };
    let address = port.map_or_else(|| "127.0.0.1".to_owned(), |port| format!("127.0.0.1:{port}"));
    bound.map_err(|err| {
        ClientError::lost(format!("cannot listen for the browser on {address}: {err}"))
    })
}

fn browser_url(
    mut url: Url,
    prepared: &PreparedLogin,
    identity: &ClientIdentity,
    redirect: &str,
    state: &OAuthSecret,
    verifier: &OAuthSecret,
) -> Url {
    let challenge = verifier.challenge();
    let scope = prepared.scopes.join(" ");
    let mut pairs = vec![
        ("response_type", "code"),
        ("client_id", &identity.client_id),
        ("redirect_uri", redirect),
        ("state", state.reveal()),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
        ("resource", &prepared.authority.resource),
    ];
    if !scope.is_empty() {
        pairs.push(("scope", &scope));
    }
    if prepared.scopes.iter().any(|scope| scope == OFFLINE) {
        // OpenID ignores the scope without this parameter.
        pairs.push(("prompt", "consent"));
    }
    url.query_pairs_mut().extend_pairs(pairs);
    url
}
