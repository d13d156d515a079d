//! Resources, prompts and completion of the servers behind us: listed from what is known, and asked for where they are.

mod forward;
mod template;

#[cfg(test)]
mod tests;

use super::exchange::Exchange;
use super::face::Entry;
use super::fault::Fault;
use super::message::quoted;
use super::object::Object;
use super::{list, logging};
use forward::forward;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use toolscout_core::{LibraryContents, RawJson, ReviewMode, Source, escape};

/// Resources that one client hears of.
const SUBSCRIPTIONS: usize = 256;
/// The old era's number for a resource that is not there.
const NO_RESOURCE: i64 = -32002;

pub(super) async fn resources(exchange: &Exchange) -> Result<String, Fault> {
    listing(exchange, "resources", |it| by(&it.resources, "uri")).await
}

pub(super) async fn templates(exchange: &Exchange) -> Result<String, Fault> {
    listing(exchange, "resourceTemplates", |it| by(&it.templates, "uriTemplate")).await
}

/// Prompts are named like tools, because two servers may have one of the same name.
pub(super) async fn prompts(exchange: &Exchange) -> Result<String, Fault> {
    let shelves = offered(exchange, "prompts").await?;
    let entries = prompt_names(exchange, &shelves).into_iter().map(|(name, (_, raw))| {
        let mut prompt = Object::parse(raw.as_str()).unwrap_or_default();
        let quoted = quoted(&name);
        prompt.set("name", quoted.as_str());
        let json = prompt.to_string();
        Entry { name, json }
    });
    let page = list::page(exchange, "prompts", &entries.collect::<Vec<_>>())?;
    Ok(list::cacheable(exchange, page, false))
}

pub(super) async fn read(exchange: &Exchange) -> Result<String, Fault> {
    let uri = text_param(exchange, "uri")?;
    let owner = owner(exchange, &uri).await?;
    let result = forward(exchange, &owner, "resources/read", exchange.params.as_str()).await?;
    Ok(with_cache_hints(exchange, result))
}

pub(super) async fn prompt(exchange: &Exchange) -> Result<String, Fault> {
    let name = text_param(exchange, "name")?;
    let (owner, own_name) = prompt_named(exchange, &name).await?;
    let mut params = Object::parse(exchange.params.as_str()).unwrap_or_default();
    let quoted = quoted(&own_name);
    params.set("name", quoted.as_str());
    forward(exchange, &owner, "prompts/get", &params.to_string()).await
}

pub(super) async fn complete(exchange: &Exchange) -> Result<String, Fault> {
    let params = exchange.params.to_value();
    let mut about = params["ref"].clone();
    let owner = match (about["type"].as_str(), about["name"].as_str(), about["uri"].as_str()) {
        (Some("ref/prompt"), Some(name), _) => {
            let (owner, own_name) = prompt_named(exchange, name).await?;
            about["name"] = own_name.into();
            owner
        }
        (Some("ref/resource"), _, Some(uri)) => owner(exchange, uri).await?,
        _ => return Err(Fault::invalid_params("`ref` must name a prompt or a resource")),
    };
    let mut params = Object::parse(exchange.params.as_str()).unwrap_or_default();
    let about = about.to_string();
    params.set("ref", about.as_str());
    forward(exchange, &owner, "completion/complete", &params.to_string()).await
}

pub(super) async fn subscribe(exchange: &Exchange, wants: bool) -> Result<String, Fault> {
    let uri = text_param(exchange, "uri")?;
    let owner = owner(exchange, &uri).await?;
    let method = if wants { "resources/subscribe" } else { "resources/unsubscribe" };
    let result = forward(exchange, &owner, method, exchange.params.as_str()).await?;
    exchange.client.subscriptions(|all| {
        all.retain(|it| *it != uri);
        if wants {
            all.push(uri);
        }
        // Who wants more does not hear of the first ones any more.
        all.drain(..all.len().saturating_sub(SUBSCRIPTIONS));
    });
    Ok(result)
}

/// Has the server say when this resource changes, for a client of the modern era that listens. One that cannot is not told.
pub(super) async fn listen_to(exchange: &Exchange, uri: &str) {
    let Ok(owner) = owner(exchange, uri).await else { return };
    let params = json!({"uri": uri}).to_string();
    let _ = forward(exchange, &owner, "resources/subscribe", &params).await;
}

/// How loud a client of the old era wants to have it. The one server that is shown as itself is told, too.
pub(super) async fn set_level(exchange: &Exchange) -> Result<String, Fault> {
    let level = logging::asked(&exchange.params.to_value());
    let level =
        level.ok_or_else(|| Fault::invalid_params("`level` must be one of the eight levels, such as \"info\""))?;
    exchange.client.set_log_level(level);
    if exchange.server.terms().transparent.is_some() {
        for (source, _) in offered(exchange, "logging").await? {
            forward(exchange, &source, "logging/setLevel", exchange.params.as_str()).await?;
        }
    }
    Ok("{}".to_owned())
}

/// What the servers behind us can do, all together.
pub(super) async fn capabilities(exchange: &Exchange) -> Value {
    let mut all = json!({});
    for (_, holdings) in shelves(exchange).await {
        let said = said(&holdings);
        for key in ["resources", "prompts", "completions", "logging"].into_iter().filter(|it| said[*it].is_object()) {
            if all.get(key).is_none() {
                all[key] = json!({});
            }
            if matches!(key, "resources" | "prompts") {
                all[key]["listChanged"] = true.into();
            }
            if said[key]["subscribe"] == true {
                all[key]["subscribe"] = true.into();
            }
        }
    }
    all
}

/// What the one server that is shown as itself says about how to use it.
pub(super) async fn instructions(exchange: &Exchange) -> Option<String> {
    shelves(exchange).await.into_iter().find_map(|(_, it)| it.instructions)
}

type Shelf = (Arc<dyn Source>, LibraryContents);

/// The libraries that may be shown, by the id of their source. What nobody has looked at is not: a prompt is an instruction.
async fn shelves(exchange: &Exchange) -> Vec<Shelf> {
    let server = &exchange.server;
    let cx = exchange.cx(None);
    let view = server.gateway().view(&cx).await;
    let is_shown = |it: &&Arc<dyn Source>| {
        let is_approved = !matches!(it.review(), ReviewMode::Needed { approves_first_sight: false, .. });
        is_approved && server.terms().transparent.as_ref().is_none_or(|only| it.id() == only)
    };
    let mut shelves: Vec<Shelf> = view
        .sources()
        .iter()
        .filter(is_shown)
        .filter_map(|source| Some((source.clone(), view.library(source.id())?.holdings(&cx).ok()?)))
        .collect();
    shelves.sort_by(|(one, _), (other, _)| one.id().cmp(other.id()));
    shelves
}

/// The libraries with this capability; without any, the method is as good as unknown.
async fn offered(exchange: &Exchange, capability: &str) -> Result<Vec<Shelf>, Fault> {
    let shelves: Vec<_> =
        shelves(exchange).await.into_iter().filter(|(_, it)| said(it)[capability].is_object()).collect();
    match shelves.is_empty() {
        true => Err(Fault::new(Fault::METHOD, format!("nothing here has {capability}"))),
        false => Ok(shelves),
    }
}

fn said(holdings: &LibraryContents) -> Value {
    holdings.capabilities.as_ref().map(RawJson::to_value).unwrap_or_default()
}

/// By their name of this kind, each as it came. Where two servers have the same, the first one answers to it.
async fn listing(
    exchange: &Exchange,
    key: &str,
    of: impl Fn(&LibraryContents) -> BTreeMap<String, RawJson>,
) -> Result<String, Fault> {
    let mut all = BTreeMap::new();
    for (_, holdings) in offered(exchange, "resources").await? {
        for (name, raw) in of(&holdings) {
            all.entry(name).or_insert(raw);
        }
    }
    let entries: Vec<_> = all.into_iter().map(|(name, raw)| Entry { name, json: raw.as_str().to_owned() }).collect();
    let page = list::page(exchange, key, &entries)?;
    Ok(list::cacheable(exchange, page, false))
}

fn by(definitions: &[RawJson], key: &str) -> BTreeMap<String, RawJson> {
    definitions.iter().filter_map(|it| Some((it.to_value()[key].as_str()?.to_owned(), it.clone()))).collect()
}

/// Every prompt by the name it has here, with its source.
fn prompt_names<'a>(exchange: &Exchange, shelves: &'a [Shelf]) -> BTreeMap<String, (&'a Arc<dyn Source>, &'a RawJson)> {
    let is_transparent = exchange.server.terms().transparent.is_some();
    let mut all = BTreeMap::new();
    for (source, holdings) in shelves {
        for raw in &holdings.prompts {
            let Some(name) = raw.to_value()["name"].as_str().map(str::to_owned) else { continue };
            let name = if is_transparent { name } else { format!("{}__{name}", source.id()) };
            all.entry(name).or_insert((source, raw));
        }
    }
    all
}

async fn prompt_named(exchange: &Exchange, name: &str) -> Result<(Arc<dyn Source>, String), Fault> {
    let shelves = offered(exchange, "prompts").await?;
    let names = prompt_names(exchange, &shelves);
    let (source, raw) =
        names.get(name).ok_or_else(|| Fault::invalid_params(format!("Unknown prompt: {}", escape::line(name))))?;
    Ok(((*source).clone(), raw.to_value()["name"].as_str().unwrap_or(name).to_owned()))
}

/// Whose resource this is: listed as it is, made from a template, or of the only one who has any.
async fn owner(exchange: &Exchange, uri: &str) -> Result<Arc<dyn Source>, Fault> {
    let shelves = offered(exchange, "resources").await?;
    let lists = |it: &LibraryContents| it.resources.iter().any(|it| it.to_value()["uri"] == uri);
    let makes = |it: &LibraryContents| {
        let mut templates =
            it.templates.iter().filter_map(|it| Some(it.to_value()["uriTemplate"].as_str()?.to_owned()));
        templates.any(|it| it == uri || template::fits(&it, uri))
    };
    let found = shelves.iter().find(|(_, it)| lists(it)).or_else(|| shelves.iter().find(|(_, it)| makes(it)));
    let only = if shelves.len() == 1 { shelves.first() } else { None };
    match found.or(only) {
        Some((source, _)) => Ok(source.clone()),
        None => {
            let code = if exchange.is_modern() { Fault::PARAMS } else { NO_RESOURCE };
            let data = Some(json!({"uri": uri}));
            Err(Fault { data, ..Fault::new(code, format!("Resource not found: {}", escape::line(uri))) })
        }
    }
}

/// What a resource says may be for one user only; a server that does not say is taken to mean that.
fn with_cache_hints(exchange: &Exchange, result: String) -> String {
    if !exchange.is_modern() || result.contains("\"input_required\"") {
        return result;
    }
    let mut hinted = Object::parse(&result).unwrap_or_default();
    hinted.set_missing("ttlMs", "0");
    hinted.set_missing("cacheScope", "\"private\"");
    hinted.to_string()
}

fn text_param(exchange: &Exchange, key: &str) -> Result<String, Fault> {
    match exchange.params.to_value()[key].as_str() {
        Some(text) => Ok(text.to_owned()),
        None => Err(Fault::invalid_params(format!("`{key}` must be there, as a text"))),
    }
}
