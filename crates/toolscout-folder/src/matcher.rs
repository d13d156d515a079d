//! Decides which paths of a root match and which are ignored.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// Compiled patterns. Paths are relative to the root, with `/` as the separator.
#[derive(Debug, Clone)]
pub(super) struct Matcher {
    included: GlobSet,
    ignored_names: GlobSet,
    ignored_paths: GlobSet,
    bases: Vec<String>,
    /// The source patterns, for the key of the scan record.
    pub(super) patterns: (Vec<String>, Vec<String>),
}

impl Matcher {
    /// Compiles the patterns; the error is a reason for the user.
    ///
    /// A pattern matches the whole relative path. An ignore pattern without `/` matches the name of
    /// any file or folder.
    pub(super) fn new(patterns: &[String], ignore: &[String]) -> Result<Self, String> {
        let mut included = GlobSetBuilder::new();
        let mut bases = Vec::new();
        for pattern in patterns {
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
            if pattern.is_empty()
                || pattern.starts_with('/')
                || pattern.split('/').any(|part| part == "..")
            {
                return Err(format!("the pattern `{pattern}` must stay inside its root"));
            }
            included.add(glob(pattern)?);
            bases.push(base(pattern));
        }
        let mut names = GlobSetBuilder::new();
        let mut paths = GlobSetBuilder::new();
        for pattern in ignore {
            let trimmed = pattern.trim_start_matches("./").trim_end_matches('/');
            if trimmed.contains('/') {
                paths.add(glob(trimmed)?)
            } else {
                names.add(glob(trimmed)?)
            };
        }
        Ok(Self {
            included: build(&included)?,
            ignored_names: build(&names)?,
            ignored_paths: build(&paths)?,
            bases,
            patterns: (patterns.to_vec(), ignore.to_vec()),
        })
    }

    /// The folders that contain all matching files: the parts of the patterns before their first
    /// wildcard, without those nested in another base. The root itself is the empty string.
    pub(super) fn bases(&self) -> Vec<&str> {
        let mut bases: Vec<&str> = self.bases.iter().map(String::as_str).collect();
        bases.sort_unstable();
        bases.dedup();
        let all = bases.clone();
        bases.retain(|base| !all.iter().any(|other| other != base && is_below(base, other)));
        bases
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        self.included.is_match(path)
    }

    pub(super) fn ignores(&self, path: &str, name: &str) -> bool {
        self.ignored_names.is_match(name) || self.ignored_paths.is_match(path)
    }

    /// Whether any component of a path below a base is ignored.
    pub(super) fn ignores_any_component(&self, path: &str) -> bool {
        let base = self.bases().into_iter().find(|base| is_below(path, base)).unwrap_or_default();
        let mut at = if base.is_empty() { 0 } else { base.len() + 1 };
        while at < path.len() {
            let end = path[at..].find('/').map_or(path.len(), |index| at + index);
            if self.ignores(&path[..end], &path[at..end]) {
                return true;
            }
            at = end + 1;
        }
        false
    }

    /// Whether a matching path is the manifest of its folder: `manifest.json` directly below a
    /// base.
    pub(super) fn is_manifest(&self, path: &str) -> bool {
        let folder = match path.rsplit_once('/') {
            Some((folder, "manifest.json")) => folder,
            None if path == "manifest.json" => "",
            _ => return false,
        };
        self.bases.iter().any(|base| base == folder)
    }
}

fn is_below(path: &str, base: &str) -> bool {
    base.is_empty() || path.strip_prefix(base).is_some_and(|rest| rest.starts_with('/'))
}

fn base(pattern: &str) -> String {
    let parts: Vec<&str> = pattern.split('/').collect();
    let plain = parts.iter().take_while(|part| !part.contains(['*', '?', '[', '{', '\\'])).count();
    // A pattern without a wildcard names a file; its folder is the base.
    parts[..plain.min(parts.len() - 1)].join("/")
}

fn glob(pattern: &str) -> Result<Glob, String> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).empty_alternates(true).build();
    glob.map_err(|err| format!("invalid pattern `{pattern}`: {}", err.kind()))
}

fn build(builder: &GlobSetBuilder) -> Result<GlobSet, String> {
    builder.build().map_err(|err| format!("invalid patterns: {err}"))
}
