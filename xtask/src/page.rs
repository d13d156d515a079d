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

pub(crate) fn run() -> anyhow::Result<()> {
    let Some(chromium) = chromium() else {
        bail!("chromium and node are needed: apt-get install chromium nodejs")
    };
    let mut cargo = repo::cargo();
    cargo.args(["build", "-p", "toolscout", "--bin", "toolscout"]);
    let program = repo::build(cargo)?.take("toolscout")?;
    let project = PageProject::plant(&program)?;
    let site = project.serve()?;
    let folder = repo::root().join("docs/images");
    fs::create_dir_all(&folder)?;
    let given = json!({
        "walk": "pictures",
        "chromium": chromium,
        "profile": project.outside().join("chromium"),
        "link": site.link(),
        "agent": project.token()?,
        "errands": errands(),
        "views": views(),
        "folder": folder,
    });
    let script = repo::root().join("crates/toolscout/tests/browser/walk.mjs");
    let output =
        Command::new("node").arg(script).arg(given.to_string()).output().context("start node")?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    check(&folder)
}

/// The searches and calls of agents before the screenshots.
fn errands() -> Value {
    json!([
        {"search": "find the customer's open tickets", "call": "tickets/search_tickets", "arguments": {"text": "cannot sign in"}},
        {"search": "look up the weather on Mars"},
        {"search": "send an email", "call": "mail/send_email", "arguments": {"to": "ada@example.com", "subject": "Your ticket", "body": "It is solved."}},
        {"search": "read a file", "call": "files/read_file", "arguments": {"path": "README.md"}},
        {"search": "translate a document to Japanese"},
        {"search": "which invoices are open", "call": "billing/list_invoices", "arguments": {"status": "open"}}
    ])
}

/// The views in the screenshots.
fn views() -> Value {
    json!({
        "servers": {"kinds": ["light", "dark"], "view": "servers", "there": "[data-server=mail]"},
        "tools": {"kinds": ["light", "phone"], "view": "tools/tickets/create_ticket", "search": "open a ticket for a customer"},
        "approvals": {"kinds": ["dark"], "view": "approvals", "there": "[data-review]"},
        "activity": {"kinds": ["light"], "view": "activity", "there": ".timeline .entry"},
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
