//! The bill of materials (SBOM): every crate in the program, as CycloneDX JSON.
//!
//! Written by hand: a list of components and their dependencies is all that the format asks for,
//! and the crate for it, `cyclonedx-bom`, adds 40 others to serve both formats and all versions.
//! It has no time and no random number, so the same `Cargo.lock` gives the same text.

#[cfg(test)]
mod tests;

use crate::repo;
use anyhow::Context;
use cargo_metadata::{DependencyKind, Metadata, Node, Package, PackageId};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use toml::Table;

const PROGRAM: &str = "toolscout";

/// Writes the bill of materials to this file, with its folder.
pub(crate) fn run(file: &Path) -> anyhow::Result<()> {
    let text = format!("{:#}\n", bill()?);
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).with_context(|| format!("make {}", folder.display()))?;
    }
    fs::write(file, text).with_context(|| format!("write {}", file.display()))?;
    println!("wrote {}", file.display());
    Ok(())
}

/// The bill of materials of the program on this platform.
fn bill() -> anyhow::Result<Value> {
    let lock = fs::read_to_string(repo::root().join("Cargo.lock")).context("read Cargo.lock")?;
    let checksums = checksums(&lock.parse()?);
    let metadata = repo::metadata()?;
    let graph = DependencyGraph::new(&metadata)?;
    let program = graph.package(&graph.program);
    let others = graph.reached.iter().filter(|id| **id != graph.program);
    let mut components: Vec<_> =
        others.map(|id| component(graph.package(id), "library", &checksums)).collect();
    let mut dependencies: Vec<_> = graph.reached.iter().map(|id| graph.dependencies(id)).collect();
    for list in [&mut components, &mut dependencies] {
        list.sort_by_key(|item| (item["bom-ref"].to_string(), item["ref"].to_string()));
    }
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": { "component": component(program, "application", &checksums) },
        "components": components,
        "dependencies": dependencies,
    }))
}

/// The packages that the program is built from.
struct DependencyGraph<'a> {
    packages: HashMap<&'a PackageId, &'a Package>,
    nodes: HashMap<&'a PackageId, &'a Node>,
    program: PackageId,
    reached: BTreeSet<PackageId>,
}

impl<'a> DependencyGraph<'a> {
    fn new(metadata: &'a Metadata) -> anyhow::Result<Self> {
        let resolve = metadata.resolve.as_ref().context("cargo metadata has no graph")?;
        let program = metadata.packages.iter().find(|package| package.name == PROGRAM);
        let program = program.with_context(|| format!("no package `{PROGRAM}`"))?.id.clone();
        let mut graph = Self {
            packages: metadata.packages.iter().map(|package| (&package.id, package)).collect(),
            nodes: resolve.nodes.iter().map(|node| (&node.id, node)).collect(),
            program: program.clone(),
            reached: BTreeSet::new(),
        };
        let mut open = vec![program];
        while let Some(id) = open.pop() {
            if graph.reached.insert(id.clone()) {
                open.extend(graph.used_by(&id).cloned());
            }
        }
        Ok(graph)
    }

    fn package(&self, id: &PackageId) -> &'a Package {
        self.packages[id]
    }

    /// The dependencies of a package, without those of its tests.
    fn used_by(&self, id: &PackageId) -> impl Iterator<Item = &'a PackageId> {
        let is_built =
            |kind: &cargo_metadata::DepKindInfo| kind.kind != DependencyKind::Development;
        let dependencies = self.nodes[id].deps.iter();
        dependencies.filter(move |used| used.dep_kinds.iter().any(is_built)).map(|used| &used.pkg)
    }

    fn dependencies(&self, id: &PackageId) -> Value {
        let used: BTreeSet<_> = self.used_by(id).map(|used| purl(self.package(used))).collect();
        json!({ "ref": purl(self.package(id)), "dependsOn": used })
    }
}

fn component(package: &Package, kind: &str, checksums: &Checksums) -> Value {
    let (name, version) = (package.name.to_string(), package.version.to_string());
    let mut component = json!({
        "type": kind,
        "bom-ref": purl(package),
        "name": name,
        "version": version,
        "purl": purl(package),
    });
    if let Some(license) = &package.license {
        // The old separator of crates.io.
        let expression = license.replace('/', " OR ");
        component["licenses"] = json!([{ "expression": expression }]);
    }
    if let Some(checksum) = checksums.get(&(name, version)) {
        component["hashes"] = json!([{ "alg": "SHA-256", "content": checksum }]);
    }
    component
}

/// The package URL, which is unique in one graph.
fn purl(package: &Package) -> String {
    // A plus sign would be read as a space.
    format!("pkg:cargo/{}@{}", package.name, package.version.to_string().replace('+', "%2B"))
}

type Checksums = BTreeMap<(String, String), String>;

/// The checksums of all packages, by name and version.
fn checksums(lock: &Table) -> Checksums {
    let packages = lock.get("package").and_then(|packages| packages.as_array());
    let checksum = |package: &toml::Value| {
        let text = |key: &str| package.get(key)?.as_str().map(str::to_owned);
        Some(((text("name")?, text("version")?), text("checksum")?))
    };
    packages.into_iter().flatten().filter_map(checksum).collect()
}
