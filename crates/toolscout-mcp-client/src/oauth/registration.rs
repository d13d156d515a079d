//! Introduces us to an authorization server that has never heard of us, once.

use super::super::ClientError;
use super::discover::AuthorizationServer;
use super::identity::{ClientAuthMethod, ClientIdentity};
use super::private::PrivateFile;
use super::secret::OAuthSecret;
use super::web::OAuthHttp;
use super::{broken, excerpt, shown};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use toolscout_core::Moment;

const VERSION: u32 = 1;
/// The grant type of a login on another device (RFC 8628).
pub(super) const DEVICE_GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";

/// How a person logs in; each kind is registered on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoginFlow<'a> {
    /// In a browser that comes back to this address.
    Browser { redirect: &'a str },
    /// On another device.
    Device,
}

/// What an authorization server knows us as.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Registration {
    version: u32,
    issuer: String,
    pub(super) identity: ClientIdentity,
    /// Where browsers come back to; many servers insist on the very port.
    pub(super) redirect: Option<String>,
    expires: Option<Moment>,
}

/// The registration at one issuer, kept for the next login there. A lost one costs no more than another.
#[derive(Debug, Clone)]
pub(super) struct Registrations {
    file: PrivateFile,
    issuer: String,
}

impl Registrations {
    pub(super) fn in_browser(folder: &Path, issuer: &str) -> Self {
        Self::of(folder, issuer, "browser")
    }

    pub(super) fn on_device(folder: &Path, issuer: &str) -> Self {
        Self::of(folder, issuer, "device")
    }

    fn of(folder: &Path, issuer: &str, flow: &str) -> Self {
        Self { file: PrivateFile::about(folder, "client", &[issuer, flow]), issuer: issuer.to_owned() }
    }

    /// The one that can still be used.
    pub(super) fn read(&self) -> Option<Registration> {
        let found: Registration = serde_json::from_slice(&self.file.read().ok()??).ok()?;
        let good = found.version == VERSION
            && found.issuer == self.issuer
            && found.expires.is_none_or(|it| it > Moment::now().after(Duration::from_secs(3_600)));
        good.then_some(found)
    }

    pub(super) async fn keep(&self, registration: &Registration) {
        let kept = async {
            let lock = self.file.lock().await?;
            self.file.write(&serde_json::to_vec_pretty(registration)?, &lock)
        };
        if let Err(err) = kept.await {
            tracing::debug!(issuer = self.issuer, %err, "registration not kept");
        }
    }

    /// The server no longer knows us.
    pub(super) async fn forget(&self) {
        if let Ok(lock) = self.file.lock().await {
            let _ = self.file.remove(&lock);
        }
    }

    /// The same for who has no runtime.
    pub(super) fn forget_blocking(&self) {
        if self.file.path().exists()
            && let Ok(lock) = self.file.lock_blocking()
        {
            let _ = self.file.remove(&lock);
        }
    }
}

/// Registers a client (RFC 7591).
pub(super) async fn register(
    web: &OAuthHttp,
    authority: &AuthorizationServer,
    flow: LoginFlow<'_>,
    scopes: &[String],
) -> Result<Registration, ClientError> {
    let Some(endpoint) = &authority.registration else { return Err(by_hand(&authority.issuer)) };
    let answer = web.post_json(endpoint, &wish(authority, flow, scopes)).await?;
    let place = shown(endpoint);
    if !answer.status.is_success() {
        let why =
            answer.json::<RegistrationErrorBody>().map(|it| format!(": {}", excerpt(&it.text()))).unwrap_or_default();
        return Err(broken(format!("`{place}` answered {} and did not register toolscout{why}", answer.status)));
    }
    let given: RegistrationResponse = answer.json().ok_or_else(|| broken(format!("`{place}` gave no client id")))?;
    let redirect = match flow {
        LoginFlow::Browser { redirect } => Some(redirect.to_owned()),
        LoginFlow::Device => None,
    };
    Ok(Registration {
        version: VERSION,
        issuer: authority.issuer.clone(),
        expires: given.expires(),
        identity: given.identity(),
        redirect,
    })
}

fn by_hand(issuer: &str) -> ClientError {
    let reason = format!(
        "the authorization server `{issuer}` does not register programs by itself; register toolscout there as a \
         native application that is sent back to `http://127.0.0.1/callback`, and set `client_id` of the server to the \
         id it is given"
    );
    ClientError::Invalid { reason }
}

fn wish(authority: &AuthorizationServer, flow: LoginFlow<'_>, scopes: &[String]) -> serde_json::Value {
    let mut wish = json!({
        "client_name": "toolscout",
        "application_type": "native",
        "token_endpoint_auth_method": method(authority).word(),
    });
    match flow {
        LoginFlow::Browser { redirect } => {
            wish["redirect_uris"] = json!([redirect]);
            wish["grant_types"] = json!(["authorization_code", "refresh_token"]);
            wish["response_types"] = json!(["code"]);
        }
        LoginFlow::Device => {
            wish["grant_types"] = json!([DEVICE_GRANT, "refresh_token"]);
            wish["response_types"] = json!([]);
        }
    }
    if !scopes.is_empty() {
        wish["scope"] = json!(scopes.join(" "));
    }
    wish
}

/// The plainest method the server knows; nobody can keep a secret that is given to every copy of a program.
fn method(authority: &AuthorizationServer) -> ClientAuthMethod {
    let known =
        |it: &ClientAuthMethod| authority.methods.as_ref().is_none_or(|all| all.iter().any(|word| word == it.word()));
    ClientAuthMethod::ALL.into_iter().find(known).unwrap_or(ClientAuthMethod::Unproven)
}

#[derive(Deserialize)]
struct RegistrationErrorBody {
    error: String,
    error_description: Option<String>,
}

impl RegistrationErrorBody {
    fn text(&self) -> String {
        [Some(self.error.as_str()), self.error_description.as_deref()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(": ")
    }
}

#[derive(Deserialize)]
struct RegistrationResponse {
    client_id: String,
    client_secret: Option<OAuthSecret>,
    /// Seconds since 1970; 0 is never.
    client_secret_expires_at: Option<u64>,
    token_endpoint_auth_method: Option<String>,
}

impl RegistrationResponse {
    fn expires(&self) -> Option<Moment> {
        self.client_secret_expires_at.filter(|it| *it > 0).map(|it| Moment(it.saturating_mul(1_000)))
    }

    fn identity(self) -> ClientIdentity {
        let said = self.token_endpoint_auth_method.as_deref();
        let method = ClientAuthMethod::ALL.into_iter().find(|it| Some(it.word()) == said);
        // RFC 7591: what is not said is the header.
        let usual = if self.client_secret.is_some() { ClientAuthMethod::Header } else { ClientAuthMethod::Unproven };
        ClientIdentity { client_id: self.client_id, client_secret: self.client_secret, method: method.unwrap_or(usual) }
    }
}
