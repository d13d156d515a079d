//! The externally visible state that must survive a crash.

use super::place::{CommandResult, CrashProject};
use super::{CrashFinding, CrashFindingKind};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use toml::Table;

/// Servers that are disabled and enabled again.
const SWITCHED: [&str; 2] = ["big", "family"];
/// Tokens that always exist.
const BUILT_IN_TOKENS: [&str; 2] = ["agent", "operator"];

/// The observed state.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Shadow {
    /// The configuration, byte for byte.
    pub(super) config: String,
    /// `toolscout.lock`, byte for byte.
    pub(super) lock: Option<String>,
    /// Whether the test folder is trusted.
    pub(super) is_trusted: bool,
    /// Quarantined tools.
    pub(super) held: BTreeSet<String>,
    /// The policy of `calm/add`.
    pub(super) policy: String,
    /// The names of the tokens, without the built-in ones.
    pub(super) tokens: BTreeSet<String>,
    /// The number of cached tools of each server.
    pub(super) tools: BTreeMap<String, u64>,
}

/// The effect of a completed command.
pub(super) enum ExpectedChange {
    Nothing,
    Config,
    /// The policy, together with the configuration.
    Policy(&'static str),
    Lock,
    Trust(bool),
    /// This token exists, or is revoked.
    Token(String, bool),
    /// These tools are quarantined, or released.
    Hold(Vec<String>, bool),
}

impl Shadow {
    /// Observes the state; an unreadable or contradictory state is a finding.
    pub(super) fn observe(place: &CrashProject) -> Result<Self, CrashFinding> {
        let ask = |words: &[&str]| answered(place, words);
        let read = |words: &[&str]| -> Result<Value, CrashFinding> {
            serde_json::from_str(&ask(words)?.out)
                .map_err(|error| unseen(words, &error.to_string()))
        };
        let list = |value: Value| value.as_array().cloned().unwrap_or_default();
        let text =
            |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
        let servers = list(read(&["server", "list", "--json"])?["servers"].take());
        let held = list(read(&["review", "--json"])?);
        let tokens = list(read(&["token", "list", "--json"])?["tokens"].take());
        let policies = list(read(&["policy", "--json"])?["tools"].take());
        // Before the first discovery of the server, there is no such tool and no policy that denies
        // it.
        let policy = policies
            .iter()
            .find(|policy| policy["tool"] == "calm/add")
            .map(|policy| text(policy, "policy"));
        let shadow = Self {
            config: place
                .config()
                .map_err(|error| CrashFinding::new(CrashFindingKind::Corrupt, error.to_string()))?,
            lock: place.lock(),
            is_trusted: !ask(&["trust", "--list"])?.out.trim().is_empty(),
            held: held.iter().map(|item| text(item, "tool")).collect(),
            policy: policy.unwrap_or_else(|| "allow".to_owned()),
            tokens: tokens
                .iter()
                .map(|token| text(token, "name"))
                .filter(|name| !BUILT_IN_TOKENS.contains(&name.as_str()))
                .collect(),
            tools: servers
                .iter()
                .map(|server| (text(server, "id"), server["toolCount"].as_u64().unwrap_or(0)))
                .collect(),
        };
        let in_force = servers
            .iter()
            .map(|server| (text(server, "id"), server["state"] != "disabled"))
            .collect();
        if shadow.servers() == in_force {
            Ok(shadow)
        } else {
            Err(CrashFinding::new(
                CrashFindingKind::Corrupt,
                format!("the file is not in force, but {in_force:?}"),
            ))
        }
    }

    /// The state of a new project.
    pub(super) fn of_config(config: &str) -> Self {
        Self {
            config: config.to_owned(),
            lock: None,
            is_trusted: false,
            held: BTreeSet::new(),
            policy: "allow".to_owned(),
            tokens: BTreeSet::new(),
            tools: BTreeMap::new(),
        }
    }

    /// The state after this change, which resulted in this configuration.
    pub(super) fn after(&self, change: &ExpectedChange, config: String) -> Self {
        let mut after = Self { config, ..self.clone() };
        match change {
            ExpectedChange::Nothing | ExpectedChange::Config | ExpectedChange::Lock => {}
            ExpectedChange::Policy(word) => after.policy = (*word).to_owned(),
            ExpectedChange::Trust(is_trusted) => after.is_trusted = *is_trusted,
            ExpectedChange::Token(name, true) => drop(after.tokens.insert(name.clone())),
            ExpectedChange::Token(name, false) => drop(after.tokens.remove(name)),
            ExpectedChange::Hold(tools, true) => after.held.extend(tools.iter().cloned()),
            ExpectedChange::Hold(tools, false) => after.held.retain(|item| !tools.contains(item)),
        }
        after
    }

    /// The servers of the configuration, and whether each is enabled; empty if the file is invalid.
    pub(super) fn servers(&self) -> BTreeMap<String, bool> {
        let file = self.config.parse::<Table>().unwrap_or_default();
        let servers =
            file.get("servers").and_then(|servers| servers.as_table()).cloned().unwrap_or_default();
        let is_enabled = |value: &toml::Value| {
            value.get("enabled").and_then(toml::Value::as_bool).unwrap_or(true)
        };
        servers.iter().map(|(id, entry)| (id.clone(), is_enabled(entry))).collect()
    }

    /// Of the switched servers, those that are enabled, or disabled.
    pub(super) fn switched(&self, on: bool) -> Vec<String> {
        let is_meant =
            |(id, enabled): &(String, bool)| *enabled == on && SWITCHED.contains(&id.as_str());
        self.servers().into_iter().filter(is_meant).map(|(id, _)| id).collect()
    }

    /// The number of cached tools of an enabled server; `None` if it is disabled or not discovered.
    pub(super) fn known(&self, server: &str) -> Option<u64> {
        let is_enabled = self.servers().get(server).copied().unwrap_or(false);
        self.tools.get(server).copied().filter(|tool| is_enabled && *tool > 0)
    }
}

/// Runs a query command that must always succeed.
pub(super) fn answered(
    place: &CrashProject,
    words: &[&str],
) -> Result<CommandResult, CrashFinding> {
    let ended = place.run_plain(words).map_err(|error| unseen(words, &format!("{error:#}")))?;
    match ended.code {
        Some(0) => Ok(ended),
        _ => Err(unseen(words, &ended.said())),
    }
}

fn unseen(words: &[&str], why: &str) -> CrashFinding {
    CrashFinding::new(
        CrashFindingKind::Stuck,
        format!("`{}` does not work any more: {why}", words.join(" ")),
    )
}
