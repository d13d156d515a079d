//! Servers whose users each bring a token of their own: a source for each request, and none for all.

use super::set::around;
use crate::{AppError, Startup};
use std::sync::Arc;
use toolscout_gateway::GatewayBuilder;
use toolscout_mcp_client::ServerConfig;
use toolscout_mcp_client::per_user::{PerUserServer, request_headers};

/// Whether the server is asked with what each request brings.
pub(super) fn is_per_user(server: &ServerConfig) -> bool {
    !request_headers(server).is_empty()
}

/// Why it cannot be asked on nobody's behalf.
pub(super) fn why(server: &ServerConfig) -> (String, String) {
    let (id, headers) = (&server.id, request_headers(server).join("` and `"));
    let what = format!("`{id}` is asked with what each request brings as header `{headers}`, and here is no request");
    (what, "toolscout serve --http 127.0.0.1:7420".to_owned())
}

/// No other process answers for them: what is somebody's own stays here.
pub(super) fn rule(gateway: GatewayBuilder, startup: &Startup) -> Result<GatewayBuilder, AppError> {
    if startup.options.text("tools-from").is_some() {
        return Ok(gateway);
    }
    let set = &startup.servers;
    let Some(shared) = &set.shared else { return Ok(gateway) };
    let own = set.configured.iter().filter(|it| it.server.enabled && it.may_start && is_per_user(&it.server));
    own.map(|it| &it.server).try_fold(gateway, |gateway, server| {
        let configured = server.clone();
        let own = PerUserServer::new(server.clone(), shared.clone(), move |source| around(&configured, source));
        let own = own.map_err(|it| AppError::invalid(it.to_string(), "try again"))?;
        Ok(gateway.request_sources(Arc::new(own)))
    })
}
