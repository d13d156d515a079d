//! The wish to log in, and what every kind of login begins and ends with.

use super::super::{ClientError, ConfigText, HttpEndpoint, ReferenceLookup};
use super::challenge::Challenge;
use super::discover::{AuthorizationServer, discover};
use super::exchange::{TokenError, TokenGrant};
use super::file::TokenFile;
use super::identity::ClientIdentity;
use super::reach::is_secure;
use super::record::{LoginRecord, VERSION};
use super::registration::{Registration, Registrations};
use super::secret::OAuthSecret;
use super::web::OAuthHttp;
use super::{hint, server_url, shown};
use reqwest::Url;
use std::path::Path;
use toolscout_core::{Moment, SourceId};

/// The wish of a person to log in to a server.
#[derive(Debug, Clone, Copy)]
pub struct LoginRequest<'a> {
    /// The server's id.
    pub id: &'a SourceId,
    /// Its address, all references resolved.
    pub url: &'a str,
    /// The `WWW-Authenticate` header it answered with, if it was asked before: says where its login is described and
    /// what it wants to be allowed. Without it, both are looked for where they are by agreement.
    pub challenge: Option<&'a str>,
    /// Its configuration: a client registered by hand, and scopes.
    pub endpoint: &'a HttpEndpoint,
    /// Where references in the configuration lead.
    pub lookup: &'a ReferenceLookup,
    /// The folder for logins, readable for its owner only; made if it is missing.
    pub folder: &'a Path,
    /// Where the browser comes back to on 127.0.0.1; any free port if left out.
    pub port: Option<u16>,
}

/// Everything known before a person is asked for anything.
pub(super) struct PreparedLogin {
    pub(super) web: OAuthHttp,
    pub(super) authority: AuthorizationServer,
    pub(super) scopes: Vec<String>,
    /// Who we are, if somebody has registered us.
    pub(super) configured: Option<ClientIdentity>,
    id: SourceId,
    server: Url,
    file: TokenFile,
}

impl LoginRequest<'_> {
    pub(super) async fn prepare(&self) -> Result<PreparedLogin, ClientError> {
        let server = server_url(self.url)?;
        if !is_secure(&server) {
            let reason =
                format!("`{}` is not `https`; nobody should log in where everybody can listen", shown(&server));
            return Err(ClientError::Invalid { reason });
        }
        let challenge = self.challenge.map(Challenge::parse).unwrap_or_default();
        let web = OAuthHttp::of(&server).await;
        let client_id = self.resolved(self.endpoint.client_id.as_ref(), "the client id").await?;
        let client_secret = self.resolved(self.endpoint.client_secret.as_ref(), "the client secret").await?;
        let authority = discover(&web, &server, &challenge).await?;
        let secret = client_secret.map(OAuthSecret::new);
        let configured = client_id.map(|it| ClientIdentity::configured(it, secret, authority.methods.as_deref()));
        let file = TokenFile::of(self.folder, self.id, &server);
        let before = file.read().ok().flatten().filter(|it| it.issuer == authority.issuer);
        let scopes = scopes(&self.endpoint.scopes, &challenge, &authority, before);
        Ok(PreparedLogin { web, authority, scopes, configured, id: self.id.clone(), server, file })
    }

    /// What a text of the configuration stands for; looking it up may read files and run the keyring's program.
    async fn resolved(&self, text: Option<&ConfigText>, what: &str) -> Result<Option<String>, ClientError> {
        let Some(text) = text.cloned() else { return Ok(None) };
        let lookup = self.lookup.clone();
        let resolved = tokio::task::spawn_blocking(move || text.resolve(&lookup)).await;
        let failed = |_| ClientError::Lost { what: format!("{what} could not be looked up") };
        let value = resolved.map_err(failed)?.map_err(|reason| ClientError::Invalid { reason })?;
        Ok(Some(value).filter(|it| !it.is_empty()))
    }
}

/// What to ask for: what a person configured, else what the server wants now, else what it suggests.
fn scopes(
    configured: &[String],
    challenge: &Challenge,
    authority: &AuthorizationServer,
    before: Option<LoginRecord>,
) -> Vec<String> {
    let first = [configured, &challenge.scopes, &authority.suggested].into_iter().find(|it| !it.is_empty());
    let mut out = first.map(<[_]>::to_vec).unwrap_or_default();
    if challenge.insufficient_scope {
        // Asking for what was missing only would lose what was allowed before.
        out.extend(challenge.scopes.iter().cloned());
        out.extend(before.into_iter().flat_map(|it| it.scopes));
    }
    if configured.is_empty() && !out.is_empty() && authority.offline {
        out.push(OFFLINE.to_owned());
    }
    let mut seen = std::collections::BTreeSet::new();
    out.retain(|it| seen.insert(it.clone()));
    out
}

/// The scope that some servers want to see before they give a token that renews others.
pub(super) const OFFLINE: &str = "offline_access";

impl PreparedLogin {
    /// Keeps what a login came to.
    pub(super) async fn save(&self, identity: &ClientIdentity, grant: TokenGrant) -> Result<(), ClientError> {
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
            let lock = self.file.lock().await?;
            self.file.write(&record, &lock)
        };
        let failed = |err| format!("the login could not be saved in `{}`: {err}", self.file.path().display());
        saved.await.map_err(|err: std::io::Error| ClientError::Lost { what: failed(err) })
    }

    /// Keeps a registration that has proven good, or drops one that the server no longer knows.
    pub(super) async fn settle(&self, kept: &Registrations, new: Option<&Registration>, refusal: Option<&TokenError>) {
        match (new, refusal) {
            (Some(new), None) => kept.keep(new).await,
            (_, Some(TokenError::No { code, .. })) if forgotten(code) => kept.forget().await,
            _ => {}
        }
    }

    /// In words, why nothing was given.
    pub(super) fn refused(&self, refusal: TokenError) -> ClientError {
        match refusal {
            TokenError::No { text, .. } => {
                let what =
                    format!("`{}` refused the login: {text}; to try again, {}", self.authority.issuer, hint(&self.id));
                ClientError::Login { what, challenge: None }
            }
            TokenError::Failed(err) => err,
        }
    }
}

/// Whether a server says that it does not know us.
pub(super) fn forgotten(code: &str) -> bool {
    matches!(code, "invalid_client" | "unauthorized_client")
}
