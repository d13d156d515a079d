//! Changes of what is configured: files first, then what follows from them.

use super::desk::FrontDesk;
use super::trouble::told;
use super::work::aside;
use crate::config::edit::{Change, Editor};
use crate::config::{Around, Config, Entry, Scope};
use crate::plugins::review;
use crate::plugins::servers::{person, remove};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use toolscout_core::SourceId;
use toolscout_gateway::policy::{LevelName, PolicyUpdate};
use toolscout_surface::api::servers::{NewServer, PolicyWord, ServerChange};
use toolscout_surface::api::{Code, Trouble};

/// Writes a new server into the project's file. Nobody has looked at it: each of its tools waits for a person.
pub(super) async fn add(desk: &FrontDesk, id: &SourceId, new: NewServer) -> Result<(), Trouble> {
    let (config, editor) = (desk.config()?, desk.editor());
    let file = Editor::own_file(&config, desk.surroundings(), false).map_err(told)?;
    let entry = entry(new.entry);
    let around = around(desk, &config, &file, Scope::Project);
    entry.server(id.clone(), &around).map_err(|it| Trouble::invalid(format!("this is no server: {it}")))?;
    let written = id.clone();
    aside(move || editor.put_server(&file, &written, &entry, false).map_err(told)).await?;
    desk.reload().await?;
    if desk.set()?.find(id.as_str()).is_err() {
        return Err(left_out(desk, id).await);
    }
    distrust(desk, id).await
}

/// Changes a server's entry where it stands.
pub(super) async fn change(desk: &FrontDesk, id: &SourceId, change: ServerChange) -> Result<(), Trouble> {
    let set = desk.set()?;
    let configured = set.find(id.as_str()).map_err(told)?.clone();
    let is_of_what_runs = change.is_of_what_runs();
    let enabled = change.enabled;
    let around = around(desk, &*desk.config()?, &configured.file, configured.scope);
    let editor = desk.editor();
    aside(move || {
        let mut fields = fields(change);
        if is_of_what_runs {
            fields.insert("trust".to_owned(), json!(false));
        }
        if !fields.is_empty() {
            editor.change_server(&configured, &fields, &around).map_err(told)?;
        }
        enabled.map_or(Ok(()), |it| editor.set_enabled(&configured, it).map_err(told))
    })
    .await?;
    desk.reload().await?;
    match is_of_what_runs {
        true => distrust(desk, id).await,
        false => Ok(()),
    }
}

/// Takes a server out of its file, and forgets it.
pub(super) async fn take_out(desk: &FrontDesk, id: &SourceId) -> Result<(), Trouble> {
    let (set, editor, id) = (desk.set()?, desk.editor(), id.clone());
    aside(move || {
        let configured = set.find(id.as_str()).map_err(told)?;
        remove(&set, configured, &editor).map_err(told).map(|_| ())
    })
    .await?;
    desk.reload().await
}

/// Turns a server on or off.
pub(super) async fn switch(desk: &FrontDesk, id: &SourceId, enabled: bool) -> Result<(), Trouble> {
    let (set, editor, id) = (desk.set()?, desk.editor(), id.clone());
    aside(move || editor.set_enabled(set.find(id.as_str()).map_err(told)?, enabled).map_err(told)).await?;
    desk.reload().await
}

/// Writes a policy into the file of its level.
pub(super) async fn write_policy(desk: &FrontDesk, update: PolicyUpdate) -> Result<(), Trouble> {
    let is_global = update.level == LevelName::Global;
    let file = Editor::own_file(&*desk.config()?, desk.surroundings(), is_global).map_err(told)?;
    let editor = desk.editor();
    aside(move || review::write_policy(&editor, &file, &update).map_err(told)).await?;
    desk.reload().await
}

/// A person asked for this server, so it may be started, and nobody has looked at what it has.
async fn distrust(desk: &FrontDesk, id: &SourceId) -> Result<(), Trouble> {
    let (set, id) = (desk.set()?, id.clone());
    aside(move || person::has_added(&set, &id, false).map_err(told)).await?;
    desk.reload().await
}

/// What was written is not taken for a server when it is read: it is taken out again, and why is told.
async fn left_out(desk: &FrontDesk, id: &SourceId) -> Trouble {
    let config = desk.config().unwrap_or_default();
    let mark = format!("server `{id}`");
    let why = config.problems.iter().find(|it| it.message.contains(&mark)).map(|it| it.message.clone());
    let (editor, id) = (desk.editor(), id.clone());
    if let Ok(file) = Editor::own_file(&config, desk.surroundings(), false) {
        let taken_out = aside(move || {
            let place = |table: &str| vec![table.to_owned(), id.to_string()];
            let is_there =
                |map: &Map<String, Value>, table: &str| map.get(table).is_some_and(|it| it.get(id.as_str()).is_some());
            let tables = |map: &Map<String, Value>| ["servers", "mcpServers"].into_iter().find(|it| is_there(map, it));
            editor
                .edit(&file, |map| Ok(tables(map).map(|it| Change::Remove(place(it))).into_iter().collect()))
                .map_err(told)
        });
        let _ = taken_out.await;
        let _ = desk.reload().await;
    }
    Trouble::new(Code::ValidationFailed, why.unwrap_or_else(|| "this is no server that could be used".to_owned()))
}

fn entry(new: ServerChange) -> Entry {
    let ServerChange { command, args, env, cwd, url, headers, enabled, tools } = new;
    Entry {
        command,
        args: args.unwrap_or_default(),
        env: env.unwrap_or_default(),
        cwd,
        url,
        headers: headers.unwrap_or_default(),
        enabled,
        tools: tools.into_iter().flatten().map(|(name, it)| (name, it.policy().word().to_owned())).collect(),
        trust: Some(false),
        ..Entry::default()
    }
}

/// What is given, as it is written in a file; whether it is on is written by who knows how.
fn fields(change: ServerChange) -> Map<String, Value> {
    let ServerChange { command, args, env, cwd, url, headers, tools, .. } = change;
    let words = |it: BTreeMap<String, PolicyWord>| {
        it.into_iter().map(|(name, it)| (name, json!(it.policy().word()))).collect::<Map<_, _>>()
    };
    let given = [
        ("command", command.map(|it| json!(it))),
        ("args", args.map(|it| json!(it))),
        ("env", env.map(|it| json!(it))),
        ("cwd", cwd.map(|it| json!(it))),
        ("url", url.map(|it| json!(it))),
        ("headers", headers.map(|it| json!(it))),
        ("tools", tools.map(|it| Value::Object(words(it)))),
    ];
    given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

/// What an entry in this file means depends on.
fn around(desk: &FrontDesk, config: &Config, file: &Path, scope: Scope) -> Around {
    let folder = file.parent().unwrap_or(Path::new(".")).to_owned();
    let root = config.root.clone();
    let base = match scope {
        Scope::User => folder,
        Scope::Project => root.clone().unwrap_or(folder),
    };
    Around { file: file.to_owned(), root, base, trusted: false, lookup: desk.surroundings().lookup() }
}
