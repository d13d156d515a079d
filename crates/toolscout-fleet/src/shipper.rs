//! Sends the audit log of this machine to the database, as it grows.

use crate::key::random;
use crate::{FleetError, FleetStore, Shipment};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toolscout_store::journal::{self, JournalFollower};

/// Lines that are sent at once.
const BATCH: usize = 500;
/// The file with the id of the chain, beside the lines.
const ID_FILE: &str = "chain";

/// Sends the journal in a state folder. Several processes may: a line that is there is skipped.
pub struct AuditShipper {
    fleet: Arc<FleetStore>,
    state: PathBuf,
    /// The id of the chain, and the journal from the first line that the database lacks.
    position: Option<(String, JournalFollower)>,
}

impl AuditShipper {
    /// Ships the journal in this state folder; reads nothing yet.
    pub fn new(fleet: Arc<FleetStore>, state: &Path) -> Self {
        Self { fleet, state: state.to_owned(), position: None }
    }

    /// Sends all lines that the database lacks; returns their number. After an error, the next call
    /// continues where the database is.
    pub fn ship(&mut self) -> Result<usize, FleetError> {
        let result = self.ship_all();
        if result.is_err() {
            self.position = None;
        }
        result
    }

    fn ship_all(&mut self) -> Result<usize, FleetError> {
        let mut count = 0;
        loop {
            let (chain, follower) = match &mut self.position {
                Some(position) => position,
                None => {
                    let position = self.start()?;
                    self.position.insert(position)
                }
            };
            let lines = follower.read(&*self.fleet, BATCH).map_err(failed)?;
            if lines.is_empty() {
                return Ok(count);
            }
            match self.fleet.ship(chain, &lines)? {
                Shipment::Stored => count += lines.len(),
                Shipment::Conflict => {
                    self.start_chain()?;
                    self.position = None;
                }
            }
        }
    }

    /// Finds the first line to send. The last line that the database has is sent again, so that
    /// another journal is recognized.
    fn start(&self) -> Result<(String, JournalFollower), FleetError> {
        let chain = chain_id(&self.state).map_err(failed)?;
        let shipped = self.fleet.shipped(&chain)?;
        let follower = JournalFollower::new(&self.state, shipped.saturating_sub(1));
        if follower.last(&*self.fleet).map_err(failed)? < shipped {
            return Ok((self.start_chain()?, JournalFollower::new(&self.state, 0)));
        }
        Ok((chain, follower))
    }

    /// The journal was deleted, or restored from a backup: it is another chain now. The one that
    /// the database has stays there, and stays valid.
    fn start_chain(&self) -> Result<String, FleetError> {
        tracing::warn!(event = "fleet_audit_chain_replaced", state = %self.state.display());
        new_chain_id(&self.state).map_err(failed)
    }
}

/// The id of the chain in this state folder, created once.
fn chain_id(state: &Path) -> io::Result<String> {
    match fs::read_to_string(journal::dir(state).join(ID_FILE)) {
        Ok(id) if id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()) => Ok(id),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => new_chain_id(state),
    }
}

fn new_chain_id(state: &Path) -> io::Result<String> {
    let random: [u8; 16] = random().map_err(io::Error::other)?;
    let id = random.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let folder = journal::dir(state);
    fs::create_dir_all(&folder)?;
    // Renamed into place, so that another process never reads a part of it.
    let unnamed = folder.join(format!("{ID_FILE}.{id}"));
    fs::write(&unnamed, &id)?;
    fs::rename(unnamed, folder.join(ID_FILE))?;
    Ok(id)
}

fn failed(error: io::Error) -> FleetError {
    FleetError::Copy(format!("cannot read the audit log: {error}"))
}
