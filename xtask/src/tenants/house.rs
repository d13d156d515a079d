//! The program under test: a project with a folder for each tenant, a server that requires tokens,
//! and one process for all.

use super::canary;
use super::vault::Vault;
use anyhow::Context;
use serde_json::json;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// The size of a result that is delivered in pieces, in bytes; see the limit of the surface.
const LARGE: usize = 1_200_000;

/// A process that serves all tenants; ended on drop.
pub(super) struct House {
    pub(super) addr: SocketAddr,
    pub(super) vault: Vault,
    child: Child,
    _dir: TempDir,
}

impl House {
    pub(super) fn open(toolscout: &Path, tenants: usize) -> anyhow::Result<Self> {
        let dir = tempfile::tempdir()?;
        let vault = Vault::open()?;
        let project = dir.path().join("project");
        (0..tenants).try_for_each(|index| furnish(&project, index))?;
        let config = format!(
            "[[request_tools]]\nheader = \"X-Tenant\"\npattern = \"t[0-9]{{3}}\"\nfolder = \"tenants/{{value}}/tools\"\n\
             [servers.vault]\nurl = \"{}\"\nbearer = \"request:x-vault-token\"\n",
            vault.url()
        );
        fs::write(project.join("toolscout.toml"), config)?;
        let mut command = Command::new(toolscout);
        command
            .args(["serve", "--http", "127.0.0.1:0", "--auth", "none"])
            .current_dir(&project)
            .env_clear();
        command
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("TOOLSCOUT_TRUST", "1");
        command
            .env("HOME", dir.path().join("home"))
            .env("TOOLSCOUT_SANDBOX", "off")
            .env("TOOLSCOUT_STATE_DIR", dir.path().join("state"));
        command.env("TOOLSCOUT_CONFIG_DIR", dir.path().join("config"));
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let addr = listening(&mut child);
        if addr.is_err() {
            let _ = child.kill();
        }
        Ok(Self { addr: addr?, vault, child, _dir: dir })
    }
}

impl Drop for House {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The name of the tenant in headers and paths.
pub(super) fn name(tenant: usize) -> String {
    format!("t{tenant:03}")
}

/// The token of the tenant.
pub(super) fn token(tenant: usize) -> String {
    format!("secret-of-{}", canary::of(tenant))
}

/// The tools of the tenant: one listed, one searchable, one that no other tenant has, and one with
/// a large result.
fn furnish(project: &Path, tenant: usize) -> anyhow::Result<()> {
    let folder = project.join(format!("tenants/{}/tools", name(tenant)));
    fs::create_dir_all(&folder)?;
    let canary = canary::of(tenant);
    let tool = |name: &str, visibility: &str, command: &[&str]| {
        let about = format!("The {name} of {canary}");
        json!({"name": name, "description": about, "visibility": visibility, "run": {"command": command}}).to_string()
    };
    let only = only(tenant);
    let much = format!("yes {canary} | head -c {LARGE}");
    for (name, text) in [
        ("board", tool("board", "listed", &["echo", &canary])),
        ("ledger", tool("ledger", "searchable", &["echo", &canary])),
        ("archive", tool("archive", "searchable", &["sh", "-c", &much])),
        (&*only, tool(&only, "searchable", &["echo", &canary])),
    ] {
        fs::write(folder.join(format!("{name}.tool.json")), text)?;
    }
    Ok(())
}

/// The name of a tool that no other tenant has.
pub(super) fn only(tenant: usize) -> String {
    format!("only_{}", name(tenant))
}

pub(crate) fn listening(child: &mut Child) -> anyhow::Result<SocketAddr> {
    let mut lines = BufReader::new(child.stderr.take().context("its errors")?).lines();
    let mut said = String::new();
    let place = lines.by_ref().map_while(Result::ok).find_map(|line| {
        said += &format!("{line}\n");
        Some(line.split_once("listening on http://")?.1.split('/').next()?.to_owned())
    });
    // Keeps reading, so that the process never blocks on its output.
    std::thread::spawn(move || lines.for_each(drop));
    place
        .with_context(|| format!("it does not listen: {said}"))?
        .parse()
        .context("parse the address")
}
