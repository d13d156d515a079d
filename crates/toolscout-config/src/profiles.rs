//! Profiles: named subsets of the tools, for agents that should see no more than that.

use super::document::Document;
use super::files::ConfigScope;
use super::keys::{Keys, Wrong, did_you_mean};
use super::names::ToolPatterns;
use super::policies::{PolicyRules, Said};
use serde_json::Value;
use toolscout_core::{PolicyMode, Problem, ProblemKind, SourceId};

const KEYS: [&str; 7] = ["include", "exclude", "listed", "policies", "default_policy", "mode", "meta_tools"];

/// A named subset of the tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    pub name: String,
    /// Only these; all where left out.
    pub include: Option<ToolPatterns>,
    /// And never these.
    pub exclude: ToolPatterns,
    /// What is listed, instead of what is listed elsewhere.
    pub listed: Option<ToolPatterns>,
    /// What holds besides what holds anyway; it may only tighten that.
    pub rules: PolicyRules,
    /// Whether only tools run that change nothing.
    pub read_only: bool,
    /// `auto`, `always` or `never`.
    pub meta_tools: Option<String>,
    scope: ConfigScope,
}

/// The profiles of all files together.
#[derive(Debug, Default)]
pub(super) struct Profiles {
    pub(super) found: Vec<Profile>,
}

impl Profiles {
    /// Takes the profiles of a file. One that is wrong is left out: it might be wider than it was meant to be.
    pub(super) fn add(
        &mut self,
        keys: &mut Keys,
        document: &Document,
        scope: ConfigScope,
        problems: &mut Vec<Problem>,
    ) -> Result<(), Wrong> {
        let all = match keys.take("profiles") {
            None => return Ok(()),
            Some(Value::Object(all)) => all,
            Some(_) => return Err(wrong("profiles", "`profiles` must be a table of profiles".to_owned())),
        };
        for (name, value) in all {
            match read(&name, value, document, scope, problems) {
                Ok(profile) => self.put(profile, document, problems),
                Err(reason) => {
                    let reason = format!("profile `{name}`: {reason}; it is left out");
                    let message = document.flaw(&["profiles", &name], reason).news();
                    problems.push(Problem::warning(ProblemKind::Setting, message).at(&document.path));
                }
            }
        }
        Ok(())
    }

    /// What a person calls by a name is theirs: no project makes something else of it.
    fn put(&mut self, profile: Profile, document: &Document, problems: &mut Vec<Problem>) {
        let Some(there) = self.found.iter_mut().find(|it| it.name == profile.name) else {
            return self.found.push(profile);
        };
        let message = format!("profile `{}` is in your own configuration, too, and that one counts", profile.name);
        problems.push(Problem::warning(ProblemKind::Setting, message).at(&document.path));
        if profile.scope == ConfigScope::User {
            *there = profile;
        }
    }
}

fn read(
    name: &str,
    value: Value,
    document: &Document,
    scope: ConfigScope,
    problems: &mut Vec<Problem>,
) -> Result<Profile, String> {
    SourceId::new(name).map_err(|it| it.to_string())?;
    let Value::Object(map) = value else { return Err("it must be a table".to_owned()) };
    let mut keys = Keys::snake(map);
    let reason = |it: Wrong| it.reason;
    let mut names = |key: &str| keys.texts(key).map_err(reason)?.map(ToolPatterns::read).transpose();
    let (include, exclude, listed) = (names("include")?, names("exclude")?.unwrap_or_default(), names("listed")?);
    let words = ["auto", "always", "never"].map(|it| (it, it));
    let meta_tools = keys.choice("meta_tools", &words).map_err(reason)?.map(str::to_owned);
    let said = Said::read(&mut keys, document, problems).map_err(reason)?;
    if said.mode == Some(PolicyMode::AllowAll) {
        return Err("`mode` is `allow-all`; a profile may only tighten what holds anyway".to_owned());
    }
    if let Some((_, key)) = keys.left().next() {
        return Err(format!("unknown key `{key}`{}", did_you_mean(key, &KEYS)));
    }
    let (name, read_only) = (name.to_owned(), said.mode == Some(PolicyMode::ReadOnly));
    Ok(Profile { name, include, exclude, listed, rules: said.rules, read_only, meta_tools, scope })
}

fn wrong(key: &str, reason: String) -> Wrong {
    Wrong { key: key.to_owned(), reason }
}
