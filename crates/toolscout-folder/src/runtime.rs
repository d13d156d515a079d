//! Selects the program that runs a module.
//!
//! [`runtime_for`] only searches PATH; the version of a runtime is queried only if a file needs it.

#[cfg(all(test, unix))]
mod tests;

use parking_lot::Mutex;
use reqwest::Url;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;
use tokio::sync::OnceCell;
use toolscout_core::SourceId;
use toolscout_process::{self as child, Limits, ProgramTask, environment, program};

const NODE_SHIM: &str = include_str!("shims/node.mjs");
const PYTHON_SHIM: &str = include_str!("shims/python.py");

/// A program that runs modules of one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runtime {
    /// The kind of runtime.
    pub kind: RuntimeKind,
    /// The path of the program.
    pub program: PathBuf,
}

/// The supported runtimes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuntimeKind {
    /// Node.js.
    Node,
    /// Bun.
    Bun,
    /// Deno.
    Deno,
    /// CPython or another `python3`.
    Python,
}

/// Whether a file with this name could be a module.
pub(super) fn is_module(name: &str) -> bool {
    let extension = name.rsplit_once('.').map(|(_, value)| value);
    // Type declarations contain no code.
    matches!(extension, Some("js" | "mjs" | "cjs" | "ts" | "py")) && !name.ends_with(".d.ts")
}

/// The runtime that a file needs, or the reason why there is none. Cheap: searches PATH once per
/// process and starts nothing.
pub fn runtime_for(file: &Path) -> Result<Runtime, String> {
    choose(file, installed)
}

/// The reason why a module cannot be loaded; `None` if it can. Unlike [`runtime_for`], it starts
/// node once per process to learn its version, if the file needs a certain one.
pub(super) async fn load_error(file: &Path) -> Option<String> {
    match runtime_for(file) {
        Ok(runtime) if runtime.kind == RuntimeKind::Node => {
            runtime.typescript_flags(file).await.err()
        }
        Ok(_) => None,
        Err(reason) => Some(reason),
    }
}

/// Like [`runtime_for`], with a given program lookup.
fn choose(file: &Path, find: impl Fn(&str) -> Option<PathBuf>) -> Result<Runtime, String> {
    use RuntimeKind::{Bun, Deno, Node, Python};
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let (candidates, missing): (&[(&str, RuntimeKind)], &str) = match extension {
        "js" | "mjs" | "cjs" => (
            &[("node", Node), ("bun", Bun), ("deno", Deno)],
            "needs node (or bun, or deno), which is not installed",
        ),
        "ts" | "mts" | "cts" => (
            &[("bun", Bun), ("deno", Deno), ("node", Node)],
            "needs bun, deno or node, none of which is installed",
        ),
        "py" => {
            (&[("python3", Python), ("python", Python)], "needs python3, which is not installed")
        }
        _ => {
            return Err(
                "is not in a language that toolscout can load; use .js, .mjs, .cjs, .ts or .py"
                    .to_owned(),
            );
        }
    };
    candidates
        .iter()
        .find_map(|(name, kind)| find(name).map(|program| Runtime { kind: *kind, program }))
        .ok_or_else(|| missing.to_owned())
}

fn installed(name: &str) -> Option<PathBuf> {
    static FOUND: LazyLock<Mutex<HashMap<String, Option<PathBuf>>>> = LazyLock::new(Mutex::default);
    let mut found = FOUND.lock();
    found.entry(name.to_owned()).or_insert_with(|| program::find(name)).clone()
}

impl Runtime {
    /// The arguments that make the runtime run our shim, which then loads the file.
    pub(super) async fn arguments(&self, file: &Path) -> Result<Vec<OsString>, String> {
        let mut out: Vec<OsString> = Vec::new();
        match self.kind {
            RuntimeKind::Node => {
                out.push("--input-type=module".into());
                out.extend(self.typescript_flags(file).await?);
                out.extend(["--eval", NODE_SHIM].map(OsString::from));
            }
            RuntimeKind::Bun => out.extend(["--eval", NODE_SHIM].map(OsString::from)),
            RuntimeKind::Deno => out.extend(["eval", "--quiet", NODE_SHIM].map(OsString::from)),
            // -B: loading a tool must not create `__pycache__` in its folder.
            RuntimeKind::Python => out.extend(["-B", "-c", PYTHON_SHIM].map(OsString::from)),
        }
        Ok(out)
    }

    /// The arguments with which node loads TypeScript: none, a flag, or the project's own `tsx`,
    /// depending on its version.
    async fn typescript_flags(&self, file: &Path) -> Result<Vec<OsString>, String> {
        if !file
            .extension()
            .is_some_and(|extension| extension == "ts" || extension == "mts" || extension == "cts")
        {
            return Ok(Vec::new());
        }
        let version = self.node_version().await;
        if version.is_some_and(|version| version >= (22, 18)) {
            return Ok(Vec::new());
        }
        if let Some(loader) = find_tsx(file) {
            return Ok(vec!["--import".into(), loader.into()]);
        }
        if version.is_some_and(|version| version >= (22, 6)) {
            return Ok(vec!["--experimental-strip-types".into(), "--no-warnings".into()]);
        }
        let installed = version
            .map_or_else(String::new, |(major, minor)| format!(" (installed: {major}.{minor})"));
        Err(format!(
            "is TypeScript, which needs bun, deno, node 22.18 or newer{installed}, or `tsx` in the project; run `npm install --save-dev tsx`"
        ))
    }

    /// The major and minor version, queried once per process; `None` if node did not print it.
    async fn node_version(&self) -> Option<(u32, u32)> {
        static VERSION: OnceCell<Option<(u32, u32)>> = OnceCell::const_new();
        *VERSION.get_or_init(|| query_version(&self.program)).await
    }
}

async fn query_version(program: &Path) -> Option<(u32, u32)> {
    let task = ProgramTask {
        id: SourceId::local(),
        program: program.to_path_buf(),
        display_name: program.display().to_string(),
        args: vec!["--version".into()],
        cwd: std::env::temp_dir(),
        env: environment::environment(&[]).ok()?,
        stdin: None,
        limits: Limits::within(Duration::from_secs(5)),
        sandbox: None,
    };
    let output = child::start(&task).await.ok()?;
    version_in(&String::from_utf8_lossy(&output.stdout))
}

/// Parses `v22.18.0`.
fn version_in(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().trim_start_matches('v').split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// The URL of the loader of the nearest `node_modules/tsx` above the file.
fn find_tsx(file: &Path) -> Option<String> {
    let package = file
        .ancestors()
        .skip(1)
        .map(|ancestor| ancestor.join("node_modules/tsx"))
        .find(|path| path.is_dir())?;
    let text = std::fs::read_to_string(package.join("package.json")).ok()?;
    let manifest: serde_json::Value = serde_json::from_str(&text).ok()?;
    let main = &manifest["exports"]["."];
    let main =
        main.as_str().or_else(|| main["import"].as_str()).or_else(|| main["default"].as_str());
    let loader = package.join(main.unwrap_or("./dist/loader.mjs"));
    Url::from_file_path(loader).ok().map(String::from)
}
