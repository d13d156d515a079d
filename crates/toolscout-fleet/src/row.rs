//! Changes of one row in the database.

use ring::digest::{SHA256, digest};
use tokio_postgres::Client;
use tokio_postgres::types::Type;
use toolscout_core::Namespace;

/// A compare-and-swap of a sealed row.
#[derive(Debug, Clone)]
pub(crate) struct RowSwap {
    pub(crate) namespace: Namespace,
    pub(crate) key: String,
    pub(crate) is_any: bool,
    /// SHA-256 of the expected value.
    pub(crate) expected: Option<Vec<u8>>,
    pub(crate) next: Option<Vec<u8>>,
}

pub(crate) struct SwapOutcome {
    pub(crate) swapped: bool,
    pub(crate) existed: bool,
}

impl RowSwap {
    pub(crate) async fn run(&self, client: &Client) -> Result<SwapOutcome, tokio_postgres::Error> {
        let row = client
            .query_typed_one(
                "SELECT swapped, existed FROM toolscout.swap_record($1, $2, $3, $4, $5)",
                &[
                    (&self.namespace.as_str(), Type::TEXT),
                    (&self.key, Type::TEXT),
                    (&self.is_any, Type::BOOL),
                    (&self.expected, Type::BYTEA),
                    (&self.next, Type::BYTEA),
                ],
            )
            .await?;
        Ok(SwapOutcome { swapped: row.get(0), existed: row.get(1) })
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> Vec<u8> {
    digest(&SHA256, bytes).as_ref().to_vec()
}
