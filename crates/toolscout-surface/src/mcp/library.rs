//! Resources, prompts and completion of the upstream servers. Lists come from the cache; everything
//! else is forwarded to the servers.

mod forward;
mod template;

#[cfg(test)]
mod tests;

use super::client_view::ListEntry;
use super::exchange::Exchange;
use super::object::Object;
use super::subscriptions::Subscription;
use super::{list, logging};
use forward::forward;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::jsonrpc::RpcError;
use toolscout_core::jsonrpc::quoted;
use toolscout_core::{LibraryContents, RawJson, ReviewMode, Source, escape};

/// The error code of the old era for a resource that does not exist.
const NO_RESOURCE: i64 = -32002;

pub(super) async fn resources(exchange: &Exchange) -> Result<String, RpcError> {
    listing(exchange, "resources", |contents| index_by(&contents.resources, "uri")).await
}

pub(super) async fn templates(exchange: &Exchange) -> Result<String, RpcError> {
    listing(exchange, "resourceTemplates", |contents| index_by(&contents.templates, "uriTemplate"))
        .await
}

/// Lists prompts. They are named like tools, because two servers may have a prompt of the same
/// name.
pub(super) async fn prompts(exchange: &Exchange) -> Result<String, RpcError> {
    let libraries = libraries_with(exchange, "prompts").await?;
    let entries = prompt_names(exchange, &libraries).into_iter().map(|(name, (_, raw))| {
        let mut prompt = Object::parse(raw.as_str()).unwrap_or_default();
        let quoted = quoted(&name);
        prompt.set("name", quoted.as_str());
        let json = prompt.to_string();
        ListEntry { name, json }
    });
    let page = list::page(exchange, "prompts", &entries.collect::<Vec<_>>())?;
    Ok(list::cacheable(exchange, page).await)
}

pub(super) async fn read(exchange: &Exchange) -> Result<String, RpcError> {
    let uri = text_param(exchange, "uri")?;
    let owner = owner(exchange, &uri).await?;
    let result = forward(exchange, &owner, "resources/read", exchange.params.as_str()).await?;
    Ok(with_cache_hints(exchange, result))
}

pub(super) async fn prompt(exchange: &Exchange) -> Result<String, RpcError> {
    let name = text_param(exchange, "name")?;
    let (owner, own_name) = prompt_named(exchange, &name).await?;
    let mut params = Object::parse(exchange.params.as_str()).unwrap_or_default();
    let quoted = quoted(&own_name);
    params.set("name", quoted.as_str());
    forward(exchange, &owner, "prompts/get", &params.to_string()).await
}

pub(super) async fn complete(exchange: &Exchange) -> Result<String, RpcError> {
    let params = exchange.params.to_value();
    let mut reference = params["ref"].clone();
    let owner =
        match (reference["type"].as_str(), reference["name"].as_str(), reference["uri"].as_str()) {
            (Some("ref/prompt"), Some(name), _) => {
                let (owner, own_name) = prompt_named(exchange, name).await?;
                reference["name"] = own_name.into();
                owner
            }
            (Some("ref/resource"), _, Some(uri)) => owner(exchange, uri).await?,
            _ => return Err(RpcError::invalid_params("`ref` must name a prompt or a resource")),
        };
    let mut params = Object::parse(exchange.params.as_str()).unwrap_or_default();
    let reference = reference.to_string();
    params.set("ref", reference.as_str());
    forward(exchange, &owner, "completion/complete", &params.to_string()).await
}

/// Subscribes a client of the old era. A second subscription to a resource changes nothing.
pub(super) async fn subscribe(exchange: &Exchange) -> Result<String, RpcError> {
    let uri = text_param(exchange, "uri")?;
    let owner = owner(exchange, &uri).await?;
    let subscriptions = &exchange.client.subscriptions;
    if subscriptions.contains(&uri) {
        return Ok("{}".to_owned());
    }
    let params = exchange.params.as_str();
    let result = forward(exchange, &owner, "resources/subscribe", params).await?;
    subscriptions.add(subscription(exchange, &owner, &uri));
    Ok(result)
}

/// Ends the subscription of a client of the old era, if it has one: the server may have other
/// subscribers.
pub(super) async fn unsubscribe(exchange: &Exchange) -> Result<String, RpcError> {
    let uri = text_param(exchange, "uri")?;
    match exchange.client.subscriptions.remove(&uri) {
        Some(source) => {
            forward(exchange, &source, "resources/unsubscribe", exchange.params.as_str()).await
        }
        None => Ok("{}".to_owned()),
    }
}

/// Subscribes to a resource for a listening client of the modern era. Errors are ignored, because
/// some servers cannot notify.
pub(super) async fn subscribe_quietly(exchange: &Exchange, uri: &str) -> Option<Subscription> {
    let owner = owner(exchange, uri).await.ok()?;
    let params = json!({"uri": uri}).to_string();
    forward(exchange, &owner, "resources/subscribe", &params).await.ok()?;
    Some(subscription(exchange, &owner, uri))
}

fn subscription(exchange: &Exchange, source: &Arc<dyn Source>, uri: &str) -> Subscription {
    let cx = exchange.client.identity.cx(&exchange.server.options.request);
    exchange.server.ended_subscriptions.subscription(source, uri, cx)
}

/// Sets the log level of a client of the old era, and that of a transparent server.
pub(super) async fn set_level(exchange: &Exchange) -> Result<String, RpcError> {
    let level = logging::requested_level(&exchange.params.to_value());
    let level = level.ok_or_else(|| {
        RpcError::invalid_params("`level` must be one of the eight levels, such as \"info\"")
    })?;
    exchange.client.set_log_level(level);
    if exchange.server.options.transparent.is_some() {
        for (source, _) in libraries_with(exchange, "logging").await? {
            forward(exchange, &source, "logging/setLevel", exchange.params.as_str()).await?;
        }
    }
    Ok("{}".to_owned())
}

/// The combined capabilities of all upstream servers.
pub(super) async fn capabilities(exchange: &Exchange) -> Value {
    let mut all = json!({});
    for (_, contents) in libraries(exchange).await {
        let declared = declared_capabilities(&contents);
        for key in ["resources", "prompts", "completions", "logging"]
            .into_iter()
            .filter(|item| declared[*item].is_object())
        {
            if all.get(key).is_none() {
                all[key] = json!({});
            }
            if matches!(key, "resources" | "prompts") {
                all[key]["listChanged"] = true.into();
            }
            if declared[key]["subscribe"] == true {
                all[key]["subscribe"] = true.into();
            }
        }
    }
    all
}

/// The instructions of a transparent server.
pub(super) async fn instructions(exchange: &Exchange) -> Option<String> {
    libraries(exchange).await.into_iter().find_map(|(_, library)| library.instructions)
}

type SourceLibrary = (Arc<dyn Source>, LibraryContents);

/// The libraries that may be shown, sorted by the id of their source. A library that was not
/// reviewed is hidden, because a prompt is an instruction.
async fn libraries(exchange: &Exchange) -> Vec<SourceLibrary> {
    let server = &exchange.server;
    let cx = exchange.cx(None);
    let view = server.gateway.view(&cx).await;
    let is_shown = |source: &&Arc<dyn Source>| {
        let is_approved =
            !matches!(source.review(), ReviewMode::Needed { approves_first_sight: false, .. });
        is_approved && server.options.transparent.as_ref().is_none_or(|only| source.id() == only)
    };
    let mut libraries: Vec<SourceLibrary> = view
        .sources()
        .iter()
        .filter(is_shown)
        .filter_map(|source| Some((source.clone(), view.library(source.id())?.contents(&cx).ok()?)))
        .collect();
    libraries.sort_by(|(one, _), (other, _)| one.id().cmp(other.id()));
    libraries
}

/// The libraries with this capability. If there are none, the method is unknown.
async fn libraries_with(
    exchange: &Exchange,
    capability: &str,
) -> Result<Vec<SourceLibrary>, RpcError> {
    let libraries: Vec<_> = libraries(exchange)
        .await
        .into_iter()
        .filter(|(_, library)| declared_capabilities(library)[capability].is_object())
        .collect();
    if libraries.is_empty() {
        return Err(RpcError::new(RpcError::METHOD, format!("this server has no {capability}")));
    }
    Ok(libraries)
}

fn declared_capabilities(contents: &LibraryContents) -> Value {
    contents.capabilities.as_ref().map(RawJson::to_value).unwrap_or_default()
}

/// Lists definitions by this key, unchanged. If two servers have the same key, the first one is
/// listed.
async fn listing(
    exchange: &Exchange,
    key: &str,
    select: impl Fn(&LibraryContents) -> BTreeMap<String, RawJson>,
) -> Result<String, RpcError> {
    let mut all = BTreeMap::new();
    for (_, contents) in libraries_with(exchange, "resources").await? {
        for (name, raw) in select(&contents) {
            all.entry(name).or_insert(raw);
        }
    }
    let entries: Vec<_> = all
        .into_iter()
        .map(|(name, raw)| ListEntry { name, json: raw.as_str().to_owned() })
        .collect();
    let page = list::page(exchange, key, &entries)?;
    Ok(list::cacheable(exchange, page).await)
}

fn index_by(definitions: &[RawJson], key: &str) -> BTreeMap<String, RawJson> {
    definitions
        .iter()
        .filter_map(|definition| {
            Some((definition.to_value()[key].as_str()?.to_owned(), definition.clone()))
        })
        .collect()
}

/// Every prompt by its wire name, with its source.
fn prompt_names<'a>(
    exchange: &Exchange,
    libraries: &'a [SourceLibrary],
) -> BTreeMap<String, (&'a Arc<dyn Source>, &'a RawJson)> {
    let is_transparent = exchange.server.options.transparent.is_some();
    let mut all = BTreeMap::new();
    for (source, contents) in libraries {
        for raw in &contents.prompts {
            let Some(name) = raw.to_value()["name"].as_str().map(str::to_owned) else { continue };
            let name = if is_transparent { name } else { format!("{}__{name}", source.id()) };
            all.entry(name).or_insert((source, raw));
        }
    }
    all
}

async fn prompt_named(
    exchange: &Exchange,
    name: &str,
) -> Result<(Arc<dyn Source>, String), RpcError> {
    let libraries = libraries_with(exchange, "prompts").await?;
    let names = prompt_names(exchange, &libraries);
    let (source, raw) = names.get(name).ok_or_else(|| {
        RpcError::invalid_params(format!("Unknown prompt: {}", escape::line(name)))
    })?;
    Ok(((*source).clone(), raw.to_value()["name"].as_str().unwrap_or(name).to_owned()))
}

/// Finds the source of a resource: the one that lists it, has a template for it, or is the only one
/// with resources.
async fn owner(exchange: &Exchange, uri: &str) -> Result<Arc<dyn Source>, RpcError> {
    let libraries = libraries_with(exchange, "resources").await?;
    let lists_uri = |contents: &LibraryContents| {
        contents.resources.iter().any(|resource| resource.to_value()["uri"] == uri)
    };
    let has_template = |contents: &LibraryContents| {
        let mut templates = contents
            .templates
            .iter()
            .filter_map(|template| Some(template.to_value()["uriTemplate"].as_str()?.to_owned()));
        templates.any(|template| template == uri || template::fits(&template, uri))
    };
    let found = libraries
        .iter()
        .find(|(_, library)| lists_uri(library))
        .or_else(|| libraries.iter().find(|(_, library)| has_template(library)));
    let only = if libraries.len() == 1 { libraries.first() } else { None };
    match found.or(only) {
        Some((source, _)) => Ok(source.clone()),
        None => {
            let code = if exchange.is_modern() { RpcError::PARAMS } else { NO_RESOURCE };
            let error = RpcError::new(code, format!("Resource not found: {}", escape::line(uri)));
            Err(error.with_data(&json!({"uri": uri})))
        }
    }
}

/// Adds cache hints. A resource may be private to one user, unless its server sets other hints.
fn with_cache_hints(exchange: &Exchange, result: String) -> String {
    if !exchange.is_modern() || result.contains("\"input_required\"") {
        return result;
    }
    let mut hinted = Object::parse(&result).unwrap_or_default();
    hinted.set_missing("ttlMs", "0");
    hinted.set_missing("cacheScope", "\"private\"");
    hinted.to_string()
}

fn text_param(exchange: &Exchange, key: &str) -> Result<String, RpcError> {
    match exchange.params.to_value()[key].as_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(RpcError::invalid_params(format!("`{key}` must be a string"))),
    }
}
