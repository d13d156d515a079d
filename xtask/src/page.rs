//! Takes the screenshots of the web UI in docs/images: of a made-up project, in a real Chromium.

mod project;
mod site;

use crate::repo;
use anyhow::{Context, bail, ensure};
use project::PageProject;
use serde_json::{Value, json};
pub(crate) use site::{ServedPage, link_in};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The maximum size of a screenshot in bytes, small enough for a repository.
const LARGEST: u64 = 150_000;

/// Takes the screenshots of the documentation, or others as PNG into `folder`.
pub(crate) fn run(folder: Option<&Path>) -> anyhow::Result<()> {
    let Some(chromium) = chromium() else {
        bail!("chromium and node are needed: apt-get install chromium nodejs")
    };
    let mut cargo = repo::cargo();
    cargo.args(["build", "--workspace", "--bin", "toolscout"]);
    let program = repo::build(cargo)?.take("toolscout")?;
    let project = PageProject::plant(&program)?;
    let (site, empty) = (project.serve()?, project.serve_empty()?);
    let format = if folder.is_some() { "png" } else { "webp" };
    let folder = folder.map_or_else(|| repo::root().join("docs/images"), Path::to_owned);
    fs::create_dir_all(&folder)?;
    let given = json!({
        "walk": "pictures",
        "chromium": chromium,
        "profile": project.outside().join("chromium"),
        "link": site.link(),
        "emptyLink": empty.link(),
        "agent": project.token()?,
        "errands": errands(),
        "folder": folder,
        "format": format,
    });
    let script = repo::root().join("crates/toolscout/tests/browser/walk.mjs");
    let output =
        Command::new("node").arg(script).arg(given.to_string()).output().context("start node")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    check(&folder)
}

/// The searches and calls of each agent before the screenshots.
fn errands() -> Value {
    let find = |text: &str| json!({"search": text});
    let call = |name: &str, arguments: Value| json!({"call": name, "arguments": arguments});
    json!({
        "claude-code": [
            find("find the customer's open tickets"),
            call("tickets/search_tickets", json!({"text": "cannot sign in"})),
            call("tickets/search_tickets", json!({"text": "password"})),
            find("look up the weather on Mars"),
            find("send an email"),
            call("mail/send_email", json!({"to": "ada@example.com", "subject": "Your ticket", "body": "It is solved."})),
            find("read a file"),
            call("files/read_file", json!({"path": "README.md"})),
        ],
        "codex": [
            find("translate a document to Japanese"),
            find("which invoices are open"),
            call("billing/list_invoices", json!({"status": "open"})),
            find("merge two companies"),
            call("crm/merge_company", json!({"id": "1204", "name": "Acme", "owner": "ada"})),
            call("crm/find_contact", json!({"id": "17"})),
            call("tickets/search_tickets", json!({"text": "invoice"})),
            call("files/write_file", json!({"path": "notes.md", "content": "Call Ada."})),
        ],
    })
}

fn check(folder: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let bytes = entry.metadata()?.len();
        println!("{bytes:>7} bytes  {}", entry.file_name().display());
        ensure!(bytes <= LARGEST, "{} is too large", entry.path().display());
    }
    Ok(())
}

/// The browser to use, if Node.js is installed to control it.
pub(crate) fn chromium() -> Option<&'static str> {
    let is_there = |program: &str| {
        Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    let browser = ["chromium", "chromium-browser", "google-chrome"]
        .into_iter()
        .find(|item| is_there(item))?;
    is_there("node").then_some(browser)
}
