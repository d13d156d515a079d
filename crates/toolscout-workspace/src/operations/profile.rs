//! `profile list`: the profiles of the configuration, and the tools that each of them has.

use super::shown_path;
use super::status::NoInput;
use crate::Workspace;
use crate::error::failure;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use toolscout_config::Profile;
use toolscout_core::{Cx, Tool, escape};
use toolscout_surface::operation::{
    Access, CommandName, Operation, OperationError, OperationSpec, Text,
};
use toolscout_surface::output::counted;

/// List profiles.
pub(crate) struct ListProfiles;

#[derive(Serialize, JsonSchema)]
pub(crate) struct ProfileList {
    /// The profiles, by name.
    profiles: Vec<ProfileInfo>,
}

/// A profile and its tools.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Profile")]
struct ProfileInfo {
    /// The name.
    name: String,
    /// The path of its MCP endpoint over HTTP.
    path: String,
    /// The configuration file of its entry.
    file: String,
    /// `normal`, or `read-only` if only tools marked as read-only run.
    mode: &'static str,
    /// Whether clients see the meta tools: `auto`, `always` or `never`; missing if the profile does not set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    meta_tools: Option<String>,
    /// The number of its tools.
    tool_count: usize,
    /// The number of all tools.
    all_tools: usize,
    /// Its tools by source, names only.
    sources: BTreeMap<String, Vec<String>>,
    /// Its own policies by pattern; they can only be stricter than the others.
    policies: BTreeMap<String, &'static str>,
}

impl Operation<Workspace> for ListProfiles {
    type Input = NoInput;
    type Output = ProfileList;

    const SPEC: OperationSpec = OperationSpec {
        access: Access::Operator,
        commands: &[
            CommandName::new("profile list"),
            CommandName::new("profile").summary("List profiles of clients"),
        ],
        notes: &["Starts no server; shows cached tools."],
        examples: &["toolscout profile list"],
        ..OperationSpec::read("profile list", "List profiles and their tools", "/api/profiles")
    };

    async fn run(workspace: &Workspace, _: NoInput, _: &Cx) -> Result<ProfileList, OperationError> {
        let snapshot = workspace.full_gateway().await?.snapshot();
        let config = workspace.config();
        let info = |profile: &Profile| -> Result<ProfileInfo, OperationError> {
            let file = config.own_file(profile.scope).map_err(failure)?;
            let is_member = |tool: &&std::sync::Arc<Tool>| profile.has(&tool.id);
            let mut sources: BTreeMap<String, Vec<String>> = BTreeMap::new();
            for tool in snapshot.tools().filter(is_member) {
                let names = sources.entry(tool.id.source.to_string()).or_default();
                names.push(tool.id.name.to_string());
            }
            let rules = profile.rules.rules.iter();
            let default = profile.rules.default.iter().map(|policy| ("*".to_owned(), *policy));
            let policies = rules.cloned().chain(default);
            Ok(ProfileInfo {
                path: format!("/mcp/{}", profile.name),
                name: profile.name.clone(),
                file: shown_path(&file),
                mode: if profile.read_only { "read-only" } else { "normal" },
                meta_tools: profile.meta_tools.clone(),
                tool_count: sources.values().map(Vec::len).sum(),
                all_tools: snapshot.len(),
                sources,
                policies: policies.map(|(pattern, policy)| (pattern, policy.as_str())).collect(),
            })
        };
        let mut profiles = config.profiles.iter().map(info).collect::<Result<Vec<_>, _>>()?;
        profiles.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(ProfileList { profiles })
    }

    fn text(output: &ProfileList, _: &Text) -> String {
        if output.profiles.is_empty() {
            return "No profiles. Add a table `[profiles.NAME]` to toolscout.toml.\n".to_owned();
        }
        output.profiles.iter().map(line).collect()
    }
}

fn line(profile: &ProfileInfo) -> String {
    let tools = counted(profile.tool_count, "tool");
    let sources = profile.sources.iter().map(|(source, tools)| format!("{source} {}", tools.len()));
    let sources = sources.collect::<Vec<_>>().join(", ");
    let mode = if profile.mode == "normal" { "" } else { ", read-only" };
    format!("{}  {tools}{mode}  {}\n", profile.name, escape::line(&sources))
}
