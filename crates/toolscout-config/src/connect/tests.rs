//! 1. Every client gets our entry in its own format, and everything else in its file stays.
//! 2. Disconnecting restores every file byte for byte: comments, trailing commas, line endings,
//!    byte order marks, or no file at all.
//! 3. A file that was changed in between keeps the changes.
//! 4. Connecting twice changes nothing.
//! 5. `--take` moves the client's other servers into our configuration, and loses none.

mod edits;
mod files;

use super::connection::{self, DisconnectOutcome};
use super::site::ClientSite;
use crate::import::{CLIENTS, ClientFolders, ClientFormat, LaunchCommand, OwnProgram};
use crate::{ConfigEditor, ConfigError, ConfigScope};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use toolscout_core::{MemoryStore, Store};

/// A home folder with a project in it, and a store.
struct World {
    dir: TempDir,
    store: MemoryStore,
}

impl World {
    fn new() -> Self {
        let world = Self {
            dir: tempfile::tempdir().expect("a temporary folder"),
            store: MemoryStore::default(),
        };
        fs::create_dir_all(world.home().join("project")).expect("make a folder");
        world
    }

    fn home(&self) -> PathBuf {
        self.dir.path().canonicalize().expect("its real path")
    }

    fn folders(&self) -> ClientFolders {
        let home = self.home();
        let variable = |name: &str| (name == "HOME").then(|| home.display().to_string());
        ClientFolders::new(&variable, &home.join("project"), &home.join("project"))
    }

    /// The path of the client's file, existing or not.
    fn path(&self, client: &'static ClientFormat) -> PathBuf {
        self.site(client).path
    }

    fn site(&self, client: &'static ClientFormat) -> ClientSite {
        ClientSite::find(client, &self.folders(), ConfigScope::User, &own_program())
            .expect("a file that can be read")
    }

    fn write(&self, client: &'static ClientFormat, bytes: &[u8]) -> PathBuf {
        let path = self.path(client);
        fs::create_dir_all(path.parent().expect("a folder")).expect("make folders");
        fs::write(&path, bytes).expect("write a file");
        path
    }

    /// Connects; returns whether there was anything to do.
    fn connect(&self, client: &'static ClientFormat) -> bool {
        connect(&self.site(client), &launch(), &self.store).expect("connect")
    }

    fn disconnect(&self, client: &'static ClientFormat) -> DisconnectOutcome {
        connection::disconnect(&self.site(client), &ConfigEditor::new(None), &self.store)
            .expect("disconnect")
    }
}

fn connect(
    site: &ClientSite,
    launch: &LaunchCommand,
    store: &dyn Store,
) -> Result<bool, ConfigError> {
    let entry = site.client.own_entry(launch, &site.section);
    let Some(edit) = connection::prepare(site, &entry, &[])? else { return Ok(false) };
    connection::connect(site, &edit, &ConfigEditor::new(None), store).map(|()| true)
}

fn launch() -> LaunchCommand {
    LaunchCommand { command: "/opt/bin/toolscout".to_owned(), args: vec!["serve".to_owned()] }
}

fn own_program() -> OwnProgram {
    OwnProgram { program: "toolscout".to_owned(), executable: None }
}

fn client(name: &str) -> &'static ClientFormat {
    CLIENTS.iter().find(|client| client.name == name).expect("a client of this name")
}

/// A realistic file of the client: comments, odd spaces, a server, and other settings.
fn sample(client: &ClientFormat) -> String {
    match client.name {
        "codex" => "# mine\nmodel = \"gpt-5\"   # fast\n\n[mcp_servers.docs] # keep\ncommand = 'npx'\nargs = [\n  \"a\", # first\n  \"b\",\n]\n\n[profiles.x]\nmodel = \"y\"\n# the end\n".to_owned(),
        "opencode" => "{\n  // mine\n  \"$schema\": \"https://opencode.ai/config.json\",\n  \"mcp\": {\n    \"docs\": { \"type\": \"local\", \"command\": [\"npx\"], }, // keep\n  },\n}\n".to_owned(),
        "zed" => "// Zed\n{\n\t\"theme\": \"One\",\n\n\t/* servers */ \"context_servers\": {\n\t\t\"docs\": {\"command\": \"npx\", \"args\": []}\n\t},\n}\n".to_owned(),
        "vscode" => "{\n    \"inputs\": [],\n    \"servers\": {\n        \"docs\": { \"type\": \"stdio\", \"command\": \"npx\" }, // keep\n    }\n}\n".to_owned(),
        _ => "{\n    \"other\": {\"deep\":[1,2 ,3]},   // mine\n    \"mcpServers\": {\n        \"docs\": { \"command\": \"npx\", \"args\": [\"-y\"] } // keep\n    }\n}".to_owned(),
    }
}
