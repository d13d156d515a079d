//! Our own file, which takes what is imported.

use super::Plan;
use crate::config::edit::{Change, Editor};
use crate::config::{Config, Configured, Document, Entry};
use crate::plugins::servers::{ServerSet, person};
use crate::{AppError, RunCx};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolscout_core::{ErrorKind, SourceId};
use toolscout_mcp_client::{Endpoint, Program, Text, Transport};

/// The servers that are configured already, by id; none for an entry that cannot be read, but has the id nevertheless.
pub(crate) type Known = BTreeMap<String, Option<Entry>>;

/// The file that takes what is imported.
pub(crate) struct Target {
    pub(crate) file: PathBuf,
    /// What `cwd` in it is relative to.
    pub(crate) base: PathBuf,
    pub(crate) project: PathBuf,
    is_global: bool,
}

impl Target {
    /// The project's file, or the person's own.
    pub(crate) fn of(cx: &RunCx, is_global: bool) -> Result<Self, AppError> {
        let config = Config::of(cx.options(), cx.surroundings())?;
        let file = Editor::own_file(&config, cx.surroundings(), is_global)?;
        let base = file.parent().unwrap_or(Path::new("/")).to_owned();
        let project = config.root.as_ref().unwrap_or(&config.folder).clone();
        Ok(Self { file, base, project, is_global })
    }

    /// The servers that there are already where this file is read. What a person has for everywhere, a project may have
    /// in its own way, so only the other way round does the other file count.
    pub(crate) fn known(&self, cx: &RunCx) -> Result<Known, AppError> {
        let mut known = self.own()?;
        if !self.is_global {
            for server in &Config::of(cx.options(), cx.surroundings())?.servers {
                known.insert(server.server.id.as_str().to_owned(), Some(entry(server)));
            }
        }
        Ok(known)
    }

    /// The servers that this very file has.
    pub(crate) fn own(&self) -> Result<Known, AppError> {
        let map = Document::read(&self.file)?.map(|it| it.map).unwrap_or_default();
        let tables = TABLES.iter().filter_map(|it| map.get(*it)?.as_object()).flatten();
        let read = |(id, entry): (&String, &Value)| (id.clone(), serde_json::from_value(entry.clone()).ok());
        Ok(tables.map(read).map(|(id, entry)| (id, entry.map(|it| self.absolute(it)))).collect())
    }

    /// Takes what the plan adds: secrets into their files first, then all servers in one edit.
    pub(crate) fn take(&self, cx: &RunCx, plan: &Plan) -> Result<(), AppError> {
        for (_, treated) in plan.additions() {
            treated.files.iter().try_for_each(|it| it.write())?;
        }
        if plan.additions().next().is_none() {
            return Ok(());
        }
        let added = plan.additions().map(|(id, treated)| Ok((id, value(id, &treated.entry)?)));
        let added: Vec<_> = added.collect::<Result<_, AppError>>()?;
        Editor::of(cx.surroundings()).edit(&self.file, |map| added.iter().map(|it| self.add(map, it)).collect())?;
        // Whoever takes a server over has added it with their own hands, whatever else is in the project.
        let set = ServerSet::again(cx.options(), cx.surroundings())?;
        added.iter().try_for_each(|(id, _)| {
            person::has_added(&set, id, true)?;
            cx.request().decided("server", id, "added");
            Ok(())
        })
    }

    fn add(&self, map: &Map<String, Value>, (id, entry): &(&SourceId, Value)) -> Result<Change, AppError> {
        if TABLES.iter().any(|it| map.get(*it).is_some_and(|it| it.get(id.as_str()).is_some())) {
            let message = format!("`{}` has a server `{id}` by now", self.file.display());
            return Err(AppError::invalid(message, "import again"));
        }
        let [ours, theirs] = TABLES;
        let table = if map.contains_key(theirs) && !map.contains_key(ours) { theirs } else { ours };
        Ok(Change::Set(vec![table.to_owned(), id.as_str().to_owned()], entry.clone()))
    }

    fn absolute(&self, mut entry: Entry) -> Entry {
        entry.cwd = entry.cwd.map(|it| self.base.join(it).display().to_string());
        entry
    }
}

/// Where servers are in our own files.
const TABLES: [&str; 2] = ["servers", "mcpServers"];

pub(super) fn no_home() -> AppError {
    AppError::invalid("nothing says where your own configuration is", "set HOME or TOOLSCOUT_CONFIG_DIR")
}

fn value(id: &SourceId, entry: &Entry) -> Result<Value, AppError> {
    serde_json::to_value(entry).map_err(|cause| AppError::Said {
        kind: ErrorKind::Internal,
        message: format!("the entry of `{id}` cannot be written: {cause}"),
        hint: None,
    })
}

/// How the server is reached, as it would be written; nothing else of it.
fn entry(configured: &Configured) -> Entry {
    let written = |it: &Text| it.written().to_owned();
    let table = |it: &BTreeMap<String, Text>| it.iter().map(|(name, text)| (name.clone(), written(text))).collect();
    match &configured.server.transport {
        Transport::Stdio(Program { command, args, env, cwd }) => Entry {
            command: Some(written(command)),
            args: args.iter().map(written).collect(),
            env: table(env),
            cwd: cwd.as_ref().map(|it| it.display().to_string()),
            ..Entry::default()
        },
        Transport::Http(Endpoint { url, headers, bearer, sse, .. }) => Entry {
            url: Some(written(url)),
            kind: sse.then(|| "sse".to_owned()),
            headers: table(headers),
            bearer: bearer.as_ref().map(written),
            ..Entry::default()
        },
    }
}
