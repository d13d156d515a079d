//! A login on another device, for machines without a browser (RFC 8628).

use super::super::ClientError;
use super::broken;
use super::exchange::{TokenError, seconds, send_form};
use super::identity::ClientIdentity;
use super::login_request::{LoginRequest, OAuthClient, PreparedLogin};
use super::registration::{DEVICE_GRANT, LoginFlow, Registrations};
use super::secret::OAuthSecret;
use reqwest::Url;
use serde::Deserialize;
use serde_json::Value;
use std::fmt;
use std::time::{Duration, Instant};

/// The poll interval if the server names none.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(5);
/// The increase of the interval after each `slow_down`.
const SLOW_DOWN_STEP: Duration = Duration::from_secs(5);
const MAX_INTERVAL: Duration = Duration::from_secs(60);
/// The lifetime of a code if the server names none.
const DEFAULT_LIFETIME: Duration = Duration::from_secs(600);
/// The longest code that a user can be expected to type, in characters.
const MAX_CODE_LENGTH: usize = 64;

/// A login that waits for a user to type a code on another device.
pub struct DeviceLogin {
    /// The code to type there.
    pub user_code: String,
    /// The address to open.
    pub verification_uri: String,
    /// The same address with the code in it, if the server offers one.
    pub verification_uri_complete: Option<String>,
    /// When the code expires.
    pub expires: Instant,
    pub(super) interval: Duration,
    prepared: PreparedLogin,
    client: OAuthClient,
    device_code: OAuthSecret,
}

impl DeviceLogin {
    /// Requests a code to show, which takes a few HTTP requests. Returns an error if the server
    /// does not support device logins.
    pub async fn start(request: &LoginRequest<'_>) -> Result<Self, ClientError> {
        let prepared = request.prepare().await?;
        let authority = &prepared.authority;
        let none = || {
            format!(
                "the authorization server `{}` does not support login with a device code",
                authority.issuer
            )
        };
        let endpoint = authority.device.clone().ok_or_else(|| ClientError::invalid(none()))?;
        let registrations =
            Registrations::new(request.folder, &authority.issuer, LoginFlow::Device);
        let registered = registrations.read();
        let client = prepared.client(registrations, registered, None).await?;
        let device_codes = match device_codes(&prepared, &endpoint, &client.identity).await {
            Ok(device_codes) => device_codes,
            Err(error) => return Err(prepared.refused(&client, error).await),
        };
        if device_codes.user_code.is_empty()
            || device_codes.user_code.chars().count() > MAX_CODE_LENGTH
        {
            return Err(broken("the authorization server returned an invalid user code"));
        }
        let verification_uri = prepared.web.url(&device_codes.verification_uri)?.to_string();
        let complete = device_codes
            .verification_uri_complete
            .map(|value| prepared.web.url(&value))
            .transpose()?;
        let lifetime =
            device_codes.expires_in.as_ref().and_then(seconds).unwrap_or(DEFAULT_LIFETIME);
        let interval = device_codes.interval.as_ref().and_then(seconds).unwrap_or(DEFAULT_INTERVAL);
        Ok(Self {
            user_code: device_codes.user_code,
            verification_uri,
            verification_uri_complete: complete.map(Into::into),
            expires: Instant::now() + lifetime,
            interval: interval.clamp(Duration::from_secs(1), MAX_INTERVAL),
            prepared,
            client,
            device_code: device_codes.device_code,
        })
    }

    /// The issuer that will ask the user for consent.
    pub fn issuer(&self) -> &str {
        &self.prepared.authority.issuer
    }

    /// Polls until the user has agreed, the code expires or the deadline passes; saves the login.
    /// Cancel-safe between two polls.
    pub async fn wait(&self, deadline: Instant) -> Result<(), ClientError> {
        let end = deadline.min(self.expires);
        let limit = end.saturating_duration_since(Instant::now());
        let mut interval = self.interval;
        loop {
            if Instant::now() + interval > end {
                let what = "waiting for the login on another device".to_owned();
                return Err(ClientError::TimedOut { what, limit });
            }
            tokio::time::sleep(interval).await;
            let form = [
                ("grant_type", DEVICE_GRANT),
                ("device_code", self.device_code.reveal()),
                ("resource", &self.prepared.authority.resource),
            ];
            match self.prepared.tokens(&self.client, &form).await {
                Ok(grant) => return self.prepared.save(&self.client.identity, grant).await,
                Err(TokenError::No { code, .. }) if code == "authorization_pending" => {}
                Err(TokenError::No { code, .. }) if code == "slow_down" => {
                    interval += SLOW_DOWN_STEP
                }
                // RFC 8628: a server that is out of reach for a moment is polled again, less often.
                Err(TokenError::Failed(
                    ClientError::TimedOut { .. }
                    | ClientError::Lost { .. }
                    | ClientError::Busy { .. },
                )) => interval *= 2,
                Err(error) => return Err(self.prepared.refused(&self.client, error).await),
            }
            interval = interval.min(MAX_INTERVAL);
        }
    }
}

/// Shows only the fields that the user may read.
impl fmt::Debug for DeviceLogin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceLogin")
            .field("user_code", &self.user_code)
            .field("verification_uri", &self.verification_uri)
            .finish_non_exhaustive()
    }
}

async fn device_codes(
    prepared: &PreparedLogin,
    endpoint: &Url,
    identity: &ClientIdentity,
) -> Result<DeviceCodes, TokenError> {
    let scope = prepared.scopes.join(" ");
    let mut form = vec![("resource", prepared.authority.resource.as_str())];
    if !scope.is_empty() {
        form.push(("scope", &scope));
    }
    send_form(&prepared.web, endpoint, identity, &form).await
}

#[derive(Deserialize)]
struct DeviceCodes {
    device_code: OAuthSecret,
    user_code: String,
    verification_uri: String,
    verification_uri_complete: Option<String>,
    expires_in: Option<Value>,
    interval: Option<Value>,
}
