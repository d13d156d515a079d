//! A server as the API shows it.

use crate::config::Configured;
use crate::plugins::servers::view;
use std::collections::BTreeMap;
use toolscout_core::Status;
use toolscout_core::redact::{self, REDACTED};
use toolscout_gateway::Snapshot;
use toolscout_mcp_client::{Endpoint, ServerState, Text, Transport};
use toolscout_surface::api::servers::Server;

/// A server, its state where one is known, and what is known of its tools.
pub(super) fn shown(configured: &Configured, state: Option<&ServerState>, known: &Snapshot) -> Server {
    let server = &configured.server;
    let listed = view(configured, state);
    let held = known.tools_of(&server.id).iter().filter(|it| matches!(it.status, Status::Held(_))).count();
    let (mut command, mut args, mut url) = (None, None, None);
    let (mut env, mut headers) = (BTreeMap::new(), BTreeMap::new());
    match &server.transport {
        Transport::Stdio(program) => {
            command = Some(redact::text(program.command.written()));
            args = Some(program.args.iter().map(|it| redact::text(it.written())).collect());
            env = hidden(&program.env);
        }
        Transport::Http(endpoint) => {
            url = Some(address(endpoint));
            headers = hidden(&endpoint.headers);
        }
    }
    Server {
        id: server.id.to_string(),
        transport: server.transport.word(),
        command,
        args,
        url,
        env,
        headers,
        enabled: server.enabled,
        state: state.map_or("configured", |it| it.state.word()),
        discovery_status: listed.status,
        last_discovery: listed.last_discovery,
        discovery_error: listed.error.as_deref().map(redact::text),
        reason: state.and_then(|it| it.reason.as_deref()).map(redact::text),
        stale: listed.stale,
        tool_count: listed.tool_count,
        held_count: held,
        trusted: server.trusted,
        file: configured.file.display().to_string(),
        tools: server.policies.iter().map(|(name, policy)| (name.clone(), policy.word())).collect(),
    }
}

/// References as written, and nothing else.
fn hidden(texts: &BTreeMap<String, Text>) -> BTreeMap<String, String> {
    let one = |(name, text): (&String, &Text)| {
        let shown = if text.is_reference() { text.written() } else { REDACTED };
        (name.clone(), shown.to_owned())
    };
    texts.iter().map(one).collect()
}

/// What is behind `?` may be a key.
fn address(endpoint: &Endpoint) -> String {
    match endpoint.url.written().split_once('?') {
        Some((place, _)) => format!("{}?{REDACTED}", redact::text(place)),
        None => redact::text(endpoint.url.written()),
    }
}
