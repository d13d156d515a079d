//! The dependencies: each has an allowed license, comes from an allowed registry, and is not
//! banned. The rules are those of `deny.toml`, which cargo-deny reads as well. Advisories are not
//! checked here, because their database is on the network.

use crate::repo;
use anyhow::Context;
use cargo_metadata::Package;
use spdx::{Expression, ParseMode};
use std::fs;
use std::path::Path;
use toml::{Table, Value};

const RULES: &str = "deny.toml";

/// The rules for dependencies.
pub(super) struct DependencyRules {
    licenses: Vec<String>,
    banned: Vec<String>,
    registries: Vec<String>,
}

pub(super) fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let text = fs::read_to_string(root.join(RULES)).with_context(|| format!("read {RULES}"))?;
    let rules = DependencyRules::parse(&text)?;
    Ok(repo::metadata()?.packages.iter().flat_map(|package| rules.findings(package)).collect())
}

impl DependencyRules {
    pub(super) fn parse(text: &str) -> anyhow::Result<Self> {
        let table: Table = text.parse().with_context(|| format!("parse {RULES}"))?;
        let list = |section: &str, key: &str| {
            table
                .get(section)
                .and_then(|section| section.get(key)?.as_array())
                .with_context(|| format!("{RULES} has no `{key}` in `[{section}]`"))
        };
        let texts = |values: &[Value]| -> Vec<String> {
            values.iter().filter_map(|value| value.as_str().map(str::to_owned)).collect()
        };
        let banned = list("bans", "deny")?.iter().filter_map(|ban| ban.get("crate")?.as_str());
        Ok(Self {
            licenses: texts(list("licenses", "allow")?),
            banned: banned.map(str::to_owned).collect(),
            registries: texts(list("sources", "allow-registry")?),
        })
    }

    fn findings(&self, package: &Package) -> Vec<String> {
        let source = package.source.as_ref().map(|source| source.repr.as_str());
        self.violations(&package.name, package.license.as_deref(), source)
    }

    /// What is wrong with a package of this name, license and source; a package of ours has none.
    pub(super) fn violations(
        &self,
        name: &str,
        license: Option<&str>,
        source: Option<&str>,
    ) -> Vec<String> {
        let mut found = Vec::new();
        if !license.is_some_and(|license| self.allows(license)) {
            found.push(format!("`{name}` has the license `{}`", license.unwrap_or("none")));
        }
        if self.banned.iter().any(|banned| banned == name) {
            found.push(format!("`{name}` is banned in {RULES}"));
        }
        if let Some(source) = source {
            let registry = source.strip_prefix("registry+");
            if !registry.is_some_and(|url| self.registries.iter().any(|allowed| allowed == url)) {
                found.push(format!("`{name}` comes from `{source}`"));
            }
        }
        found
    }

    /// Whether the license can be met with allowed licenses only.
    fn allows(&self, license: &str) -> bool {
        Expression::parse_mode(license, ParseMode::LAX).is_ok_and(|expression| {
            expression.evaluate(|wanted| {
                let name = wanted.license.id().map(|id| id.name);
                name.is_some_and(|name| self.licenses.iter().any(|allowed| allowed == name))
            })
        })
    }
}
