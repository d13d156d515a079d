//! What can be seen from outside of all that must survive a crash.

use super::place::{CommandResult, CrashProject};
use super::{CrashFinding, CrashFindingKind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use toml::Table;

/// Servers that are turned off and on again.
const SWITCHED: [&str; 2] = ["big", "family"];

/// What is there.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Shadow {
    /// The configuration, to the byte.
    pub(super) config: String,
    /// `toolscout.lock`, to the byte.
    pub(super) lock: Option<String>,
    /// Whether the folder that comes and goes is trusted now.
    pub(super) is_trusted: bool,
    /// Tools that wait for a person.
    pub(super) held: BTreeSet<String>,
    /// What may be done with `calm/add`.
    pub(super) policy: String,
    /// How many tools each server is known to have.
    pub(super) tools: BTreeMap<String, u64>,
}

/// What is different when it is done.
pub(super) enum ExpectedChange {
    Nothing,
    Config,
    /// The configuration, too.
    Policy(&'static str),
    Lock,
    Trust(bool),
    /// These tools are held, or are not.
    Hold(Vec<String>, bool),
}

impl Shadow {
    /// Looks; what cannot be seen, or contradicts itself, is a fault.
    pub(super) fn observe(place: &CrashProject) -> Result<Self, CrashFinding> {
        let ask = |words: &[&str]| answered(place, words);
        let read = |words: &[&str]| -> Result<Value, CrashFinding> {
            serde_json::from_str(&ask(words)?.out).map_err(|it| unseen(words, &it.to_string()))
        };
        let list = |value: Value| value.as_array().cloned().unwrap_or_default();
        let text = |it: &Value, field: &str| it[field].as_str().unwrap_or_default().to_owned();
        let servers = list(read(&["server", "list", "--json"])?["servers"].take());
        let held = list(read(&["review", "--json"])?);
        let policies = list(read(&["policy", "--json"])?["tools"].take());
        // Where nobody has asked the server yet, there is no such tool, and nothing that would forbid it.
        let policy = policies.iter().find(|it| it["tool"] == "calm/add").map(|it| text(it, "policy"));
        let shadow = Self {
            config: place.config().map_err(|it| CrashFinding::new(CrashFindingKind::Corrupt, it.to_string()))?,
            lock: place.lock(),
            is_trusted: !ask(&["trust", "--list"])?.out.trim().is_empty(),
            held: held.iter().map(|it| text(it, "tool")).collect(),
            policy: policy.unwrap_or_else(|| "allow".to_owned()),
            tools: servers.iter().map(|it| (text(it, "id"), it["toolCount"].as_u64().unwrap_or(0))).collect(),
        };
        let in_force = servers.iter().map(|it| (text(it, "id"), it["state"] != "disabled")).collect();
        match shadow.servers() == in_force {
            true => Ok(shadow),
            false => {
                Err(CrashFinding::new(CrashFindingKind::Corrupt, format!("the file is not in force, but {in_force:?}")))
            }
        }
    }

    /// The same project where nothing was ever done.
    pub(super) fn of_config(config: &str) -> Self {
        Self {
            config: config.to_owned(),
            lock: None,
            is_trusted: false,
            held: BTreeSet::new(),
            policy: "allow".to_owned(),
            tools: BTreeMap::new(),
        }
    }

    /// The same after this change, which has led to this configuration.
    pub(super) fn after(&self, change: &ExpectedChange, config: String) -> Self {
        let mut after = Self { config, ..self.clone() };
        match change {
            ExpectedChange::Nothing | ExpectedChange::Config | ExpectedChange::Lock => {}
            ExpectedChange::Policy(word) => after.policy = (*word).to_owned(),
            ExpectedChange::Trust(is_trusted) => after.is_trusted = *is_trusted,
            ExpectedChange::Hold(tools, true) => after.held.extend(tools.iter().cloned()),
            ExpectedChange::Hold(tools, false) => after.held.retain(|it| !tools.contains(it)),
        }
        after
    }

    /// The servers of the configuration, and whether each is enabled; none where the file makes no sense.
    pub(super) fn servers(&self) -> BTreeMap<String, bool> {
        let file = self.config.parse::<Table>().unwrap_or_default();
        let servers = file.get("servers").and_then(|it| it.as_table()).cloned().unwrap_or_default();
        let is_enabled = |it: &toml::Value| it.get("enabled").and_then(toml::Value::as_bool).unwrap_or(true);
        servers.iter().map(|(id, entry)| (id.clone(), is_enabled(entry))).collect()
    }

    /// Of the servers that are turned off and on, those that are on, or off.
    pub(super) fn switched(&self, on: bool) -> Vec<String> {
        let is_meant = |(id, enabled): &(String, bool)| *enabled == on && SWITCHED.contains(&id.as_str());
        self.servers().into_iter().filter(is_meant).map(|(id, _)| id).collect()
    }

    /// How many tools an enabled server is known to have; none where it is not enabled, or not known.
    pub(super) fn known(&self, server: &str) -> Option<u64> {
        let is_enabled = self.servers().get(server).copied().unwrap_or(false);
        self.tools.get(server).copied().filter(|it| is_enabled && *it > 0)
    }
}

/// Asks something that must always be answered.
pub(super) fn answered(place: &CrashProject, words: &[&str]) -> Result<CommandResult, CrashFinding> {
    let ended = place.run_plain(words).map_err(|it| unseen(words, &format!("{it:#}")))?;
    match ended.code {
        Some(0) => Ok(ended),
        _ => Err(unseen(words, &ended.said())),
    }
}

fn unseen(words: &[&str], why: &str) -> CrashFinding {
    CrashFinding::new(CrashFindingKind::Stuck, format!("`{}` does not work any more: {why}", words.join(" ")))
}
