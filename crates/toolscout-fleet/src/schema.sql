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
    -- Whether an operator has requested that it drains.
    drain boolean NOT NULL DEFAULT false,
    -- The fingerprints of the fleet keys that it accepts.
    keys text[] NOT NULL DEFAULT '{}',
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
    -- The user whose row it is, as a fingerprint: tools that a server has for this user alone.
    tenant text GENERATED ALWAYS AS (
        CASE WHEN namespace = 'discovery' THEN substring(key from '@([0-9a-f]{64})$') END
    ) STORED,
    PRIMARY KEY (namespace, key)
);
CREATE INDEX record_revision ON toolscout.record (namespace, revision);

-- A statement sees the rows of a tenant only if it names the tenant (`SET LOCAL toolscout.tenant`).
-- Not forced: the functions below run as the owner of the table (see roles.sql), and see all rows.
ALTER TABLE toolscout.record ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenant ON toolscout.record
    USING (tenant IS NULL OR tenant = current_setting('toolscout.tenant', true));

-- The rows of a namespace that were written after a revision, of every tenant.
CREATE FUNCTION toolscout.records_after(in_namespace text, after bigint, at_most bigint)
RETURNS TABLE (key text, value bytea, revision bigint) LANGUAGE sql STABLE AS $$
    SELECT r.key, r.value, r.revision FROM toolscout.record r
    WHERE r.namespace = in_namespace AND r.revision > after ORDER BY r.revision LIMIT at_most
$$;

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

-- One chain of all decisions: a line for each change of a row that decides something, written in
-- the transaction of the change. The line is sealed by the replica, with a key that is not here.
CREATE TABLE toolscout.decision (
    n bigint PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    namespace text NOT NULL,
    key text NOT NULL,
    -- SHA-256 of the value in toolscout.record; null if the row was removed.
    value bytea,
    line text NOT NULL
);
CREATE INDEX decision_row ON toolscout.decision (namespace, key, n DESC);

-- The ends of the chains that every replica appends to: decisions and links.
CREATE TABLE toolscout.head (
    chain text PRIMARY KEY,
    n bigint NOT NULL,
    hash text NOT NULL,
    -- The position that the last link names.
    linked bigint NOT NULL DEFAULT 0
);
INSERT INTO toolscout.head VALUES
    ('decision', 0, '00000000000000000000000000000000'),
    ('link', 0, '00000000000000000000000000000000');

-- Moves the end of a chain, or returns false if it is no longer at this position.
CREATE FUNCTION toolscout.extend_chain(
    in_chain text, after_n bigint, after_hash text, next_hash text
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM toolscout.head h WHERE h.chain = in_chain FOR UPDATE;
    UPDATE toolscout.head h SET n = after_n + 1, hash = next_hash
        WHERE h.chain = in_chain AND h.n = after_n AND h.hash = after_hash;
    RETURN FOUND;
END $$;

-- As swap_record, with a line of the chain of decisions. If the chain has grown since the line was
-- sealed, nothing changes and `chained` is false.
CREATE FUNCTION toolscout.decide_record(
    in_namespace text, in_key text, anything boolean, expected bytea, next bytea,
    after_n bigint, after_hash text, in_line text, line_hash text,
    OUT chained boolean, OUT swapped boolean, OUT existed boolean
) LANGUAGE plpgsql AS $$
BEGIN
    swapped := false;
    existed := false;
    -- The head first, then the revision: always in this order, so that two replicas do not wait
    -- for each other.
    PERFORM FROM toolscout.head h WHERE h.chain = 'decision' FOR UPDATE;
    chained := EXISTS (
        SELECT 1 FROM toolscout.head h
        WHERE h.chain = 'decision' AND h.n = after_n AND h.hash = after_hash
    );
    IF NOT chained THEN
        RETURN;
    END IF;
    SELECT s.swapped, s.existed INTO swapped, existed
        FROM toolscout.swap_record(in_namespace, in_key, anything, expected, next) s;
    IF swapped AND (existed OR next IS NOT NULL) THEN
        PERFORM toolscout.extend_chain('decision', after_n, after_hash, line_hash);
        INSERT INTO toolscout.decision (n, namespace, key, value, line)
            VALUES (after_n + 1, in_namespace, in_key, sha256(next), in_line);
    END IF;
END $$;

-- The journals of the replicas, and how far each is here.
CREATE TABLE toolscout.chain (
    id text PRIMARY KEY,
    -- The name of the replica.
    name text NOT NULL,
    n bigint NOT NULL DEFAULT 0,
    hash text NOT NULL DEFAULT '00000000000000000000000000000000',
    -- The position that the last link names.
    linked bigint NOT NULL DEFAULT 0
);

CREATE TABLE toolscout.journal (
    chain text NOT NULL,
    n bigint NOT NULL,
    -- The order of arrival, for paging through all chains.
    arrival bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    line text NOT NULL,
    PRIMARY KEY (chain, n)
);
CREATE INDEX journal_arrival ON toolscout.journal (arrival DESC);

-- Stores lines of a journal. Lines that are here already are skipped; if one of them differs,
-- nothing is stored and the result is false.
CREATE FUNCTION toolscout.ship(
    in_chain text, in_name text, ns bigint[], ats text[], kinds text[], lines text[],
    last_hash text
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    last bigint := ns[array_length(ns, 1)];
BEGIN
    INSERT INTO toolscout.chain (id, name) VALUES (in_chain, in_name) ON CONFLICT DO NOTHING;
    PERFORM FROM toolscout.chain c WHERE c.id = in_chain FOR UPDATE;
    IF EXISTS (
        SELECT 1 FROM unnest(ns, lines) AS new (n, line)
        JOIN toolscout.journal j ON j.chain = in_chain AND j.n = new.n
        WHERE j.line <> new.line
    ) THEN
        RETURN false;
    END IF;
    INSERT INTO toolscout.journal (chain, n, at, kind, line)
        SELECT in_chain, new.n, new.at::timestamptz, new.kind, new.line
        FROM unnest(ns, ats, kinds, lines) AS new (n, at, kind, line)
        ORDER BY new.n
        ON CONFLICT DO NOTHING;
    UPDATE toolscout.chain c SET n = last, hash = last_hash, name = in_name
        WHERE c.id = in_chain AND c.n < last;
    RETURN true;
END $$;

-- Lines over the ends of all other chains, so that no chain loses its end, or vanishes, unnoticed.
CREATE TABLE toolscout.link (
    n bigint PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    line text NOT NULL
);

-- Adds a link over the ends of these chains, or returns false if another replica was faster.
CREATE FUNCTION toolscout.add_link(
    after_n bigint, after_hash text, in_line text, line_hash text, chains text[], ns bigint[],
    decisions bigint
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF NOT toolscout.extend_chain('link', after_n, after_hash, line_hash) THEN
        RETURN false;
    END IF;
    INSERT INTO toolscout.link (n, line) VALUES (after_n + 1, in_line);
    UPDATE toolscout.chain c SET linked = new.n
        FROM unnest(chains, ns) AS new (id, n) WHERE c.id = new.id;
    UPDATE toolscout.head h SET linked = decisions WHERE h.chain = 'decision';
    RETURN true;
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
