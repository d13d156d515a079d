//! The chain of decisions: a line for each change of a row that decides something, in the
//! transaction of the change.

use crate::FleetError;
use crate::link::Link;
use crate::row::{RowSwap, SwapOutcome, sha256};
use parking_lot::Mutex;
use serde_json::json;
use tokio_postgres::Client;
use tokio_postgres::types::Type;
use toolscout_core::{Moment, Namespace, RowNote};
use toolscout_store::journal::{ChainHash, ChainKey, ChainPosition, JournalRecord};

/// The name of the chain among the heads.
pub(crate) const CHAIN: &str = "decision";
/// How often a line is sealed again, because other replicas decided as well.
const ATTEMPTS: usize = 64;

/// Whether the rows decide what may run.
pub(crate) fn is_decision(namespace: Namespace) -> bool {
    matches!(namespace, Namespace::Approval | Namespace::Pending | Namespace::AccessToken)
}

/// The end of the chain, as this process last saw it.
pub(crate) struct DecisionHead(Mutex<ChainPosition>);

impl Default for DecisionHead {
    fn default() -> Self {
        Self(Mutex::new(ChainPosition::START))
    }
}

impl DecisionHead {
    /// Swaps the row, and appends the line of the change.
    pub(crate) fn swap(
        &self,
        link: &Link,
        key: &ChainKey,
        replica: &str,
        swap: RowSwap,
        note: Option<&RowNote<'_>>,
    ) -> Result<SwapOutcome, FleetError> {
        let record = record(&swap, replica, note);
        for _ in 0..ATTEMPTS {
            let after = *self.0.lock();
            let (line, position) = key.seal(after, &record);
            let (swap, hash) = (swap.clone(), position.hash.to_string());
            let attempt = link.call(async move |client| {
                let decided = decide(&client, &swap, after, &line, &hash).await?;
                let head = if decided.is_none() { Some(head(&client, CHAIN).await?) } else { None };
                Ok((decided, head))
            })?;
            match attempt {
                (Some(outcome), _) => {
                    if outcome.swapped {
                        *self.0.lock() = position;
                    }
                    return Ok(outcome);
                }
                (None, head) => *self.0.lock() = head.unwrap_or(ChainPosition::START),
            }
        }
        Err(FleetError::Refused("too many decisions at the same time".to_owned()))
    }
}

fn record(swap: &RowSwap, replica: &str, note: Option<&RowNote<'_>>) -> JournalRecord {
    let value = swap.next.as_deref().map(|value| hex(&sha256(value)));
    let default = if value.is_some() { "stored" } else { "removed" };
    let body = json!({
        "replica": replica,
        "subjectType": swap.namespace.as_str(),
        "subject": note.map_or(swap.key.as_str(), |note| note.subject),
        "decision": note.map_or(default, |note| note.action),
        "by": note.map_or(replica, |note| note.by),
        "row": swap.key,
        "value": value,
    });
    JournalRecord { at: Moment::now(), kind: "decision", body: body.to_string() }
}

/// None if the chain has another end.
async fn decide(
    client: &Client,
    swap: &RowSwap,
    after: ChainPosition,
    line: &str,
    hash: &str,
) -> Result<Option<SwapOutcome>, tokio_postgres::Error> {
    let row = client
        .query_typed_one(
            "SELECT chained, swapped, existed
             FROM toolscout.decide_record($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            &[
                (&swap.namespace.as_str(), Type::TEXT),
                (&swap.key, Type::TEXT),
                (&swap.is_any, Type::BOOL),
                (&swap.expected, Type::BYTEA),
                (&swap.next, Type::BYTEA),
                (&number(after.n), Type::INT8),
                (&after.hash.to_string(), Type::TEXT),
                (&line, Type::TEXT),
                (&hash, Type::TEXT),
            ],
        )
        .await?;
    let outcome = SwapOutcome { swapped: row.get(1), existed: row.get(2) };
    Ok(row.get::<_, bool>(0).then_some(outcome))
}

/// The end of a chain that all replicas append to.
pub(crate) async fn head(
    client: &Client,
    chain: &str,
) -> Result<ChainPosition, tokio_postgres::Error> {
    let row = client
        .query_typed_one(
            "SELECT n, hash FROM toolscout.head WHERE chain = $1",
            &[(&chain, Type::TEXT)],
        )
        .await?;
    Ok(position(row.get(0), row.get(1)))
}

/// A position in a chain, from its columns.
pub(crate) fn position(n: i64, hash: &str) -> ChainPosition {
    let hash = ChainHash::read(hash).unwrap_or(ChainPosition::START.hash);
    ChainPosition { n: u64::try_from(n).unwrap_or_default(), hash }
}

pub(crate) fn number(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
