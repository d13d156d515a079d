//! Import cycles: sibling modules of a crate must not use each other in a circle, at any level of
//! the module tree.
//!
//! A parent and its child may use each other. Tests and fixtures do not count. Only the module
//! segments of a path count, so an item that the parent re-exports counts as the parent's.

use super::{files_of_crates, shown};
use anyhow::Context;
use proc_macro2::{Ident, Literal, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, ItemMod, ItemUse, Macro, UseTree};

/// A module, by its path from the root of its crate; the root itself is empty.
type ModulePath = Vec<String>;

/// The location where one module uses another, such as `crates/x/src/a.rs:4: super::b::Name`.
type ImportEvidence = String;

pub(super) fn check(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut crates: BTreeMap<String, Vec<(ModulePath, String, String)>> = BTreeMap::new();
    for path in files_of_crates(root)? {
        let name = shown(root, &path);
        let Some((package, module)) =
            name.strip_suffix(".rs").and_then(|rest| rest.split_once("/src/"))
        else {
            continue;
        };
        if is_for_tests(module) {
            continue;
        }
        let text = fs::read_to_string(&path).with_context(|| format!("read {name}"))?;
        let package = package.rsplit('/').next().unwrap_or(package);
        crates.entry(package.to_owned()).or_default().push((
            module_path(module),
            name.clone(),
            text,
        ));
    }
    let mut findings = Vec::new();
    for (package, files) in crates {
        findings.extend(cycles_of_crate(&package, &files)?);
    }
    Ok(findings)
}

/// The cycles of one crate, given its files as module path, file name and text.
pub(super) fn cycles_of_crate(
    package: &str,
    files: &[(ModulePath, String, String)],
) -> anyhow::Result<Vec<String>> {
    let modules: BTreeSet<&[String]> = files.iter().map(|(module, ..)| module.as_slice()).collect();
    let mut siblings: BTreeMap<ModulePath, Graph> = BTreeMap::new();
    for (module, name, text) in files {
        let file = syn::parse_file(text).with_context(|| format!("parse {name}"))?;
        let mut imports = Imports::default();
        imports.visit_file(&file);
        for (path, line) in imports.paths {
            let target = resolve(module, &path, &modules);
            let common = module.iter().zip(&target).take_while(|(one, other)| one == other).count();
            let (Some(from), Some(to)) = (module.get(common), target.get(common)) else { continue };
            let evidence = format!("{name}:{line}: {}", path.join("::"));
            let graph = siblings.entry(module[..common].to_vec()).or_default();
            graph.entry(from.clone()).or_default().entry(to.clone()).or_insert(evidence);
        }
    }
    let mut findings = Vec::new();
    for (parent, graph) in siblings {
        let parent = [&[package.to_owned()], parent.as_slice()].concat().join("::");
        findings.extend(cycle(&graph).map(|steps| describe(&parent, &graph, &steps)));
    }
    Ok(findings)
}

fn is_for_tests(module: &str) -> bool {
    module.split('/').any(|part| matches!(part, "tests" | "fixture" | "bin"))
}

fn module_path(module: &str) -> ModulePath {
    if matches!(module, "lib" | "main") {
        Vec::new()
    } else {
        module.split('/').map(str::to_owned).collect()
    }
}

/// The module that a path such as `super::b::Name` resolves to, relative to a module.
fn resolve(from: &[String], path: &[String], modules: &BTreeSet<&[String]>) -> ModulePath {
    let mut target = if path[0] == "crate" { Vec::new() } else { from.to_vec() };
    for segment in path {
        match segment.as_str() {
            "crate" | "self" => {}
            "super" => _ = target.pop(),
            name => {
                target.push(name.to_owned());
                if !modules.contains(target.as_slice()) {
                    target.pop();
                    break;
                }
            }
        }
    }
    target
}

/// Which module uses which, with the location.
type Graph = BTreeMap<String, BTreeMap<String, ImportEvidence>>;

/// The first cycle found, as a list of modules; the last one uses the first.
fn cycle(graph: &Graph) -> Option<Vec<String>> {
    fn visit(
        graph: &Graph,
        module: &str,
        path: &mut Vec<String>,
        done: &mut BTreeSet<String>,
    ) -> Option<Vec<String>> {
        if let Some(start) = path.iter().position(|visited| visited == module) {
            return Some(path[start..].to_vec());
        }
        if !done.insert(module.to_owned()) {
            return None;
        }
        path.push(module.to_owned());
        let mut used = graph.get(module).into_iter().flat_map(BTreeMap::keys);
        let found = used.find_map(|next| visit(graph, next, path, done));
        path.pop();
        found
    }
    let mut done = BTreeSet::new();
    graph.keys().find_map(|module| visit(graph, module, &mut Vec::new(), &mut done))
}

fn describe(parent: &str, graph: &Graph, steps: &[String]) -> String {
    let names =
        steps.iter().chain(steps.first()).map(String::as_str).collect::<Vec<_>>().join(" -> ");
    let uses = steps
        .iter()
        .zip(steps.iter().cycle().skip(1))
        .map(|(from, to)| format!("\n    {}", graph[from][to]));
    format!(
        "the modules of `{parent}` use each other in a circle: {names}{}",
        uses.collect::<String>()
    )
}

/// Collects every path that starts with `crate`, `super` or `self`, with its line.
#[derive(Default)]
struct Imports {
    paths: Vec<(Vec<String>, usize)>,
}

impl Imports {
    fn add(&mut self, path: Vec<String>, line: usize) {
        if path.len() > 1 && matches!(path[0].as_str(), "crate" | "super" | "self") {
            self.paths.push((path, line));
        }
    }

    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<Ident> = Vec::new();
        for token in tokens.into_iter().chain([Literal::u8_unsuffixed(0).into()]) {
            match token {
                TokenTree::Ident(ident) => path.push(ident),
                TokenTree::Punct(colon) if colon.as_char() == ':' => {}
                other => {
                    let line = path.first().map_or(0, |ident| ident.span().start().line);
                    self.add(path.drain(..).map(|item| item.to_string()).collect(), line);
                    if let TokenTree::Group(group) = other {
                        self.add_tokens(group.stream());
                    }
                }
            }
        }
    }

    fn add_tree(&mut self, tree: &UseTree, mut prefix: Vec<String>) {
        let line = tree.span().start().line;
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.add_tree(&path.tree, prefix);
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.add_tree(tree, prefix.clone()))
            }
            UseTree::Name(name) => self.add([prefix, vec![name.ident.to_string()]].concat(), line),
            UseTree::Rename(rename) => {
                self.add([prefix, vec![rename.ident.to_string()]].concat(), line)
            }
            UseTree::Glob(_) => self.add(prefix, line),
        }
    }
}

impl<'ast> Visit<'ast> for Imports {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !item.attrs.iter().any(is_cfg_test) {
            self.add_tree(&item.tree, Vec::new());
        }
    }

    /// Paths in an inline module would have to be resolved from there; only tests and platform code
    /// have such modules.
    fn visit_item_mod(&mut self, _: &'ast ItemMod) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.add(
            path.segments.iter().map(|segment| segment.ident.to_string()).collect(),
            path.span().start().line,
        );
        visit::visit_path(self, path);
    }

    /// Macro arguments may not be Rust, so they are only searched for paths such as `super::a::B`.
    fn visit_macro(&mut self, called: &'ast Macro) {
        self.add_tokens(called.tokens.clone());
    }

    /// `pub(in crate::a)` names a module without using it.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

/// Whether the attribute is `#[cfg(test)]`.
pub(crate) fn is_cfg_test(attribute: &Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.parse_args::<syn::Path>().is_ok_and(|args| args.is_ident("test"))
}
