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
/// Begin it, show or open [`Login::browser`], then [`Login::wait`] for the redirect. If the browser
/// is on another machine, call [`Login::finish_with`] with the address it was redirected to. Both
/// may be tried concurrently. When one of them succeeds, the login is saved.
pub struct Login {
    prepared: PreparedLogin,
    client: OAuthClient,
    listener: CallbackListener,
    expected: ExpectedCallback,
    verifier: OAuthSecret,
    browser: Url,
}

impl Login {
    /// Discovers the authorization server and prepares the login. This takes a few requests, but
    /// requires no user interaction.
    pub async fn begin(ask: &LoginRequest<'_>) -> Result<Self, ClientError> {
        let prepared = ask.prepare().await?;
        let authority = &prepared.authority;
        let place = place(authority)?.clone();
        let registrations = Registrations::of(ask.folder, &authority.issuer, LoginFlow::Browser);
        let registered = registrations.read().filter(|_| prepared.configured.is_none());
        let listener = listener(ask.port, registered.as_ref()).await?;
        let redirect = listener.redirect();
        let registered = registered.filter(|known| known.redirect.as_deref() == Some(&redirect));
        let client = prepared.client(registrations, registered, Some(&redirect)).await?;
        let (state, verifier) = (OAuthSecret::random()?, OAuthSecret::random()?);
        let browser = browser(place, &prepared, &client.identity, &redirect, &state, &verifier);
        let issuer = authority.issuer.clone();
        let expected =
            ExpectedCallback { state, issuer, announces_itself: authority.announces_itself };
        Ok(Self { prepared, client, listener, expected, verifier, browser })
    }

    /// The address to open in a browser. It is valid for this login only.
    pub fn browser(&self) -> &str {
        self.browser.as_str()
    }

    /// The issuer that will ask the user for consent, so that the user knows which site to expect.
    pub fn issuer(&self) -> &str {
        &self.prepared.authority.issuer
    }

    /// Waits for the redirect, and saves the login. Cancel-safe until the browser returns.
    pub async fn wait(&self, deadline: Instant) -> Result<(), ClientError> {
        let limit = deadline.saturating_duration_since(Instant::now());
        let answer = self.listener.wait(|query| self.expected.judge(query));
        let late = |_| ClientError::TimedOut {
            what: "waiting for the browser to come back".to_owned(),
            limit,
        };
        let code = tokio::time::timeout(limit, answer).await.map_err(late)??;
        self.redeem(&code).await
    }

    /// Completes and saves the login with the address that the browser was redirected to.
    pub async fn finish_with(&self, pasted: &str) -> Result<(), ClientError> {
        let code = self.expected.judge_pasted(pasted)?;
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

/// The authorization endpoint, if the server supports PKCE with S256. A server that lists no
/// methods is accepted: many OpenID providers support PKCE without listing it.
fn place(authority: &AuthorizationServer) -> Result<&Url, ClientError> {
    let issuer = &authority.issuer;
    if authority.challenges.as_ref().is_some_and(|all| !all.iter().any(|it| it == "S256")) {
        return Err(broken(format!(
            "the authorization server `{issuer}` does not bind codes to who asked for them (PKCE with S256); a login \
             there could be stolen and is not tried"
        )));
    }
    authority.authorization.as_ref().ok_or_else(|| {
        broken(format!(
            "the authorization server `{issuer}` does not say where a person logs in with a browser"
        ))
    })
}

/// Binds the registered port if it is free.
async fn listener(
    wanted: Option<u16>,
    known: Option<&Registration>,
) -> Result<CallbackListener, ClientError> {
    let before = known.and_then(|it| Url::parse(it.redirect.as_deref()?).ok()?.port());
    let port = wanted.or(before);
    let bound = match CallbackListener::bind(port).await {
        Err(_) if wanted.is_none() && before.is_some() => CallbackListener::bind(None).await,
        other => other,
    };
    let place = port.map_or_else(|| "127.0.0.1".to_owned(), |it| format!("127.0.0.1:{it}"));
    bound.map_err(|err| ClientError::lost(format!("cannot wait for the browser on {place}: {err}")))
}

fn browser(
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
    if prepared.scopes.iter().any(|it| it == OFFLINE) {
        // OpenID ignores the scope without this parameter.
        pairs.push(("prompt", "consent"));
    }
    url.query_pairs_mut().extend_pairs(pairs);
    url
}
