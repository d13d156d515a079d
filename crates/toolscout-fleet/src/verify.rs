//! Verifies the audit logs of all replicas, the chain of decisions, and the links over them.
//!
//! The database holds no key. A user who can write it can remove lines, but can neither seal new
//! ones nor remove a line unnoticed that a link, or a replica, has named.

use crate::audit::LINKS;
use crate::decisions::{self, number, position};
use crate::link::LONG_LIMIT;
use crate::row::sha256;
use crate::{FleetError, FleetStore};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Row};
use toolscout_core::Namespace;
use toolscout_store::journal::{ChainCheck, ChainHash, ChainKey, ChainPosition};

/// Lines that are read at once.
const BATCH: i64 = 2_000;
/// Maximum number of reported breaks.
const MAX_BREAKS: usize = 100;
/// Where a replica remembers the last link that it has seen, in its own store.
const SEEN_LINK: (Namespace, &str) = (Namespace::Scan, "fleet-link");

/// The result of verifying the audit logs of a fleet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FleetVerification {
    /// Number of lines of all chains.
    pub records: u64,
    /// Number of replicas' chains.
    pub chains: u64,
    /// Places where a chain is broken; the first hundred.
    pub breaks: Vec<FleetBreak>,
}

/// A place where a chain is broken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FleetBreak {
    /// The number of the record there.
    pub n: u64,
    /// The chain: the name of a replica, `decisions` or `links`.
    pub chain: String,
    /// What is wrong.
    pub reason: String,
}

/// The last link that a replica has seen.
#[derive(Serialize, Deserialize)]
struct SeenLink {
    fleet: String,
    n: u64,
    hash: String,
}

/// The body of a link.
#[derive(Deserialize)]
struct LinkBody {
    chains: BTreeMap<String, (u64, String)>,
    decisions: (u64, String),
}

impl FleetStore {
    /// Verifies all chains in the database.
    pub fn verify_audit(&self) -> Result<FleetVerification, FleetError> {
        let key = self.chain_key()?;
        let seen = self.seen_link();
        let (verification, last) = self.link.call_within(LONG_LIMIT, async move |client| {
            let mut verifier =
                FleetVerifier { client: &client, key, found: FleetVerification::default() };
            let last = verifier.run(seen).await?;
            Ok((verifier.found, last))
        })?;
        if verification.breaks.is_empty() {
            self.remember_link(last)?;
        }
        Ok(verification)
    }

    /// Remembers the end of the links, so that they cannot be cut off behind this replica's back.
    pub fn remember_last_link(&self) -> Result<(), FleetError> {
        let last = self.link.call(async move |client| decisions::head(&client, LINKS).await)?;
        self.remember_link(last)
    }

    fn seen_link(&self) -> Option<ChainPosition> {
        let bytes = self.local().read(SEEN_LINK.0, SEEN_LINK.1).ok().flatten()?;
        let seen: SeenLink = serde_json::from_slice(&bytes).ok()?;
        let hash = ChainHash::read(&seen.hash)?;
        (seen.fleet == self.fleet_id()).then_some(ChainPosition { n: seen.n, hash })
    }

    fn remember_link(&self, last: ChainPosition) -> Result<(), FleetError> {
        // An earlier position proves less.
        if self.seen_link().is_some_and(|seen| seen.n >= last.n) {
            return Ok(());
        }
        let seen = SeenLink { fleet: self.fleet_id(), n: last.n, hash: last.hash.to_string() };
        let bytes = serde_json::to_vec(&seen).unwrap_or_default();
        Ok(self.local().write(SEEN_LINK.0, SEEN_LINK.1, &bytes)?)
    }
}

struct FleetVerifier<'a> {
    client: &'a Client,
    key: ChainKey,
    found: FleetVerification,
}

impl FleetVerifier<'_> {
    /// Returns the end of the links.
    async fn run(
        &mut self,
        seen: Option<ChainPosition>,
    ) -> Result<ChainPosition, tokio_postgres::Error> {
        // Links first: chains grow while they are read, and a link names only what is there.
        let (links, last) = self.links(seen).await?;
        let names = self.chains().await?;
        self.decisions().await?;
        self.rows().await?;
        for (chain, (n, hash)) in links {
            let is_decisions = chain == decisions::CHAIN;
            let statement = if is_decisions {
                "SELECT line FROM toolscout.decision WHERE $1 = $1 AND n = $2"
            } else {
                "SELECT line FROM toolscout.journal WHERE chain = $1 AND n = $2"
            };
            if !self.is_at(statement, &chain, n, &hash).await? {
                let name = if is_decisions { "decisions" } else { &chain };
                let name = names.get(&chain).map_or(name, String::as_str);
                let reason = "a link names this record, and it is missing or another one";
                self.break_at(name, n, reason);
            }
        }
        Ok(last)
    }

    /// Whether this line exists with this hash.
    async fn is_at(
        &self,
        statement: &str,
        chain: &str,
        n: u64,
        hash: &str,
    ) -> Result<bool, tokio_postgres::Error> {
        if n == 0 {
            return Ok(true);
        }
        let parameters: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 2] =
            [(&chain, Type::TEXT), (&number(n), Type::INT8)];
        let row = self.client.query_typed_opt(statement, &parameters).await?;
        let mut check = ChainCheck::after(&self.key, None);
        let line = row.and_then(|row| check.line(row.get(0)).ok());
        Ok(line.is_some_and(|line| line.position.hash.to_string() == hash))
    }

    fn break_at(&mut self, chain: &str, n: u64, reason: impl Into<String>) {
        if self.found.breaks.len() < MAX_BREAKS {
            let (chain, reason) = (chain.to_owned(), reason.into());
            self.found.breaks.push(FleetBreak { n, chain, reason });
        }
    }

    /// Checks the lines of a chain. The statement selects numbers and lines after `$2`, in order.
    async fn chain(
        &mut self,
        name: &str,
        statement: &str,
        id: &str,
        mut visit: impl FnMut(&Row),
    ) -> Result<ChainPosition, tokio_postgres::Error> {
        let mut check = ChainCheck::after(&self.key, Some(ChainPosition::START));
        let mut after = 0_i64;
        loop {
            let rows = self
                .client
                .query_typed(
                    statement,
                    &[(&id, Type::TEXT), (&after, Type::INT8), (&BATCH, Type::INT8)],
                )
                .await?;
            let Some(last) = rows.last() else { break };
            after = last.get(0);
            for row in &rows {
                if let Err(reason) = check.line(row.get(1)) {
                    self.break_at(name, position(row.get(0), "").n, reason);
                }
                visit(row);
            }
        }
        self.found.records += check.records;
        Ok(check.last.unwrap_or(ChainPosition::START))
    }

    /// Compares the end of a chain with its head.
    fn end(&mut self, name: &str, last: ChainPosition, head: ChainPosition) {
        if last.n < head.n {
            self.break_at(
                name,
                last.n + 1,
                format!("records {} to {} are missing", last.n + 1, head.n),
            );
        }
    }

    /// The positions that the links name last, by chain, and the end of the links.
    async fn links(
        &mut self,
        seen: Option<ChainPosition>,
    ) -> Result<(HashMap<String, (u64, String)>, ChainPosition), tokio_postgres::Error> {
        let mut named: HashMap<String, (u64, String)> = HashMap::new();
        let mut is_seen = seen.is_none_or(|seen| seen.n == 0);
        let statement = "SELECT n, line FROM toolscout.link
            WHERE $1 = '' AND n > $2 ORDER BY n LIMIT $3";
        let last = self
            .chain("links", statement, "", |row| {
                let line: &str = row.get(1);
                let n = position(row.get(0), "").n;
                if let Some(seen) = seen.filter(|seen| seen.n == n) {
                    is_seen |= line.contains(&format!(r#""hash":"{}""#, seen.hash));
                }
                if let Ok(body) = serde_json::from_str::<LinkBody>(line) {
                    named.extend(body.chains);
                    named.insert(decisions::CHAIN.to_owned(), body.decisions);
                }
            })
            .await?;
        if let Some(seen) = seen.filter(|_| !is_seen) {
            self.break_at(
                "links",
                seen.n,
                "this replica has seen a link that is missing or another one",
            );
        }
        Ok((named, last))
    }

    /// Checks the journals; returns the names of the replicas.
    async fn chains(&mut self) -> Result<HashMap<String, String>, tokio_postgres::Error> {
        let rows = self
            .client
            .query_typed("SELECT id, name, n, hash FROM toolscout.chain ORDER BY name, id", &[])
            .await?;
        let mut names = HashMap::new();
        for row in rows {
            let (id, name): (String, String) = (row.get(0), row.get(1));
            let head = position(row.get(2), row.get(3));
            let statement = "SELECT n, line FROM toolscout.journal
                WHERE chain = $1 AND n > $2 ORDER BY n LIMIT $3";
            let last = self.chain(&name, statement, &id, |_| ()).await?;
            self.end(&name, last, head);
            self.found.chains += 1;
            names.insert(id, name);
        }
        Ok(names)
    }

    async fn decisions(&mut self) -> Result<(), tokio_postgres::Error> {
        let head = decisions::head(self.client, decisions::CHAIN).await?;
        let statement = "SELECT n, line FROM toolscout.decision
            WHERE $1 = '' AND n > $2 ORDER BY n LIMIT $3";
        let last = self.chain("decisions", statement, "", |_| ()).await?;
        self.end("decisions", last, head);
        Ok(())
    }

    /// Every row that decides something must be the one of its last decision: an old row, put back,
    /// has a valid seal.
    async fn rows(&mut self) -> Result<(), tokio_postgres::Error> {
        let rows = self
            .client
            .query_typed(
                "SELECT d.n, d.namespace, d.key, r.value, d.line
                 FROM (SELECT DISTINCT ON (namespace, key) * FROM toolscout.decision
                       ORDER BY namespace, key, n DESC) d
                 LEFT JOIN toolscout.record r ON r.namespace = d.namespace AND r.key = d.key",
                &[],
            )
            .await?;
        for row in rows {
            let (value, line): (Option<Vec<u8>>, &str) = (row.get(3), row.get(4));
            let value = value.map(|value| decisions::hex(&sha256(&value)));
            let decided = match &value {
                Some(value) => format!(r#""value":"{value}""#),
                None => r#""value":null"#.to_owned(),
            };
            // The sealed line counts, not the columns beside it.
            if !line.contains(&decided) {
                let (namespace, key): (&str, &str) = (row.get(1), row.get(2));
                let reason = format!("the row `{namespace}/{key}` is not the one that was decided");
                self.break_at("decisions", position(row.get(0), "").n, reason);
            }
        }
        Ok(())
    }
}
