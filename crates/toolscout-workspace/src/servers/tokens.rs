//! Saved OAuth tokens of servers on the web.

use crate::{AppError, Environment};
use std::path::PathBuf;
use std::sync::Arc;
use toolscout_config::ConfiguredServer;
use toolscout_mcp_client::oauth::{ClientCredentials, SavedTokens};
use toolscout_mcp_client::tokens::TokenProvider;
use toolscout_mcp_client::{
    HttpEndpoint, OAuthGrant, ServerConfig, ServerContext, ServerTransport,
};

/// The shared state of all sources, with the tokens of this server if it takes any.
pub(super) fn with_tokens(
    configured: &ConfiguredServer,
    shared: &Arc<ServerContext>,
    environment: &Environment,
) -> Arc<ServerContext> {
    let tokens = || {
        let (endpoint, url) = http_endpoint(&configured.server, environment).ok()?;
        let folder = token_folder(environment).filter(|_| endpoint.bearer.is_none())?;
        let id = &configured.server.id;
        let tokens: Arc<dyn TokenProvider> = match endpoint.grant {
            OAuthGrant::AuthorizationCode => Arc::new(SavedTokens::open(&folder, id, &url).ok()?),
            OAuthGrant::ClientCredentials => {
                let lookup = environment.lookup();
                Arc::new(ClientCredentials::new(id, &url, endpoint, &lookup, &folder).ok()?)
            }
        };
        Some(tokens)
    };
    match tokens() {
        Some(tokens) => Arc::new(shared.with_tokens(tokens)),
        None => shared.clone(),
    }
}

/// The endpoint of a server on the web, and its address with all references resolved.
pub fn http_endpoint<'a>(
    server: &'a ServerConfig,
    environment: &Environment,
) -> Result<(&'a HttpEndpoint, String), AppError> {
    let ServerTransport::Http(endpoint) = &server.transport else {
        let message = format!("server `{}` is a local program and needs no login", server.id);
        return Err(AppError::invalid(message, format!("toolscout server show {}", server.id)));
    };
    let url = endpoint.url.resolve(&environment.lookup());
    let url = url.map_err(|error| {
        AppError::invalid(error, format!("toolscout server show {}", server.id))
    })?;
    Ok((endpoint, url))
}

/// The folder of saved tokens; none if there is no state folder.
pub fn token_folder(environment: &Environment) -> Option<PathBuf> {
    environment.state_dir().map(|state| state.join("tokens"))
}
