//! Where the login to one server is kept.

use super::private::{FileLock, PrivateFile};
use super::record::{LoginRecord, VERSION};
use reqwest::Url;
use serde::Deserialize;
use std::io;
use std::path::{Path, PathBuf};
use toolscout_core::SourceId;

/// The file with the login to one server. Another address under the same id is another file.
#[derive(Debug, Clone)]
pub(super) struct TokenFile {
    file: PrivateFile,
    server: String,
    url: String,
}

impl TokenFile {
    pub(super) fn of(folder: &Path, id: &SourceId, url: &Url) -> Self {
        let (server, url) = (id.to_string(), url.to_string());
        Self { file: PrivateFile::about(folder, "login", &[&server, &url]), server, url }
    }

    pub(super) fn path(&self) -> PathBuf {
        self.file.path()
    }

    /// The login, if there is one and it is this server's.
    pub(super) fn read(&self) -> io::Result<Option<LoginRecord>> {
        let Some(bytes) = self.file.read()? else { return Ok(None) };
        // Not the words of the parser: they may quote what is in the file.
        let unreadable = |_| io::Error::new(io::ErrorKind::InvalidData, "it is damaged");
        let TokenFileVersion { version } = serde_json::from_slice(&bytes).map_err(unreadable)?;
        if version != VERSION {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "another version of toolscout has written it"));
        }
        let record: LoginRecord = serde_json::from_slice(&bytes).map_err(unreadable)?;
        Ok((record.server == self.server && record.url == self.url).then_some(record))
    }

    pub(super) fn write(&self, record: &LoginRecord, lock: &FileLock) -> io::Result<()> {
        self.file.write(&serde_json::to_vec_pretty(record)?, lock)
    }

    pub(super) fn remove(&self, lock: &FileLock) -> io::Result<bool> {
        self.file.remove(lock)
    }

    pub(super) async fn lock(&self) -> io::Result<FileLock> {
        self.file.lock().await
    }

    pub(super) fn lock_blocking(&self) -> io::Result<FileLock> {
        self.file.lock_blocking()
    }
}

#[derive(Deserialize)]
struct TokenFileVersion {
    version: u32,
}
