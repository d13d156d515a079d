//! The replicas of a fleet: each has a row that it renews, and that expires without it.

use crate::FleetError;
use serde::Serialize;
use std::time::Duration;
use tokio_postgres::Client;
use tokio_postgres::types::{ToSql, Type};

/// How long a row is valid without a heartbeat, in seconds.
pub(crate) const LIFETIME: f64 = 6.0;

/// Who a replica is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplicaIdentity {
    /// A random id of this process.
    pub id: String,
    /// The name that people see: that of the host.
    pub name: String,
    /// Where other replicas reach it.
    pub address: Option<String>,
    /// The version of the program.
    pub version: String,
    /// What the machine offers: `browser`.
    pub labels: Vec<String>,
    /// Whether it serves clients, as opposed to a command that only holds a lease.
    pub serves: bool,
}

/// The state of a replica.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplicaState {
    /// It serves.
    Ready,
    /// It finishes its calls and accepts no new ones.
    Draining,
    /// It has missed its heartbeats.
    Gone,
}

/// One replica, as the database knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplicaStatus {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Where other replicas reach it.
    pub address: Option<String>,
    /// The version of its program.
    pub version: String,
    /// The last heartbeat; RFC 3339.
    pub last_seen: String,
    /// Its state.
    pub state: ReplicaState,
}

/// The replicas of a fleet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FleetStatus {
    /// The id of the fleet.
    pub fleet: String,
    /// The replicas of the last day, latest first.
    pub replicas: Vec<ReplicaStatus>,
}

/// A replica that serves now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveReplica {
    /// Its id.
    pub id: String,
    /// Where other replicas reach it; none if they cannot.
    pub address: Option<String>,
    /// Whether it finishes its calls and accepts no new ones.
    pub is_draining: bool,
    /// What its machine offers: `browser`.
    pub labels: Vec<String>,
}

/// The replicas that serve now, with the time until each one's row expires.
pub(crate) async fn live(client: &Client) -> Result<Vec<(LiveReplica, Duration)>, FleetError> {
    let statement = "
        SELECT id, address, state = 'draining', extract(epoch FROM expires - now())::float8, labels
        FROM toolscout.replica WHERE serves AND expires > now() ORDER BY id";
    let rows = client.query_typed(statement, &[]).await.map_err(|error| FleetError::of(&error))?;
    let replica = |row: &tokio_postgres::Row| {
        let replica = LiveReplica {
            id: row.get(0),
            address: row.get(1),
            is_draining: row.get(2),
            labels: row.get(4),
        };
        (replica, Duration::from_secs_f64(row.get::<_, f64>(3).max(0.0)))
    };
    Ok(rows.iter().map(replica).collect())
}

/// Renews the row, and creates it first.
pub(crate) async fn heartbeat(
    client: &Client,
    replica: &ReplicaIdentity,
    state: ReplicaState,
    seen: &str,
    keys: &[String],
) -> Result<HeartbeatReply, tokio_postgres::Error> {
    let state = if state == ReplicaState::Draining { "draining" } else { "ready" };
    let statement = "
        INSERT INTO toolscout.replica
            (id, name, address, version, labels, serves, state, seen, expires, keys)
        VALUES (
            $1, $2, $3, $4, $5, $6, $7, $8::text::jsonb, now() + make_interval(secs => $9), $10
        )
        ON CONFLICT (id) DO UPDATE SET
            address = excluded.address, seen = excluded.seen,
            state = CASE WHEN replica.drain THEN 'draining' ELSE excluded.state END,
            last_seen = now(), expires = excluded.expires
        RETURNING drain, (SELECT data_key FROM toolscout.meta),
            (SELECT min_reader FROM toolscout.meta)";
    let ReplicaIdentity { id, name, address, version, labels, serves } = replica;
    let row = client
        .query_typed_one(
            statement,
            &[
                (id, Type::TEXT),
                (name, Type::TEXT),
                (address, Type::TEXT),
                (version, Type::TEXT),
                (labels, Type::TEXT_ARRAY),
                (serves, Type::BOOL),
                (&state, Type::TEXT),
                (&seen, Type::TEXT),
                (&LIFETIME, Type::FLOAT8),
                (&keys, Type::TEXT_ARRAY),
            ],
        )
        .await?;
    Ok(HeartbeatReply { is_drained: row.get(0), data_key: row.get(1), min_reader: row.get(2) })
}

/// What a replica learns with its heartbeat.
pub(crate) struct HeartbeatReply {
    /// Whether an operator has requested that it drains.
    pub(crate) is_drained: bool,
    /// The data key, encrypted.
    pub(crate) data_key: Vec<u8>,
    /// The lowest version of a program that can read the tables.
    pub(crate) min_reader: i32,
}

/// Lets the replicas of this name drain, or serve again; returns their number.
pub(crate) async fn set_drain(
    client: &Client,
    name: &str,
    drain: bool,
) -> Result<u64, tokio_postgres::Error> {
    let statement = "
        UPDATE toolscout.replica
        SET drain = $2, state = CASE WHEN $2 THEN 'draining' ELSE 'ready' END
        WHERE name = $1 AND serves AND expires > now()
        RETURNING id";
    let parameters: [(&(dyn ToSql + Sync), Type); 2] = [(&name, Type::TEXT), (&drain, Type::BOOL)];
    let rows = client.query_typed(statement, &parameters).await?;
    Ok(rows.len() as u64)
}

/// The names of live replicas that do not have a key with this fingerprint.
pub(crate) async fn without_key(
    client: &Client,
    fingerprint: &str,
) -> Result<Vec<String>, tokio_postgres::Error> {
    let statement = "
        SELECT name FROM toolscout.replica
        WHERE expires > now() AND NOT $1 = ANY (keys) ORDER BY name";
    let rows = client.query_typed(statement, &[(&fingerprint, Type::TEXT)]).await?;
    Ok(rows.iter().map(|row| row.get(0)).collect())
}

/// Publishes the revisions that the replica has applied, between two heartbeats.
pub(crate) async fn publish_seen(
    client: &Client,
    id: &str,
    seen: &str,
) -> Result<(), tokio_postgres::Error> {
    let statement = "UPDATE toolscout.replica SET seen = $2::text::jsonb WHERE id = $1";
    client.query_typed(statement, &[(&id, Type::TEXT), (&seen, Type::TEXT)]).await.map(drop)
}

/// A replica that may serve clients, and whether it has applied a revision.
pub(crate) struct ReplicaProgress {
    pub(crate) name: String,
    pub(crate) is_live: bool,
    pub(crate) has_applied: bool,
}

/// The replicas that may serve clients: those that are live, and those whose rows
/// expired up to `grace` ago without an end of the process.
pub(crate) async fn progress(
    client: &Client,
    namespace: &str,
    revision: i64,
    grace: Duration,
) -> Result<Vec<ReplicaProgress>, tokio_postgres::Error> {
    let statement = "
        SELECT r.name, r.expires > now(), coalesce((r.seen ->> $1)::bigint, -1) >= $2
        FROM toolscout.replica r
        WHERE r.serves AND (r.expires > now() OR (
            r.state <> 'gone' AND r.expires > now() - make_interval(secs => $3)
            AND NOT EXISTS (
                SELECT 1 FROM toolscout.replica other
                WHERE other.serves AND other.name = r.name AND other.started > r.started
            )
        ))
        ORDER BY r.name";
    let seconds = grace.as_secs_f64();
    let parameters: [(&(dyn ToSql + Sync), Type); 3] =
        [(&namespace, Type::TEXT), (&revision, Type::INT8), (&seconds, Type::FLOAT8)];
    let rows = client.query_typed(statement, &parameters).await?;
    let progress = |row: &tokio_postgres::Row| {
        let (name, is_live) = (row.get(0), row.get(1));
        ReplicaProgress { name, is_live, has_applied: is_live && row.get(2) }
    };
    Ok(rows.iter().map(progress).collect())
}

/// Ends the row: the process ends, and its leases are free.
pub(crate) async fn leave(client: &Client, id: &str) -> Result<(), tokio_postgres::Error> {
    let statement = "UPDATE toolscout.replica SET expires = now(), state = 'gone' WHERE id = $1";
    client.query_typed(statement, &[(&id, Type::TEXT)]).await.map(drop)
}

/// All replicas that serve, or did in the last day.
pub(crate) async fn all(client: &Client) -> Result<FleetStatus, FleetError> {
    let error = |error| FleetError::of(&error);
    let statement = r#"
        SELECT id, name, address, version, state, expires > now(),
            to_char(last_seen AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
        FROM toolscout.replica WHERE serves ORDER BY expires > now() DESC, name, started DESC"#;
    let rows = client.query_typed(statement, &[]).await.map_err(error)?;
    let replicas = rows.iter().map(|row| {
        let state = match (row.get(5), row.get::<_, String>(4).as_str()) {
            (false, _) => ReplicaState::Gone,
            (true, "draining") => ReplicaState::Draining,
            (true, _) => ReplicaState::Ready,
        };
        ReplicaStatus {
            id: row.get(0),
            name: row.get(1),
            address: row.get(2),
            version: row.get(3),
            last_seen: row.get(6),
            state,
        }
    });
    let replicas = replicas.collect();
    let fleet = client.query_typed_one("SELECT fleet FROM toolscout.meta", &[]).await;
    Ok(FleetStatus { fleet: fleet.map_err(error)?.get(0), replicas })
}
