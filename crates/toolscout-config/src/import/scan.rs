//! Reads all servers from the files of clients, without deciding anything.

use super::document;
use super::fields::ClientFields;
use super::references::TextContext;
use super::{ClientFile, ClientFolders, ClientFormat, KeyPath, guess};
use crate::ServerEntry;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The files of a scan.
#[derive(Default)]
pub struct ClientScan {
    /// Existing files.
    pub files: Vec<ScannedFile>,
    /// Paths that do not exist.
    pub missing: Vec<PathBuf>,
}

/// An existing file of a client.
pub struct ScannedFile {
    pub client: &'static ClientFormat,
    pub path: PathBuf,
    pub content: ScannedContent,
}

/// The content of a client's file.
pub enum ScannedContent {
    /// toolscout reads the file in place.
    Native,
    /// The file cannot be read.
    Broken(String),
    Servers(Vec<ScannedServer>),
}

/// A server in a file of another program.
pub struct ScannedServer {
    /// Its name in that file.
    pub name: String,
    /// The keys of its table in the document.
    pub section: KeyPath,
    /// The entry in our form, or the reason why it cannot be converted.
    pub entry: Result<ServerEntry, String>,
    /// Remarks for the user.
    pub notes: Vec<String>,
}

impl ClientScan {
    /// Reads all files of these clients.
    pub fn at(
        clients: impl IntoIterator<Item = &'static ClientFormat>,
        homes: &ClientFolders,
    ) -> Self {
        let mut looking = Self::default();
        for client in clients {
            for file in client.files(homes) {
                looking.look(client, file, homes);
            }
        }
        looking
    }

    /// Reads one file of any client.
    pub fn at_file(path: &Path, homes: &ClientFolders) -> Result<Self, String> {
        let text = document::read(path)?.ok_or("there is no such file")?;
        let document = document::parse(path, &text)?;
        let client = guess::client(path, &document).ok_or("it has no table of MCP servers")?;
        let file = ScannedFile::read(client, path, document, homes);
        Ok(Self { files: vec![file], missing: Vec::new() })
    }

    fn look(&mut self, client: &'static ClientFormat, file: ClientFile, homes: &ClientFolders) {
        let ClientFile { path, is_native, .. } = file;
        let found = |content| ScannedFile { client, path: path.clone(), content };
        self.files.push(match document::read(&path) {
            Ok(None) => return self.missing.push(path),
            Ok(Some(_)) if is_native => found(ScannedContent::Native),
            Ok(Some(text)) => match document::parse(&path, &text) {
                Ok(document) => ScannedFile::read(client, &path, document, homes),
                Err(reason) => found(ScannedContent::Broken(reason)),
            },
            Err(reason) => found(ScannedContent::Broken(reason)),
        });
    }
}

impl ScannedFile {
    /// A file whose servers are already read.
    pub fn of(client: &'static ClientFormat, path: PathBuf, servers: Vec<ScannedServer>) -> Self {
        Self { client, path, content: ScannedContent::Servers(servers) }
    }

    /// The servers in it; empty if it was not read.
    pub fn into_servers(self) -> Vec<ScannedServer> {
        match self.content {
            ScannedContent::Servers(servers) => servers,
            ScannedContent::Native | ScannedContent::Broken(_) => Vec::new(),
        }
    }

    /// Reads every server of the document.
    pub fn read(
        client: &'static ClientFormat,
        path: &Path,
        document: Value,
        homes: &ClientFolders,
    ) -> Self {
        let place = TextContext {
            syntax: client.syntax,
            folder: path.parent().unwrap_or(path),
            home: homes.home.as_deref(),
            project: &homes.project,
        };
        let mut servers = Vec::new();
        for section in client.sections(&document, homes) {
            for (name, entry) in document::table(&document, &section).into_iter().flatten() {
                servers.push(ScannedServer::read(client, name, &section, entry.clone(), place));
            }
        }
        Self::of(client, path.to_owned(), servers)
    }
}

impl ScannedServer {
    fn read(
        client: &ClientFormat,
        name: &str,
        section: &KeyPath,
        entry: Value,
        place: TextContext<'_>,
    ) -> Self {
        let (entry, notes) = match ClientFields::new(entry, place) {
            Ok(mut fields) => (client.entry(&mut fields), fields.into_notes()),
            Err(reason) => (Err(reason), Vec::new()),
        };
        // The notes of a server that is not imported are not relevant.
        let notes = if entry.is_ok() { notes } else { Vec::new() };
        Self { name: name.to_owned(), section: section.clone(), entry, notes }
    }
}
