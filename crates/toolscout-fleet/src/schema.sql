-- Version 1 of the tables. Steps are only added; see schema.rs.
CREATE SCHEMA IF NOT EXISTS toolscout;

CREATE TABLE toolscout.meta (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    fleet text NOT NULL,
    version integer NOT NULL,
    -- The lowest version of a program that can read the tables.
    min_reader integer NOT NULL,
    -- The data key, encrypted with the fleet key.
    data_key bytea NOT NULL
);

-- One row for each process that serves, or holds a lease.
CREATE TABLE toolscout.replica (
    id text PRIMARY KEY,
    name text NOT NULL,
    address text,
    version text NOT NULL,
    labels text[] NOT NULL DEFAULT '{}',
    serves boolean NOT NULL,
    state text NOT NULL DEFAULT 'ready',
    -- The revisions of the shared namespaces that it has applied: {"approval": 12}.
    seen jsonb NOT NULL DEFAULT '{}',
    started timestamptz NOT NULL DEFAULT now(),
    last_seen timestamptz NOT NULL DEFAULT now(),
    expires timestamptz NOT NULL
);

-- Incremented in the transaction of every write to a namespace. The lock on its row orders the
-- writes, so that the order of revisions is the order of commits.
CREATE TABLE toolscout.revision (
    namespace text PRIMARY KEY,
    n bigint NOT NULL,
    -- The highest revision of a removed row that is no longer recorded.
    swept bigint NOT NULL DEFAULT 0
);

-- A row without a value is removed; it stays for an hour, so that replicas learn of it.
-- `value` is bytes, because text cannot contain U+0000.
CREATE TABLE toolscout.record (
    namespace text NOT NULL,
    key text NOT NULL,
    value bytea,
    revision bigint NOT NULL,
    written timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (namespace, key)
);
CREATE INDEX record_revision ON toolscout.record (namespace, revision);

-- Rows are never removed, so that generations do not repeat.
CREATE TABLE toolscout.lease (
    name text PRIMARY KEY,
    replica text,
    generation bigint NOT NULL,
    taken timestamptz NOT NULL DEFAULT now()
);

-- Compare and swap. `expected` is the SHA-256 digest of the present value, or null for none; with
-- `anything`, every present value will do.
CREATE FUNCTION toolscout.swap_record(
    in_namespace text, in_key text, anything boolean, expected bytea, next bytea,
    OUT swapped boolean, OUT existed boolean, OUT at_revision bigint
) LANGUAGE plpgsql AS $$
DECLARE
    present bytea;
BEGIN
    INSERT INTO toolscout.revision (namespace, n) VALUES (in_namespace, 0) ON CONFLICT DO NOTHING;
    SELECT r.n INTO at_revision FROM toolscout.revision r
        WHERE r.namespace = in_namespace FOR UPDATE;
    SELECT r.value INTO present FROM toolscout.record r
        WHERE r.namespace = in_namespace AND r.key = in_key;
    existed := present IS NOT NULL;
    swapped := anything
        OR (CASE WHEN existed THEN sha256(present) END) IS NOT DISTINCT FROM expected;
    IF NOT swapped OR (next IS NULL AND NOT existed) THEN
        RETURN;
    END IF;
    at_revision := at_revision + 1;
    UPDATE toolscout.revision r SET n = at_revision WHERE r.namespace = in_namespace;
    INSERT INTO toolscout.record AS r (namespace, key, value, revision)
        VALUES (in_namespace, in_key, next, at_revision)
        ON CONFLICT (namespace, key)
        DO UPDATE SET value = next, revision = at_revision, written = now();
    PERFORM pg_notify('toolscout', in_namespace || '/' || at_revision);
END $$;

-- Takes a lease that is free, or whose holder is gone. Returns its generation, or null.
CREATE FUNCTION toolscout.take_lease(in_name text, in_replica text) RETURNS bigint
LANGUAGE sql AS $$
    INSERT INTO toolscout.lease AS l (name, replica, generation) VALUES (in_name, in_replica, 1)
    ON CONFLICT (name) DO UPDATE
        SET replica = in_replica, generation = l.generation + 1, taken = now()
        WHERE NOT EXISTS (
            SELECT 1 FROM toolscout.replica r WHERE r.id = l.replica AND r.expires > now()
        )
    RETURNING generation
$$;

-- Forgets removed rows that every replica had an hour to learn of, and replicas that are gone.
CREATE FUNCTION toolscout.sweep() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH gone AS (
        DELETE FROM toolscout.record
        WHERE value IS NULL AND written < now() - interval '1 hour'
        RETURNING namespace, revision
    ), latest AS (
        SELECT namespace, max(revision) AS revision FROM gone GROUP BY namespace
    )
    UPDATE toolscout.revision r SET swept = greatest(r.swept, latest.revision)
        FROM latest WHERE latest.namespace = r.namespace;
    DELETE FROM toolscout.replica WHERE expires < now() - interval '1 day';
END $$;
