//! What the command line and the configuration say about serving agents.

use super::offer::{self, Wanted};
use super::stand::Ground;
use super::token;
use crate::config::Config;
use crate::{AppError, RunCx};
use std::sync::Arc;
use toolscout_core::{Caller, Cx, SourceId};
use toolscout_mcp_client::partition;
use toolscout_surface::mcp::{MetaTools, Terms};

/// Whether this program reads configuration; one that is put together without is served as it is.
pub(super) fn is_configured(cx: &RunCx) -> bool {
    cx.commands().find("discover").is_some()
}

pub(super) fn config(cx: &RunCx) -> Result<Arc<Config>, AppError> {
    match is_configured(cx) {
        true => Config::of(cx.options(), cx.surroundings()),
        false => Ok(Arc::default()),
    }
}

/// What is to be offered.
pub(super) fn wanted(cx: &RunCx, is_web: bool) -> Wanted {
    match cx.parsed.text("profile") {
        Some(name) => Wanted::Profile(name.to_owned()),
        None if is_web => Wanted::AllAndProfiles,
        None => Wanted::All,
    }
}

/// What all servers of this run have in common.
pub(super) fn ground(cx: &RunCx) -> Result<Ground, AppError> {
    let store = cx.surroundings().store();
    // Without a key that survives, what clients carry for us is good for as long as this process is there.
    let key = store.key().or_else(|_| token::random())?;
    let mut terms =
        Terms::new(cx.program(), env!("CARGO_PKG_VERSION"), blake3::derive_key("toolscout request state", &key));
    terms.ranking = cx.parsed.text("ranking").and_then(|it| it.parse().ok()).unwrap_or_default();
    if let Some(essential) = &config(cx)?.settings.context.essential {
        terms.essential.clone_from(essential);
    }
    terms.strict_hidden = cx.parsed.switch("strict-hidden");
    terms.transparent = cx.parsed.text("transparent").map(|it| transparent(cx, it)).transpose()?;
    terms.request = Cx { caller: Caller::Mcp, asker: None, ..cx.request() };
    let meta_tools = cx.parsed.text("meta-tools").and_then(MetaTools::from_word);
    let project = terms.request.project.as_deref().cloned().unwrap_or_default();
    Ok(Ground { terms, meta_tools, store, partition: partition(&project) })
}

/// The source that is shown as it is: a server, or any other.
fn transparent(cx: &RunCx, id: &str) -> Result<SourceId, AppError> {
    let gateway = cx.tools().gateway();
    if let Some(source) = gateway.sources().iter().find(|it| it.id().as_str() == id) {
        return Ok(source.id().clone());
    }
    if let Some(set) = offer::servers(cx)? {
        set.source(id)?;
    }
    let hint = gateway.sources().iter().map(|it| it.id().to_string()).collect::<Vec<_>>().join(", ");
    let message = format!("there is no source `{}`", toolscout_core::escape::line(id));
    Err(AppError::invalid(message, format!("there are: {hint}")))
}
