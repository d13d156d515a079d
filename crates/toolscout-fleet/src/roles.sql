-- The rights to the tables, granted by every migration. `{app}` and `{audit}` are the names of roles.

-- Functions run with the rights of the owner of the tables, and see the rows of every tenant. So
-- replicas need no right to change what only functions may change.
DO $$
DECLARE
    routine regprocedure;
BEGIN
    FOR routine IN
        SELECT p.oid::regprocedure FROM pg_proc p WHERE p.pronamespace = 'toolscout'::regnamespace
    LOOP
        EXECUTE format(
            'ALTER FUNCTION %s SECURITY DEFINER SET search_path = pg_catalog, pg_temp', routine);
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', routine);
    END LOOP;
END $$;

-- Roles belong to the whole server: another database may have made them, at the same time.
DO $$
DECLARE
    role_name text;
BEGIN
    FOREACH role_name IN ARRAY ARRAY['{app}', '{audit}'] LOOP
        IF to_regrole(role_name) IS NULL THEN
            BEGIN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role_name);
            EXCEPTION
                WHEN duplicate_object OR unique_violation OR insufficient_privilege THEN NULL;
            END;
        END IF;
    END LOOP;
END $$;

DO $$
BEGIN
    IF to_regrole('{app}') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA toolscout TO "{app}";
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA toolscout TO "{app}";
        -- Only functions change these: they keep revisions and chains complete.
        REVOKE INSERT, UPDATE, DELETE ON toolscout.meta, toolscout.revision, toolscout.record,
            toolscout.decision, toolscout.head, toolscout.chain, toolscout.journal, toolscout.link
            FROM "{app}";
        GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA toolscout TO "{app}";
        -- A part of decide_record and add_link, which write the line as well.
        REVOKE EXECUTE ON FUNCTION toolscout.extend_chain FROM "{app}";
    END IF;
    IF to_regrole('{audit}') IS NOT NULL THEN
        GRANT USAGE ON SCHEMA toolscout TO "{audit}";
        GRANT SELECT ON toolscout.decision, toolscout.head, toolscout.chain, toolscout.journal,
            toolscout.link, toolscout.replica TO "{audit}";
    END IF;
END $$;
