//! The plan and the outcome of `init` as text.

use super::{Setup, SetupServer};
use toolscout_core::escape;
use toolscout_surface::output::counted;

/// One line for each server, then one for each client.
pub(super) fn plan(setup: &Setup) -> String {
    let mut text = String::new();
    if !setup.servers.is_empty() {
        let header = ["SERVER", "FROM", "TRANSPORT", "SECRETS", "ACTION"].map(str::to_owned);
        let is_added = |server: &&SetupServer| server.action == "add";
        let added: Vec<_> = setup.servers.iter().filter(is_added).collect();
        let added: Vec<_> = added.iter().filter_map(|server| server.id.as_deref()).collect();
        let servers = setup.servers.iter().map(|server| row(server, &added));
        let rows: Vec<_> = std::iter::once(header).chain(servers).collect();
        text += &table(&rows);
    }
    let clients: Vec<_> = setup
        .clients
        .iter()
        .map(|client| {
            let action = match (client.action, client.moved.len()) {
                ("none", _) => "already connected".to_owned(),
                ("skip", _) => {
                    format!("skipped: {}", escape::line(client.reason.as_deref().unwrap_or("")))
                }
                (_, 0) => "connect".to_owned(),
                (_, count) => {
                    format!("connect, and move its {} to toolscout", counted(count, "server"))
                }
            };
            [client.title.to_owned(), escape::line(&client.path).into_owned(), action]
        })
        .collect();
    if !clients.is_empty() {
        let header = ["CLIENT", "FILE", "ACTION"].map(str::to_owned);
        let rows: Vec<_> = std::iter::once(header).chain(clients).collect();
        text += if text.is_empty() { "" } else { "\n" };
        text += &table(&rows);
    }
    text
}

/// What was done, per server, and what to do next.
pub(super) fn outcome(setup: &Setup) -> String {
    if setup.planned.is_some() {
        return String::new();
    }
    if !setup.written {
        return nothing_to_do(setup);
    }
    let added: Vec<_> = setup.servers.iter().filter(|server| server.action == "add").collect();
    let mut text = String::new();
    let mut targets: Vec<_> = added.iter().filter_map(|server| server.target.as_deref()).collect();
    targets.dedup();
    if !added.is_empty() {
        text += &format!("Added {} to {}\n", counted(added.len(), "server"), targets.join(" and "));
    }
    let connected = connected(setup);
    if !connected.is_empty() {
        text += &format!("Connected {}\n", list(&connected));
    }
    let width = added.iter().filter_map(|server| server.id.as_ref()).map(String::len).max();
    for server in &added {
        text += &result(server, width.unwrap_or(0));
    }
    let loaded = added.iter().filter(|server| server.status == Some("loaded")).count();
    if !added.is_empty() {
        text += &format!(
            "{loaded} of {} ready, {}\n",
            counted(added.len(), "server"),
            counted(setup.tool_count, "tool")
        );
    }
    text + &next_steps(setup, &connected)
}

fn next_steps(setup: &Setup, connected: &[&str]) -> String {
    let mut text = String::from("\nNext:\n");
    if !connected.is_empty() {
        text += &format!("  restart {}\n", list(connected));
    }
    if setup.tool_count > 0 {
        text += "  toolscout search \"what you want to do\"\n";
    }
    if setup.servers.iter().any(|server| server.status == Some("failed")) {
        text += "  toolscout server list     shows the failed servers\n";
    }
    text + "  toolscout undo            takes everything back\n"
}

fn nothing_to_do(setup: &Setup) -> String {
    if setup.servers.is_empty() && setup.clients.is_empty() {
        let native = if setup.is_read_in_place {
            "The servers of .mcp.json are used directly.\n"
        } else {
            ""
        };
        return format!(
            "{native}No MCP client found.\n  hint: add a server with `toolscout server add ID -- COMMAND`, or name a client: `toolscout init claude-code`\n"
        );
    }
    "Nothing to do: all servers are configured, and the clients are connected.\n".to_owned()
}

fn result(server: &SetupServer, width: usize) -> String {
    let id = server.id.as_deref().unwrap_or(&server.name);
    let line = match (server.status, server.tool_count, &server.error) {
        (Some("failed"), _, error) => {
            format!("failed: {}", escape::line(error.as_deref().unwrap_or("unknown")))
        }
        (Some("disabled"), ..) => "disabled".to_owned(),
        (_, tools, _) => counted(tools.unwrap_or(0), "tool"),
    };
    let hint = server.hint.as_deref().map(|hint| format!("  {:width$}  hint: {hint}\n", ""));
    format!("  {id:<width$}  {line}\n{}", hint.unwrap_or_default())
}

fn connected(setup: &Setup) -> Vec<&str> {
    let mut titles: Vec<_> = setup
        .clients
        .iter()
        .filter(|client| client.action == "connect")
        .map(|client| client.title)
        .collect();
    titles.dedup();
    titles
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn list(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}

fn row(server: &SetupServer, added: &[&str]) -> [String; 5] {
    let action = match (server.action, &server.id, &server.reason) {
        ("add", Some(id), _) if *id == server.name => "add".to_owned(),
        ("add", Some(id), _) => format!("add as {id}"),
        ("same", Some(id), _) if added.contains(&id.as_str()) => format!("duplicate of {id}"),
        ("same", Some(id), _) if *id == server.name => "already present".to_owned(),
        ("same", Some(id), _) => format!("already present as {id}"),
        (_, _, reason) => format!("skip: {}", reason.as_deref().unwrap_or_default()),
    };
    let from = match server.scope {
        "project" => format!("{} (project)", server.title),
        _ => server.title.to_owned(),
    };
    let transport = server.transport.unwrap_or("-").to_owned();
    [server.name.clone(), from, transport, secrets(server), action]
        .map(|cell| escape::line(&cell).into_owned())
}

/// Where the secrets go, without the names of files: `2 to files`, `needs TOKEN`.
fn secrets(server: &SetupServer) -> String {
    let kind = |stored: &str| match stored.split(':').next() {
        Some("file") => "file",
        Some("keyring") => "keyring",
        Some("env") => "variable",
        _ => "plain text",
    };
    let mut parts: Vec<String> = Vec::new();
    for word in ["file", "keyring", "variable", "plain text"] {
        let count = server.secrets.iter().filter(|secret| kind(&secret.stored) == word).count();
        match (count, word) {
            (0, _) => {}
            (count, "plain text") => parts.push(format!("{count} kept as plain text")),
            (1, word) => parts.push(format!("1 to {word}")),
            (count, word) => parts.push(format!("{count} to {word}s")),
        }
    }
    if !server.missing.is_empty() {
        parts.push(format!("needs {}", server.missing.join(", ")));
    }
    if parts.is_empty() { "-".to_owned() } else { parts.join("; ") }
}

/// Aligned columns; the last one is not padded.
fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}
