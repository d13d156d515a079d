//! The allowed dependencies between crates, and of crates on libraries: the table of
//! ARCHITECTURE.md, as a test.

use anyhow::Context;
use cargo_metadata::{DependencyKind, MetadataCommand};
use std::fs;
use std::path::Path;
use toml::{Table, Value};

/// Every crate of the workspace in the order of the flow, with the crates it may depend on.
const CRATES: &[(&str, &[&str])] = &[
    ("toolscout-core", &[]),
    ("toolscout-process", &["toolscout-core"]),
    ("toolscout-http-client", &[]),
    ("toolscout-source", &["toolscout-core"]),
    (
        "toolscout-folder",
        &["toolscout-core", "toolscout-process", "toolscout-http-client", "toolscout-source"],
    ),
    (
        "toolscout-mcp-client",
        &["toolscout-core", "toolscout-process", "toolscout-http-client", "toolscout-source"],
    ),
    ("toolscout-config", &["toolscout-core", "toolscout-mcp-client"]),
    ("toolscout-catalog", &["toolscout-core"]),
    ("toolscout-store", &["toolscout-core"]),
    ("toolscout-fleet", &["toolscout-core", "toolscout-store"]),
    ("toolscout-index", &["toolscout-core"]),
    ("toolscout-encoder", &["toolscout-index"]),
    ("toolscout-telemetry", &["toolscout-core", "toolscout-store"]),
    ("toolscout-gateway", &["toolscout-core", "toolscout-catalog", "toolscout-index"]),
    ("toolscout-surface", &["toolscout-core", "toolscout-gateway"]),
    (
        "toolscout-workspace",
        &[
            "toolscout-core",
            "toolscout-process",
            "toolscout-http-client",
            "toolscout-source",
            "toolscout-folder",
            "toolscout-mcp-client",
            "toolscout-config",
            "toolscout-store",
            "toolscout-fleet",
            "toolscout-gateway",
            "toolscout-surface",
            "toolscout-telemetry",
        ],
    ),
    (
        "toolscout",
        &[
            "toolscout-core",
            "toolscout-process",
            "toolscout-http-client",
            "toolscout-source",
            "toolscout-folder",
            "toolscout-mcp-client",
            "toolscout-config",
            "toolscout-catalog",
            "toolscout-index",
            "toolscout-encoder",
            "toolscout-fleet",
            "toolscout-gateway",
            "toolscout-surface",
            "toolscout-telemetry",
            "toolscout-workspace",
        ],
    ),
    ("toolscout-hostile", &[]),
    ("toolscout-test-support", &[]),
    ("xtask", &["toolscout-test-support"]),
];

/// Crates that exist only for tests, with the crates whose tests use them; no product code depends
/// on them.
const FOR_TESTS: &[(&str, &[&str])] = &[
    ("toolscout-hostile", &["toolscout-mcp-client", "toolscout"]),
    (
        "toolscout-test-support",
        &[
            "toolscout-core",
            "toolscout-process",
            "toolscout-folder",
            "toolscout-mcp-client",
            "toolscout-config",
            "toolscout-catalog",
            "toolscout-store",
            "toolscout-fleet",
            "toolscout-gateway",
            "toolscout-surface",
            "toolscout",
        ],
    ),
];

/// Libraries that only these crates may use.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("rusqlite", &["toolscout-store"]),
    ("tokio-postgres", &["toolscout-fleet"]),
    ("reqwest", &["toolscout-http-client", "toolscout-folder", "toolscout-mcp-client"]),
];

/// Libraries that these crates must not use: they are pure, so that their tests need no waiting.
const NEVER_IN: &[(&str, &[&str])] =
    &[("tokio", &["toolscout-core", "toolscout-catalog", "toolscout-index"])];

/// A dependency of one crate on another in its `Cargo.toml`, of any kind, including tests.
pub(super) struct Arrow {
    pub(super) from: String,
    pub(super) to: String,
    pub(super) kind: DependencyKind,
}

pub(super) fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let metadata =
        MetadataCommand::new().current_dir(root).no_deps().exec().context("ask cargo metadata")?;
    let mut arrows = Vec::new();
    let mut findings = Vec::new();
    for package in metadata.workspace_packages() {
        let from = package.name.to_string();
        findings.extend(unknown_crate(&from));
        let named = package.dependencies.iter();
        arrows.extend(named.map(|value| Arrow {
            from: from.clone(),
            to: value.name.clone(),
            kind: value.kind,
        }));
        let manifest = fs::read_to_string(&package.manifest_path)
            .with_context(|| format!("read {from}'s manifest"))?;
        findings.extend(own_versions(&from, &manifest.parse()?));
    }
    findings.extend(arrows.iter().filter_map(broken));
    Ok(findings)
}

fn unknown_crate(name: &str) -> Option<String> {
    let known = CRATES.iter().any(|(listed, _)| *listed == name);
    (!known).then(|| format!("`{name}` is not in CRATES: add it, with the crates it may use"))
}

/// The reason why this dependency is not allowed, if so.
pub(super) fn broken(arrow: &Arrow) -> Option<String> {
    let Arrow { from, to, kind } = arrow;
    let may_use = |table: &[(&str, &[&str])], user: &str, used: &str| {
        table.iter().any(|(item, list)| *item == user && list.contains(&used))
    };
    if may_use(FOR_TESTS, to, from) {
        let is_for_tests = *kind == DependencyKind::Development;
        return (!is_for_tests).then(|| format!("`{from}` may use `{to}` in its tests only"));
    }
    let is_crate = CRATES.iter().any(|(listed, _)| listed == to);
    if is_crate && !may_use(CRATES, from, to) {
        return Some(format!("`{from}` must not know `{to}`"));
    }
    if let Some((library, crates)) = ONLY_IN.iter().find(|(library, _)| library == to)
        && !crates.contains(&from.as_str())
    {
        return Some(format!(
            "`{from}` uses `{library}`, which lives in `{}` only",
            crates.join("`, `")
        ));
    }
    if may_use(NEVER_IN, to, from) {
        return Some(format!("`{from}` must stay pure, and uses `{to}`"));
    }
    None
}

/// Dependencies with their own version instead of `workspace = true`.
pub(super) fn own_versions(package: &str, manifest: &Table) -> Vec<String> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let per_target = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table);
    std::iter::once(manifest)
        .chain(per_target)
        .flat_map(|item| ["dependencies", "dev-dependencies", "build-dependencies"].map(|kind| item.get(kind)))
        .filter_map(|item| item.and_then(Value::as_table))
        .flatten()
        .filter(|(_, value)| value.get("workspace").and_then(Value::as_bool) != Some(true))
        .map(|(name, _)| {
            format!("`{package}` gives `{name}` a version of its own; move it to [workspace.dependencies]")
        })
        .collect()
}
