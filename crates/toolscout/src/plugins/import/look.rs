//! Looks through the files of clients, and reads every server there; nothing is decided yet.

use super::document;
use super::fields::Fields;
use super::references::Place;
use super::{Client, ClientFile, Homes, Scope, Section, guess};
use crate::config::Entry;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// What there was to see.
#[derive(Default)]
pub(crate) struct Looking {
    /// Files that are there.
    pub(crate) files: Vec<FoundFile>,
    /// Where nothing was.
    pub(crate) missing: Vec<PathBuf>,
}

/// A client's file that is there.
pub(crate) struct FoundFile {
    pub(crate) client: &'static dyn Client,
    pub(crate) path: PathBuf,
    pub(crate) content: Content,
}

/// What a client's file holds.
pub(crate) enum Content {
    /// It is read anyway, whatever it holds.
    Native,
    /// It cannot be read.
    Broken(String),
    Servers(Vec<FoundServer>),
}

/// A server in another program's file.
pub(crate) struct FoundServer {
    /// What it is called there.
    pub(crate) name: String,
    /// Where it is in the document.
    pub(crate) section: Section,
    /// In our form; why not, where that cannot be.
    pub(crate) entry: Result<Entry, String>,
    /// What a person should know about it.
    pub(crate) notes: Vec<String>,
}

impl Looking {
    /// Looks through all files of these clients that are for `scope`, or for anybody.
    pub(crate) fn at(clients: &[&'static dyn Client], homes: &Homes, scope: Option<Scope>) -> Self {
        let mut looking = Self::default();
        for client in clients {
            let files = client.files(homes).into_iter().filter(|it| scope.is_none_or(|scope| it.scope == scope));
            for file in files {
                looking.look(*client, file, homes);
            }
        }
        looking
    }

    /// Looks at one file, whosever it is.
    pub(crate) fn at_file(path: &Path, homes: &Homes) -> Result<Self, String> {
        let text = document::read(path)?.ok_or("there is no such file")?;
        let document = document::parse(path, &text)?;
        let client = guess::client(path, &document).ok_or("it has no table of MCP servers")?;
        let file = FoundFile::read(client, path, document, homes);
        Ok(Self { files: vec![file], missing: Vec::new() })
    }

    fn look(&mut self, client: &'static dyn Client, file: ClientFile, homes: &Homes) {
        let ClientFile { path, is_native, .. } = file;
        let found = |content| FoundFile { client, path: path.clone(), content };
        self.files.push(match document::read(&path) {
            Ok(None) => return self.missing.push(path),
            Ok(Some(_)) if is_native => found(Content::Native),
            Ok(Some(text)) => match document::parse(&path, &text) {
                Ok(document) => FoundFile::read(client, &path, document, homes),
                Err(reason) => found(Content::Broken(reason)),
            },
            Err(reason) => found(Content::Broken(reason)),
        });
    }
}

impl FoundFile {
    /// A file whose servers are known.
    pub(crate) fn of(client: &'static dyn Client, path: PathBuf, servers: Vec<FoundServer>) -> Self {
        Self { client, path, content: Content::Servers(servers) }
    }

    /// The servers in it; none where it is not read.
    pub(crate) fn into_servers(self) -> Vec<FoundServer> {
        match self.content {
            Content::Servers(servers) => servers,
            Content::Native | Content::Broken(_) => Vec::new(),
        }
    }

    /// Reads every server of the document.
    pub(crate) fn read(client: &'static dyn Client, path: &Path, document: Value, homes: &Homes) -> Self {
        let place = Place {
            syntax: client.syntax(),
            folder: path.parent().unwrap_or(path),
            home: homes.home.as_deref(),
            project: &homes.project,
        };
        let mut servers = Vec::new();
        for section in client.sections(&document, homes) {
            for (name, entry) in table(&document, &section).into_iter().flatten() {
                servers.push(FoundServer::read(client, name, &section, entry.clone(), place));
            }
        }
        Self::of(client, path.to_owned(), servers)
    }
}

impl FoundServer {
    fn read(client: &dyn Client, name: &str, section: &Section, entry: Value, place: Place<'_>) -> Self {
        let (entry, notes) = match Fields::new(entry, place) {
            Ok(mut fields) => (client.entry(&mut fields), fields.into_notes()),
            Err(reason) => (Err(reason), Vec::new()),
        };
        // Of what is not taken, its loose ends are no news.
        let notes = if entry.is_ok() { notes } else { Vec::new() };
        Self { name: name.to_owned(), section: section.clone(), entry, notes }
    }
}

/// The table that these keys lead to.
pub(crate) fn table<'a>(document: &'a Value, section: &Section) -> Option<&'a Map<String, Value>> {
    section.iter().try_fold(document, |it, key| it.get(key))?.as_object()
}
