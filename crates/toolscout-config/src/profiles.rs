//! Profiles: named subsets of the tools, for agents that should see only those.

use crate::document::Document;
use crate::files::ConfigScope;
use crate::policies;
use crate::section;
use crate::settings::{approvals, approves, meta_tools};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use toolscout_core::authorization::Policy;
use toolscout_core::{Diagnostic, PolicyMode, PolicyRules, SourceId, ToolId, ToolPatterns};

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
    /// Whether clients that support elicitation approve calls, if the profile says so.
    pub client_approvals: Option<bool>,
    /// Whether results are marked as data, in addition to the setting for everything.
    pub spotlight: bool,
    /// The configuration that defines it.
    pub scope: ConfigScope,
}

impl Profile {
    /// Whether this tool belongs to the profile.
    pub fn has(&self, tool: &ToolId) -> bool {
        self.include.as_ref().is_none_or(|include| include.matches(tool))
            && !self.exclude.matches(tool)
    }
}

/// A profile as it is written: a named subset of the tools, for `toolscout serve --profile NAME`.
#[derive(Deserialize, JsonSchema)]
#[serde(default)]
#[derive(Default)]
pub(crate) struct ProfileEntry {
    /// Patterns of the tools in this profile; all tools if absent.
    include: Option<Vec<String>>,
    /// Patterns of tools to exclude from this profile.
    exclude: Vec<String>,
    /// Patterns of tools that agents see in the tool list. Replaces `listed` of the configuration.
    listed: Option<Vec<String>>,
    /// Policies by pattern. A profile can only make policies stricter.
    policies: BTreeMap<String, String>,
    /// Policy of tools that match no pattern.
    #[schemars(with = "Option<String>", extend("enum" = Policy::ALL.map(Policy::as_str)))]
    default_policy: Option<Policy>,
    /// Policy mode. `read-only` allows only calls of read-only tools.
    #[schemars(with = "Option<String>", extend("enum" = ["normal", "read-only"]))]
    mode: Option<PolicyMode>,
    /// Whether agents see the meta tools `tool_search` and `execute_tool`.
    #[serde(deserialize_with = "meta_tools")]
    #[schemars(extend("enum" = ["auto", "always", "never"]))]
    meta_tools: Option<String>,
    /// As `serve.approvals`, for the clients of this profile. Only in the user configuration.
    #[serde(deserialize_with = "approvals")]
    #[schemars(extend("enum" = ["operator", "client"]))]
    approvals: Option<String>,
    /// Whether clients of this profile get text results of tools marked as data.
    #[schemars(extend("default" = false))]
    spotlight: Option<bool>,
}

/// Adds the profiles of a file. An invalid one is left out: it might be wider than intended.
pub(crate) fn add_all(
    profiles: &mut Vec<Profile>,
    entries: Map<String, Value>,
    document: &Document,
    scope: ConfigScope,
    diagnostics: &mut Vec<Diagnostic>,
) {
    for (name, value) in entries {
        match read_profile(&name, value, document, scope, diagnostics) {
            Ok(profile) => insert(profiles, profile, document, diagnostics),
            Err(reason) => {
                let reason = format!("profile `{name}`: {reason}; it is skipped");
                diagnostics.push(document.warning(&["profiles", &name], reason));
            }
        }
    }
}

/// A project cannot redefine a profile of the user.
fn insert(
    profiles: &mut Vec<Profile>,
    profile: Profile,
    document: &Document,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let Some(existing) = profiles.iter_mut().find(|other| other.name == profile.name) else {
        return profiles.push(profile);
    };
    let message = format!(
        "profile `{}` is also in your user configuration, which takes precedence",
        profile.name
    );
    diagnostics.push(document.warning(&[], message));
    if profile.scope == ConfigScope::User {
        *existing = profile;
    }
}

fn read_profile(
    name: &str,
    value: Value,
    document: &Document,
    scope: ConfigScope,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Profile, String> {
    SourceId::new(name).map_err(|error| error.to_string())?;
    let section = section::read_value::<ProfileEntry>(value, document.folder())
        .and_then(|section| section.strict());
    let entry = section.map_err(|error| error.to_string())?;
    if entry.mode == Some(PolicyMode::AllowAll) {
        return Err(
            "`mode` is `allow-all`, but a profile can only be stricter than the configuration"
                .to_owned(),
        );
    }
    let client_approvals = entry.approvals.filter(|_| {
        let is_allowed = scope == ConfigScope::User;
        if !is_allowed {
            let setting = format!("`profiles.{name}.approvals` is set");
            diagnostics.push(document.user_only_setting(&setting));
        }
        is_allowed
    });
    Ok(Profile {
        name: name.to_owned(),
        include: entry.include.map(ToolPatterns::parse).transpose()?,
        exclude: ToolPatterns::parse(entry.exclude)?,
        listed: entry.listed.map(ToolPatterns::parse).transpose()?,
        rules: policies::read_rules(entry.default_policy, entry.policies, document, diagnostics),
        read_only: entry.mode == Some(PolicyMode::ReadOnly),
        meta_tools: entry.meta_tools,
        client_approvals: client_approvals.map(|approvals| approves(Some(&approvals))),
        spotlight: entry.spotlight == Some(true),
        scope,
    })
}
