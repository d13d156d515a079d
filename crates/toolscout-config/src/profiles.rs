//! Profiles: named subsets of the tools, for agents that should see only those.

use crate::document::Document;
use crate::files::ConfigScope;
use crate::policies;
use crate::section;
use crate::settings::meta_tools;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use toolscout_core::authorization::Policy;
use toolscout_core::{Diagnostic, PolicyMode, PolicyRules, SourceId, ToolPatterns};

/// A named subset of the tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    pub name: String,
    /// Only these tools; all tools if absent.
    pub include: Option<ToolPatterns>,
    /// Tools to exclude.
    pub exclude: ToolPatterns,
    /// The listed tools, instead of those listed elsewhere.
    pub listed: Option<ToolPatterns>,
    /// These rules may only tighten the policies that apply anyway.
    pub rules: PolicyRules,
    /// Whether only read-only tools run.
    pub read_only: bool,
    /// `auto`, `always` or `never`.
    pub meta_tools: Option<String>,
    scope: ConfigScope,
}

/// A profile as it is written: a named subset of the tools, for `toolscout serve --profile NAME`.
#[derive(Deserialize, JsonSchema)]
#[serde(default)]
#[derive(Default)]
pub(crate) struct ProfileEntry {
    /// Patterns of the tools in this profile; all if absent.
    include: Option<Vec<String>>,
    /// Patterns of tools that are not in this profile.
    exclude: Vec<String>,
    /// Patterns of tools that agents see without searching, instead of those listed elsewhere.
    listed: Option<Vec<String>>,
    /// Policies by pattern. They may only tighten the policies that hold anyway.
    policies: BTreeMap<String, String>,
    /// Policy of tools that no pattern matches.
    #[schemars(with = "Option<String>", extend("enum" = Policy::ALL.map(Policy::word)))]
    default_policy: Option<Policy>,
    /// How policies are applied; a profile may only say `read-only`.
    #[schemars(with = "Option<String>", extend("enum" = ["normal", "read-only"]))]
    mode: Option<PolicyMode>,
    /// Whether agents see the meta tools `tool_search` and `execute_tool`.
    #[serde(deserialize_with = "meta_tools")]
    #[schemars(extend("enum" = ["auto", "always", "never"]))]
    meta_tools: Option<String>,
}

/// Adds the profiles of a file. An invalid one is left out: it might be wider than intended.
pub(crate) fn add(
    all: &mut Vec<Profile>,
    written: Map<String, Value>,
    document: &Document,
    scope: ConfigScope,
    problems: &mut Vec<Diagnostic>,
) {
    for (name, value) in written {
        match read(&name, value, document, scope, problems) {
            Ok(profile) => put(all, profile, document, problems),
            Err(reason) => {
                let reason = format!("profile `{name}`: {reason}; it is left out");
                problems.push(document.warning(&["profiles", &name], reason));
            }
        }
    }
}

/// A project cannot redefine a profile of the user.
fn put(
    all: &mut Vec<Profile>,
    profile: Profile,
    document: &Document,
    problems: &mut Vec<Diagnostic>,
) {
    let Some(there) = all.iter_mut().find(|it| it.name == profile.name) else {
        return all.push(profile);
    };
    let message = format!(
        "profile `{}` is in your own configuration, too, and that one counts",
        profile.name
    );
    problems.push(document.warning(&[], message));
    if profile.scope == ConfigScope::User {
        *there = profile;
    }
}

fn read(
    name: &str,
    value: Value,
    document: &Document,
    scope: ConfigScope,
    problems: &mut Vec<Diagnostic>,
) -> Result<Profile, String> {
    SourceId::new(name).map_err(|it| it.to_string())?;
    let section =
        section::read_value::<ProfileEntry>(value, document.folder()).and_then(|it| it.strict());
    let entry = section.map_err(|it| it.to_string())?;
    if entry.mode == Some(PolicyMode::AllowAll) {
        return Err(
            "`mode` is `allow-all`; a profile may only tighten what holds anyway".to_owned()
        );
    }
    Ok(Profile {
        name: name.to_owned(),
        include: entry.include.map(ToolPatterns::parse).transpose()?,
        exclude: ToolPatterns::parse(entry.exclude)?,
        listed: entry.listed.map(ToolPatterns::parse).transpose()?,
        rules: policies::read(entry.default_policy, entry.policies, document, problems),
        read_only: entry.mode == Some(PolicyMode::ReadOnly),
        meta_tools: entry.meta_tools,
        scope,
    })
}
