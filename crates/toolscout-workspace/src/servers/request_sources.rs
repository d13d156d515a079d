//! Sources of servers that need a token of each user: one source for each request.

use super::per_user::is_per_user;
use super::set::{ServerSet, with_layers};
use crate::AppError;
use std::sync::Arc;
use toolscout_config::ConfiguredServer;
use toolscout_gateway::GatewayBuilder;
use toolscout_mcp_client::per_user::PerUserServer;

/// Adds the servers that need a token of each user. They always run in this process, so that tokens stay here.
pub fn add_request_sources(gateway: GatewayBuilder, set: &ServerSet) -> Result<GatewayBuilder, AppError> {
    let Some(shared) = &set.shared else { return Ok(gateway) };
    let is_used = |it: &&ConfiguredServer| it.server.enabled && it.may_start && is_per_user(&it.server);
    set.configured.iter().filter(is_used).map(|it| &it.server).try_fold(gateway, |gateway, server| {
        let configured = server.clone();
        let source = PerUserServer::new(server.clone(), shared.clone(), move |source| with_layers(&configured, source));
        let source = source.map_err(|error| AppError::invalid(error.to_string(), "try again"))?;
        Ok(gateway.request_sources(Arc::new(source)))
    })
}
