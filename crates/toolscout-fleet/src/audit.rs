//! The audit logs of all replicas: shipped to the database, linked, and read from there.

use crate::decisions::{self, number, position};
use crate::{FleetError, FleetStore};
use serde_json::{Map, json};
use std::io;
use std::sync::atomic::Ordering;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};
use toolscout_core::{Moment, Store};
use toolscout_store::journal::{ChainKey, ChainPosition, FollowedLine, JournalRecord};

/// The name of the chain of links among the heads.
pub(crate) const LINKS: &str = "link";
/// Chains that one link names at most; a line has a maximum length.
const MAX_LINKED: i64 = 120;

/// A shipped line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShippedLine {
    /// The order of arrival among the lines of all replicas.
    pub arrival: u64,
    /// The name of the replica.
    pub replica: String,
    /// The line, a JSON object.
    pub text: String,
}

/// Selects shipped lines.
#[derive(Debug, Clone, Default)]
pub struct ShippedQuery {
    /// Only lines that arrived before this one.
    pub before: Option<u64>,
    /// Only these kinds; all kinds if empty.
    pub kinds: Vec<String>,
    /// Only events that started then or later.
    pub since: Option<Moment>,
}

/// The result of shipping lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shipment {
    /// The lines are in the database.
    Stored,
    /// The database has other lines of the same chain and number. Nothing was stored.
    Conflict,
}

impl FleetStore {
    /// The name of this replica.
    pub fn replica_name(&self) -> &str {
        &self.name
    }

    /// The number of the last line of a chain that the database has; 0 without one.
    pub fn shipped(&self, chain: &str) -> Result<u64, FleetError> {
        let chain = chain.to_owned();
        let row = self.link.call(async move |client| {
            let statement = "SELECT n FROM toolscout.chain WHERE id = $1";
            client.query_typed_opt(statement, &[(&chain, Type::TEXT)]).await
        })?;
        let shipped = row.map_or(0, |row| position(row.get(0), "").n);
        self.shipped_position.store(shipped, Ordering::Relaxed);
        Ok(shipped)
    }

    /// Stores the next lines of the chain of this replica. Lines that the database has are skipped.
    pub fn ship(&self, chain: &str, lines: &[FollowedLine]) -> Result<Shipment, FleetError> {
        let Some(last) = lines.last() else { return Ok(Shipment::Stored) };
        let (chain, name, hash) =
            (chain.to_owned(), self.name.clone(), last.position.hash.to_string());
        let ns: Vec<i64> = lines.iter().map(|line| number(line.position.n)).collect();
        let column = |text: fn(&FollowedLine) -> &String| -> Vec<String> {
            lines.iter().map(|line| text(line).clone()).collect()
        };
        let [ats, kinds, texts] =
            [column(|line| &line.at), column(|line| &line.kind), column(|line| &line.text)];
        let row = self.link.call(async move |client| {
            client
                .query_typed_one(
                    "SELECT toolscout.ship($1, $2, $3, $4, $5, $6, $7)",
                    &[
                        (&chain, Type::TEXT),
                        (&name, Type::TEXT),
                        (&ns, Type::INT8_ARRAY),
                        (&ats, Type::TEXT_ARRAY),
                        (&kinds, Type::TEXT_ARRAY),
                        (&texts, Type::TEXT_ARRAY),
                        (&hash, Type::TEXT),
                    ],
                )
                .await
        })?;
        if !row.get::<_, bool>(0) {
            return Ok(Shipment::Conflict);
        }
        self.shipped_position.store(last.position.n, Ordering::Relaxed);
        Ok(Shipment::Stored)
    }

    /// Writes a link over the chains that have grown since the last one; returns whether one was
    /// needed. Two replicas may try at the same time: one of them succeeds.
    pub fn link_chains(&self) -> Result<bool, FleetError> {
        let key = self.chain_key()?;
        self.link.call(async move |client| link_chains(&client, &key).await)
    }

    /// The newest lines of all replicas, latest arrival first, at most `limit`.
    pub fn shipped_lines(
        &self,
        query: &ShippedQuery,
        limit: usize,
    ) -> Result<Vec<ShippedLine>, FleetError> {
        let before = query.before.map(number);
        let since = query.since.map(|since| since.to_string());
        let (kinds, limit) = (query.kinds.clone(), i64::try_from(limit).unwrap_or(i64::MAX));
        let rows = self.link.call(async move |client| {
            client
                .query_typed(
                    "SELECT j.arrival, c.name, j.line
                     FROM toolscout.journal j JOIN toolscout.chain c ON c.id = j.chain
                     WHERE ($1::bigint IS NULL OR j.arrival < $1)
                       AND (cardinality($2::text[]) = 0 OR j.kind = ANY ($2))
                       AND ($3::text IS NULL OR j.at >= $3::timestamptz)
                     ORDER BY j.arrival DESC LIMIT $4",
                    &[
                        (&before, Type::INT8),
                        (&kinds, Type::TEXT_ARRAY),
                        (&since, Type::TEXT),
                        (&limit, Type::INT8),
                    ],
                )
                .await
        })?;
        Ok(rows.iter().map(shipped_line).collect())
    }

    /// The key of all chains of the fleet.
    pub(crate) fn chain_key(&self) -> Result<ChainKey, FleetError> {
        ChainKey::of(self).map_err(|error: io::Error| FleetError::Copy(error.to_string()))
    }

    /// The store of this machine alone.
    pub(crate) fn local(&self) -> &dyn Store {
        &*self.local
    }
}

fn shipped_line(row: &Row) -> ShippedLine {
    let arrival = u64::try_from(row.get::<_, i64>(0)).unwrap_or_default();
    ShippedLine { arrival, replica: row.get(1), text: row.get(2) }
}

async fn link_chains(client: &Client, key: &ChainKey) -> Result<bool, tokio_postgres::Error> {
    let grown = client
        .query_typed(
            "SELECT id, n, hash FROM toolscout.chain WHERE n > linked ORDER BY id LIMIT $1",
            &[(&MAX_LINKED, Type::INT8)],
        )
        .await?;
    let decided = client
        .query_typed_one("SELECT n, hash, linked FROM toolscout.head WHERE chain = 'decision'", &[])
        .await?;
    let is_decided = decided.get::<_, i64>(0) > decided.get::<_, i64>(2);
    if grown.is_empty() && !is_decided {
        return Ok(false);
    }
    let after = decisions::head(client, LINKS).await?;
    let mut heads = Map::new();
    for row in &grown {
        let (id, n, hash): (String, i64, &str) = (row.get(0), row.get(1), row.get(2));
        heads.insert(id, json!([n, hash]));
    }
    let (n, hash): (i64, &str) = (decided.get(0), decided.get(1));
    let body = json!({"chains": heads, "decisions": [n, hash]}).to_string();
    let record = JournalRecord { at: Moment::now(), kind: "link", body };
    let (line, position) = key.seal(after, &record);
    let chains: Vec<String> = grown.iter().map(|row| row.get(0)).collect();
    let ns: Vec<i64> = grown.iter().map(|row| row.get(1)).collect();
    add_link(client, after, &line, position, &chains, &ns, n).await
}

async fn add_link(
    client: &Client,
    after: ChainPosition,
    line: &str,
    position: ChainPosition,
    chains: &[String],
    ns: &[i64],
    decisions: i64,
) -> Result<bool, tokio_postgres::Error> {
    let row = client
        .query_typed_one(
            "SELECT toolscout.add_link($1, $2, $3, $4, $5, $6, $7)",
            &[
                (&number(after.n), Type::INT8),
                (&after.hash.to_string(), Type::TEXT),
                (&line, Type::TEXT),
                (&position.hash.to_string(), Type::TEXT),
                (&chains, Type::TEXT_ARRAY),
                (&ns, Type::INT8_ARRAY),
                (&decisions, Type::INT8),
            ],
        )
        .await?;
    Ok(row.get(0))
}
