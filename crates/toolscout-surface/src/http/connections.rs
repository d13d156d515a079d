//! The open connections. A connection that has not sent an authenticated request yet makes room
//! for a new one when the limit is reached.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::Notify;

/// The connections that may be evicted.
#[derive(Debug, Default)]
pub(crate) struct Connections(Mutex<ConnectionTable>);

#[derive(Debug, Default)]
struct ConnectionTable {
    next: u64,
    /// By number; a lower one is older.
    evictable: HashMap<u64, EvictableConnection>,
    /// The number of evictable connections per address. An address without any has no entry.
    by_address: HashMap<IpAddr, usize>,
}

#[derive(Debug)]
struct EvictableConnection {
    address: IpAddr,
    evict: Arc<Notify>,
}

/// One open connection.
#[derive(Debug)]
pub(crate) struct OpenConnection {
    connections: Arc<Connections>,
    number: u64,
    evicted: Arc<Notify>,
}

impl Connections {
    /// Adds a connection, which may be evicted until [`OpenConnection::keep`] is called.
    pub(crate) fn add(self: &Arc<Self>, address: IpAddr) -> OpenConnection {
        let evicted = Arc::<Notify>::default();
        let evict = evicted.clone();
        let mut table = self.0.lock();
        let number = table.next;
        table.next += 1;
        table.evictable.insert(number, EvictableConnection { address, evict });
        *table.by_address.entry(address).or_default() += 1;
        OpenConnection { connections: self.clone(), number, evicted }
    }

    pub(crate) fn has_evictable(&self) -> bool {
        !self.0.lock().evictable.is_empty()
    }

    /// Ends the oldest evictable connection of the address that has the most of them.
    pub(crate) fn evict(&self) {
        let mut table = self.0.lock();
        let count = |address| table.by_address.get(address).copied().unwrap_or(0);
        let oldest = table
            .evictable
            .iter()
            .max_by_key(|(number, it)| (count(&it.address), u64::MAX - **number));
        let Some(number) = oldest.map(|(number, _)| *number) else { return };
        if let Some(connection) = table.remove(number) {
            drop(table);
            connection.evict.notify_one();
        }
    }
}

impl ConnectionTable {
    fn remove(&mut self, number: u64) -> Option<EvictableConnection> {
        let connection = self.evictable.remove(&number)?;
        if let Some(count) = self.by_address.get_mut(&connection.address) {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&connection.address);
            }
        }
        Some(connection)
    }
}

impl OpenConnection {
    /// Keeps the connection open from now on, because its client is authenticated.
    pub(crate) fn keep(&self) {
        self.connections.0.lock().remove(self.number);
    }

    /// Waits until the connection is evicted.
    pub(crate) async fn evicted(&self) {
        self.evicted.notified().await;
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.keep();
    }
}
