//! Reads all servers from the files of clients, without deciding anything.

use super::document;
use super::fields::ClientFields;
use super::references::TextContext;
use super::{ClientFile, ClientFolders, ClientFormat, KeyPath, guess};
use crate::{ConfigScope, ServerEntry};
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
    /// Whether the file is for all projects of the user, or for one project.
    pub scope: ConfigScope,
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
    pub fn read_clients(
        clients: impl IntoIterator<Item = &'static ClientFormat>,
        folders: &ClientFolders,
    ) -> Self {
        let mut scan = Self::default();
        for client in clients {
            for file in client.files(folders) {
                scan.add_file(client, file, folders);
            }
        }
        scan
    }

    /// Reads one file of any client.
    pub fn read_file(
        path: &Path,
        scope: ConfigScope,
        folders: &ClientFolders,
    ) -> Result<Self, String> {
        let text = document::read(path)?.ok_or("the file does not exist")?;
        let document = document::parse(path, &text)?;
        let client = guess::guess_client(path, &document).ok_or("it has no MCP servers table")?;
        let file = ScannedFile::read(client, path, scope, document, folders);
        Ok(Self { files: vec![file], missing: Vec::new() })
    }

    fn add_file(
        &mut self,
        client: &'static ClientFormat,
        file: ClientFile,
        folders: &ClientFolders,
    ) {
        let ClientFile { path, is_native, scope } = file;
        let scanned = |content| ScannedFile { client, path: path.clone(), scope, content };
        self.files.push(match document::read(&path) {
            Ok(None) => return self.missing.push(path),
            Ok(Some(_)) if is_native => scanned(ScannedContent::Native),
            Ok(Some(text)) => match document::parse(&path, &text) {
                Ok(document) => ScannedFile::read(client, &path, scope, document, folders),
                Err(reason) => scanned(ScannedContent::Broken(reason)),
            },
            Err(reason) => scanned(ScannedContent::Broken(reason)),
        });
    }
}

impl ScannedFile {
    /// A file whose servers are already read.
    pub fn with_servers(
        client: &'static ClientFormat,
        path: PathBuf,
        scope: ConfigScope,
        servers: Vec<ScannedServer>,
    ) -> Self {
        Self { client, path, scope, content: ScannedContent::Servers(servers) }
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
        scope: ConfigScope,
        document: Value,
        folders: &ClientFolders,
    ) -> Self {
        let context = TextContext {
            syntax: client.syntax,
            folder: path.parent().unwrap_or(path),
            home: folders.home.as_deref(),
            project: &folders.project,
        };
        let mut servers = Vec::new();
        for section in client.sections(&document, folders) {
            for (name, entry) in document::table(&document, &section).into_iter().flatten() {
                servers.push(ScannedServer::read(client, name, &section, entry.clone(), context));
            }
        }
        Self::with_servers(client, path.to_owned(), scope, servers)
    }
}

impl ScannedServer {
    fn read(
        client: &ClientFormat,
        name: &str,
        section: &KeyPath,
        entry: Value,
        context: TextContext<'_>,
    ) -> Self {
        let (entry, notes) = match ClientFields::new(entry, context) {
            Ok(mut fields) => (client.entry(&mut fields), fields.into_notes()),
            Err(reason) => (Err(reason), Vec::new()),
        };
        // The notes of a server that is not imported are not relevant.
        let notes = if entry.is_ok() { notes } else { Vec::new() };
        Self { name: name.to_owned(), section: section.clone(), entry, notes }
    }
}
