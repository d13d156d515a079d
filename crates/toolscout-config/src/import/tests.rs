//! The files of every client become our entries; a preview never contains a secret.

mod clients;
mod planning;
mod references;

use super::scan::ScannedContent;
use super::{ClientFolders, ClientScan};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The home folder of a user, and a project in it.
struct World {
    dir: TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self { dir: tempfile::tempdir().expect("a temporary folder") };
        world.file("project/package.json", "{}")
    }

    /// Writes a file, relative to the home folder.
    fn file(self, path: &str, text: &str) -> Self {
        let file = self.path(path);
        fs::create_dir_all(file.parent().expect("a folder")).expect("make folders");
        fs::write(file, text).expect("write a file");
        self
    }

    fn home(&self) -> PathBuf {
        self.dir.path().canonicalize().expect("its real path")
    }

    fn path(&self, path: &str) -> PathBuf {
        self.home().join(path)
    }

    fn folders(&self) -> ClientFolders {
        self.folders_with(&[("HOME", &self.home().display().to_string())])
    }

    fn folders_with(&self, variables: &[(&str, &str)]) -> ClientFolders {
        let variable = |name: &str| {
            variables
                .iter()
                .find(|(variable, _)| *variable == name)
                .map(|(_, item)| (*item).to_owned())
        };
        ClientFolders::new(&variable, &self.path("project"), &self.path("project"))
    }

    /// The entries and notes read from the files of this client, as text. Paths below the home
    /// folder start with `~`.
    fn entries(&self, client: &str) -> String {
        let client = super::find_client(client).expect("a client of this name");
        let text = render(ClientScan::read_clients([client], &self.folders()));
        text.replace(&self.home().display().to_string(), "~")
    }
}

fn render(scan: ClientScan) -> String {
    let mut text = String::new();
    for file in scan.files {
        let servers = match file.content {
            ScannedContent::Servers(servers) => servers,
            ScannedContent::Native => {
                text += &format!("{}: native\n", name(&file.path));
                continue;
            }
            ScannedContent::Broken(reason) => {
                text += &format!("{}: broken: {reason}\n", name(&file.path));
                continue;
            }
        };
        for server in servers {
            text += &format!("[{}]\n", server.name);
            text += &match &server.entry {
                Ok(entry) => toml::to_string(entry).expect("an entry"),
                Err(reason) => format!("! {reason}\n"),
            };
            text.extend(server.notes.iter().map(|note| format!("# {note}\n")));
        }
    }
    text
}

fn name(path: &Path) -> String {
    path.file_name().expect("a name").to_string_lossy().into_owned()
}
