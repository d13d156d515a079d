//! The request to log in, and the first and last steps of every flow.

use super::super::{ClientError, ConfigText, HttpEndpoint, ReferenceLookup};
use super::challenge::Challenge;
use super::discover::{AuthorizationServer, discover};
use super::exchange::{TokenError, TokenGrant, exchange};
use super::identity::ClientIdentity;
use super::reach::is_secure;
use super::record::{LoginRecord, TokenFile, VERSION};
use super::registration::{Registration, Registrations, register};
use super::secret::OAuthSecret;
use super::web::OAuthHttp;
use super::{OFFLINE, hint, server_url, shown};
use reqwest::Url;
use std::path::Path;
use toolscout_core::{Moment, SourceId};

/// The request of a user to log in to a server.
#[derive(Debug, Clone, Copy)]
pub struct LoginRequest<'a> {
    /// The server's id.
    pub id: &'a SourceId,
    /// The server's address, with all references resolved.
    pub url: &'a str,
    /// The `WWW-Authenticate` header of an earlier response, if there is one. It names the address
    /// of the server's metadata and the required scopes. Without it, the well-known addresses are
    /// used.
    pub challenge: Option<&'a str>,
    /// The server's configuration: a client registered by hand, and scopes.
    pub endpoint: &'a HttpEndpoint,
    /// Resolves references in the configuration.
    pub lookup: &'a ReferenceLookup,
    /// The folder for logins, readable by its owner only; created if it is missing.
    pub folder: &'a Path,
    /// The port of the redirect on 127.0.0.1; any free port if omitted.
    pub port: Option<u16>,
}

/// The result of all steps that need no user interaction.
pub(super) struct PreparedLogin {
    pub(super) web: OAuthHttp,
    pub(super) authority: AuthorizationServer,
    pub(super) scopes: Vec<String>,
    /// The client that was registered by hand, if one is configured.
    pub(super) configured: Option<ClientIdentity>,
    id: SourceId,
    server: Url,
    file: TokenFile,
}

/// The client that a login is made with.
pub(super) struct OAuthClient {
    pub(super) identity: ClientIdentity,
    registrations: Registrations,
    /// The registration made for this login; stored once it has worked.
    new: Option<Registration>,
}

impl LoginRequest<'_> {
    pub(super) async fn prepare(&self) -> Result<PreparedLogin, ClientError> {
        let server = server_url(self.url)?;
        if !is_secure(&server) {
            let reason =
                format!("`{}` is not `https`; a login there could be intercepted", shown(&server));
            return Err(ClientError::invalid(reason));
        }
        let challenge = self.challenge.map(Challenge::parse).unwrap_or_default();
        let web = OAuthHttp::for_server(&server).await;
        let client_id = self.resolved(self.endpoint.client_id.as_ref(), "the client id").await?;
        let client_secret =
            self.resolved(self.endpoint.client_secret.as_ref(), "the client secret").await?;
        let authority = discover(&web, &server, &challenge).await?;
        let secret = client_secret.map(OAuthSecret::new);
        let configured = client_id.map(|client_id| {
            ClientIdentity::configured(client_id, secret, authority.methods.as_deref())
        });
        let file = TokenFile::new(self.folder, self.id, &server);
        let previous = file.read().ok().flatten().filter(|file| file.issuer == authority.issuer);
        let scopes = scopes(&self.endpoint.scopes, &challenge, &authority, previous);
        Ok(PreparedLogin { web, authority, scopes, configured, id: self.id.clone(), server, file })
    }

    /// Resolves a text of the configuration, which may read files and run the keyring program.
    async fn resolved(
        &self,
        text: Option<&ConfigText>,
        what: &str,
    ) -> Result<Option<String>, ClientError> {
        let Some(text) = text.cloned() else { return Ok(None) };
        let lookup = self.lookup.clone();
        let resolved = tokio::task::spawn_blocking(move || text.resolve(&lookup)).await;
        let failed = |_| ClientError::lost(format!("{what} could not be read"));
        let value = resolved.map_err(failed)?.map_err(ClientError::invalid)?;
        Ok(Some(value).filter(|value| !value.is_empty()))
    }
}

/// The scopes to request: the configured ones, or else those of the challenge, or else those the
/// server suggests.
fn scopes(
    configured: &[String],
    challenge: &Challenge,
    authority: &AuthorizationServer,
    previous: Option<LoginRecord>,
) -> Vec<String> {
    let first = [configured, &challenge.scopes, &authority.suggested]
        .into_iter()
        .find(|item| !item.is_empty());
    let mut out = first.map(<[_]>::to_vec).unwrap_or_default();
    if challenge.insufficient_scope {
        // Requesting only the missing scopes would lose the granted ones.
        out.extend(challenge.scopes.iter().cloned());
        out.extend(previous.into_iter().flat_map(|item| item.scopes));
    }
    if configured.is_empty() && !out.is_empty() && authority.offline {
        out.push(OFFLINE.to_owned());
    }
    let mut seen = std::collections::BTreeSet::new();
    out.retain(|item| seen.insert(item.clone()));
    out
}

impl PreparedLogin {
    /// The client to log in with: the configured one, a registered one, or a new one.
    pub(super) async fn client(
        &self,
        registrations: Registrations,
        registered: Option<Registration>,
        redirect: Option<&str>,
    ) -> Result<OAuthClient, ClientError> {
        let (identity, new) = match (&self.configured, registered) {
            (Some(configured), _) => (configured.clone(), None),
            (None, Some(registered)) => (registered.identity, None),
            (None, None) => {
                let new = register(&self.web, &self.authority, redirect, &self.scopes).await?;
                (new.identity.clone(), Some(new))
            }
        };
        Ok(OAuthClient { identity, registrations, new })
    }

    /// Requests tokens. A new registration is stored once it has worked.
    pub(super) async fn tokens(
        &self,
        client: &OAuthClient,
        form: &[(&str, &str)],
    ) -> Result<TokenGrant, TokenError> {
        let grant = exchange(&self.web, &self.authority.token, &client.identity, form).await?;
        if let Some(new) = &client.new {
            client.registrations.save(new).await;
        }
        Ok(grant)
    }

    /// The error for a refused login. A registration that the server does not know is removed.
    pub(super) async fn refused(&self, client: &OAuthClient, error: TokenError) -> ClientError {
        match error {
            TokenError::No { code, text } => {
                if is_unknown_client(&code) {
                    client.registrations.forget().await;
                }
                let issuer = &self.authority.issuer;
                let what = format!(
                    "`{issuer}` refused the login: {text}; to try again, {}",
                    hint(&self.id)
                );
                ClientError::Login { what, challenge: None }
            }
            TokenError::Failed(error) => error,
        }
    }

    pub(super) async fn save(
        &self,
        identity: &ClientIdentity,
        grant: TokenGrant,
    ) -> Result<(), ClientError> {
        let record = LoginRecord {
            version: VERSION,
            server: self.id.to_string(),
            url: self.server.to_string(),
            issuer: self.authority.issuer.clone(),
            identity: identity.clone(),
            token_endpoint: self.authority.token.to_string(),
            resource: self.authority.resource.clone(),
            scopes: self.scopes.clone(),
            access_token: grant.access,
            refresh_token: grant.refresh,
            expires: grant.expires,
            since: Moment::now(),
        };
        let saved = async {
            let lock = self.file.file.lock().await?;
            self.file.write(&record, &lock)
        };
        let failed = |err| {
            format!("the login could not be saved in `{}`: {err}", self.file.file.path().display())
        };
        saved.await.map_err(|err: std::io::Error| ClientError::lost(failed(err)))
    }
}

/// Whether an error code means that the server does not know the client.
pub(super) fn is_unknown_client(code: &str) -> bool {
    matches!(code, "invalid_client" | "unauthorized_client")
}
