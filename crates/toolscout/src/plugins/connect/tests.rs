//! 1. Every client gets our entry in its own shape, and everything else in its file stays.
//! 2. Disconnecting puts every file back byte for byte: comments, commas at the end, line ends, marks, or no file at all.
//! 3. A file that somebody changed in between keeps the changes.
//! 4. Connecting twice changes nothing.
//! 5. `--take` moves the client's other servers to us, and loses none.

mod commands;
mod edits;
mod files;

use super::connection::{self, Disconnected};
use super::site::Site;
use crate::plugins::import::{CLIENTS, Client, Homes, Launch, Ourselves, Scope};
use crate::{AppError, Surroundings};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use toolscout_core::{MemoryStore, Store};

/// A person's home with a project in it, and what is remembered.
struct World {
    dir: TempDir,
    store: MemoryStore,
}

impl World {
    fn new() -> Self {
        let world = Self { dir: tempfile::tempdir().expect("a temporary folder"), store: MemoryStore::default() };
        fs::create_dir_all(world.home().join("desk")).expect("make a folder");
        world
    }

    fn home(&self) -> PathBuf {
        self.dir.path().canonicalize().expect("its real path")
    }

    fn homes(&self) -> Homes {
        let home = self.home();
        let vars = [("HOME", home.to_str().expect("a text"))];
        Homes::of(&Surroundings::captured(&home.join("desk"), &vars).0, &home.join("desk"))
    }

    /// Where the client's file is, or would be.
    fn path(&self, client: &'static dyn Client) -> PathBuf {
        self.site(client).path
    }

    fn site(&self, client: &'static dyn Client) -> Site {
        Site::of(client, &self.homes(), Scope::User, &us()).expect("a file that can be read")
    }

    fn write(&self, client: &'static dyn Client, bytes: &[u8]) -> PathBuf {
        let path = self.path(client);
        fs::create_dir_all(path.parent().expect("a folder")).expect("make folders");
        fs::write(&path, bytes).expect("write a file");
        path
    }

    /// Connects; says whether there was anything to do.
    fn connect(&self, client: &'static dyn Client) -> bool {
        connect(&self.site(client), &launch(), &self.store).expect("connect")
    }

    fn disconnect(&self, client: &'static dyn Client) -> Disconnected {
        connection::disconnect(&self.site(client), &self.store).expect("disconnect")
    }
}

fn connect(site: &Site, launch: &Launch, store: &dyn Store) -> Result<bool, AppError> {
    let entry = site.client.own_entry(launch, &site.section);
    let Some(text) = connection::prepare(site, &entry, &[])? else { return Ok(false) };
    connection::connect(site, &text, store).map(|()| true)
}

fn launch() -> Launch {
    Launch { command: "/opt/bin/toolscout".to_owned(), args: vec!["serve".to_owned()] }
}

fn us() -> Ourselves {
    Ourselves { program: "toolscout".to_owned(), executable: None }
}

fn client(name: &str) -> &'static dyn Client {
    CLIENTS.into_iter().find(|it| it.name() == name).expect("a client of this name")
}

/// A file of the client as people have them: comments, odd spaces, a server, and other settings around.
fn sample(client: &dyn Client) -> String {
    match client.name() {
        "codex" => "# mine\nmodel = \"gpt-5\"   # fast\n\n[mcp_servers.docs] # keep\ncommand = 'npx'\nargs = [\n  \"a\", # first\n  \"b\",\n]\n\n[profiles.x]\nmodel = \"y\"\n# the end\n".to_owned(),
        "opencode" => "{\n  // mine\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"docs\": { \"type\": \"local\", \"command\": [\"npx\"], }, // keep\n  },\n}\n".to_owned(),
        "zed" => "// Zed\n{\n\t\"theme\": \"One\",\n\n\t/* servers */ \"context_servers\": {\n\t\t\"docs\": {\"command\": \"npx\", \"args\": []}\n\t},\n}\n".to_owned(),
        "vscode" => "{\n    \"inputs\": [],\n    \"servers\": {\n        \"docs\": { \"type\": \"stdio\", \"command\": \"npx\" }, // keep\n    }\n}\n".to_owned(),
        _ => "{\n    \"other\": {\"deep\":[1,2 ,3]},   // mine\n    \"mcpServers\": {\n        \"docs\": { \"command\": \"npx\", \"args\": [\"-y\"] } // keep\n    }\n}".to_owned(),
    }
}
