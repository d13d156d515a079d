//! Dynamic client registration (RFC 7591), and the file that stores a registration.

use super::super::ClientError;
use super::discover::AuthorizationServer;
use super::exchange::OAuthErrorBody;
use super::identity::{ClientAuthMethod, ClientIdentity};
use super::private_file::PrivateFile;
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

/// The login flow; each flow has a registration of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoginFlow {
    /// In a browser that is redirected to this process.
    Browser,
    /// On another device.
    Device,
}

/// A registration of toolscout at an authorization server.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Registration {
    version: u32,
    issuer: String,
    pub(super) identity: ClientIdentity,
    /// The redirect URI; many servers require the exact port.
    pub(super) redirect: Option<String>,
    expires: Option<Moment>,
}

/// The registration at one issuer, stored for the next login there. If it is lost, a new one is
/// made.
#[derive(Debug, Clone)]
pub(super) struct Registrations {
    file: PrivateFile,
    issuer: String,
}

impl Registrations {
    pub(super) fn new(folder: &Path, issuer: &str, flow: LoginFlow) -> Self {
        let flow = match flow {
            LoginFlow::Browser => "browser",
            LoginFlow::Device => "device",
        };
        Self {
            file: PrivateFile::new(folder, "client", &[issuer, flow]),
            issuer: issuer.to_owned(),
        }
    }

    /// The registrations for all flows.
    pub(super) fn all(folder: &Path, issuer: &str) -> [Self; 2] {
        [LoginFlow::Browser, LoginFlow::Device].map(|flow| Self::new(folder, issuer, flow))
    }

    /// The registration, if it is still usable.
    pub(super) fn read(&self) -> Option<Registration> {
        let found: Registration = serde_json::from_slice(&self.file.read().ok()??).ok()?;
        let is_usable = found.version == VERSION
            && found.issuer == self.issuer
            && found
                .expires
                .is_none_or(|expires| expires > Moment::now().after(Duration::from_secs(3_600)));
        is_usable.then_some(found)
    }

    pub(super) async fn save(&self, registration: &Registration) {
        let saved = async {
            let lock = self.file.lock().await?;
            self.file.write(&serde_json::to_vec_pretty(registration)?, &lock)
        };
        if let Err(err) = saved.await {
            tracing::debug!(issuer = self.issuer, %err, "registration not stored");
        }
    }

    /// Removes a registration that the server no longer knows.
    pub(super) async fn forget(&self) {
        if let Ok(lock) = self.file.lock().await {
            let _ = self.file.remove(&lock);
        }
    }

    /// Like [`Self::forget`] without a runtime; blocks the thread.
    pub(super) fn forget_blocking(&self) {
        if self.file.path().exists()
            && let Ok(lock) = self.file.lock_blocking()
        {
            let _ = self.file.remove(&lock);
        }
    }
}

/// Registers a client, either for browser logins with this redirect URI, or for device logins.
pub(super) async fn register(
    web: &OAuthHttp,
    authority: &AuthorizationServer,
    redirect: Option<&str>,
    scopes: &[String],
) -> Result<Registration, ClientError> {
    let issuer = authority.issuer.clone();
    let Some(endpoint) = &authority.registration else {
        let reason = format!(
            "the authorization server `{issuer}` does not register clients automatically; register toolscout there as a native application with the redirect URI `http://127.0.0.1/callback`, and set `client_id` of the server to the id that you get"
        );
        return Err(ClientError::invalid(reason));
    };
    // The simplest method that the server supports: a publicly distributed program cannot keep a
    // secret.
    let is_supported = |method: &ClientAuthMethod| method.is_among(authority.methods.as_deref());
    let method =
        ClientAuthMethod::ALL.into_iter().find(is_supported).unwrap_or(ClientAuthMethod::Unproven);
    let mut request = json!({
        "client_name": "toolscout",
        "application_type": "native",
        "token_endpoint_auth_method": method.word(),
    });
    match redirect {
        Some(redirect) => {
            request["redirect_uris"] = json!([redirect]);
            request["grant_types"] = json!(["authorization_code", "refresh_token"]);
            request["response_types"] = json!(["code"]);
        }
        None => {
            request["grant_types"] = json!([DEVICE_GRANT, "refresh_token"]);
            request["response_types"] = json!([]);
        }
    }
    if !scopes.is_empty() {
        request["scope"] = json!(scopes.join(" "));
    }
    let response = web.post_json(endpoint, &request).await?;
    let address = shown(endpoint);
    if !response.status.is_success() {
        let why =
            response.json::<OAuthErrorBody>().map(|error| format!(": {}", excerpt(&error.text())));
        let (status, why) = (response.status, why.unwrap_or_default());
        return Err(broken(format!(
            "`{address}` answered {status} and did not register toolscout{why}"
        )));
    }
    let response_body: RegistrationResponse =
        response.json().ok_or_else(|| broken(format!("`{address}` returned no client id")))?;
    let expires = response_body.client_secret_expires_at.filter(|seconds| *seconds > 0);
    Ok(Registration {
        version: VERSION,
        issuer,
        expires: expires.map(|seconds| Moment(seconds.saturating_mul(1_000))),
        identity: response_body.identity(),
        redirect: redirect.map(str::to_owned),
    })
}

#[derive(Deserialize)]
struct RegistrationResponse {
    client_id: String,
    client_secret: Option<OAuthSecret>,
    /// Seconds since 1970; 0 means never.
    client_secret_expires_at: Option<u64>,
    token_endpoint_auth_method: Option<String>,
}

impl RegistrationResponse {
    fn identity(self) -> ClientIdentity {
        let named = self.token_endpoint_auth_method.as_deref();
        let method = ClientAuthMethod::ALL.into_iter().find(|method| Some(method.word()) == named);
        // The default of RFC 7591 is the header.
        let default_method = if self.client_secret.is_some() {
            ClientAuthMethod::Header
        } else {
            ClientAuthMethod::Unproven
        };
        ClientIdentity {
            client_id: self.client_id,
            client_secret: self.client_secret,
            method: method.unwrap_or(default_method),
        }
    }
}
