-- Makes the five roles and the schema of the months where they are missing, lets the one who
-- migrates act as the owner, and gives the owner what an earlier version has left to another login.
-- Runs before every migration. Roles belong to the whole server, so every statement can find that
-- another database was first.
-- What PostgreSQL lets everyone do and its own roles alone need, it keeps to them: who holds an
-- advisory lock of the gateway holds the gateway up, and large objects and messages in the log fill
-- its disk. Only a superuser can take that back; docs/bi.md says what is left without one.
DO $$
DECLARE
  role text;
  open_to_all CONSTANT text := '^(pg_(try_)?advisory_|lo_|loread$|lowrite$|pg_logical_emit_message$)';
  thing record;
BEGIN
  FOREACH role IN ARRAY ARRAY['gw_owner', 'gw_ledger', 'gw_app', 'gw_platform', 'gw_bi'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', role);
    END IF;
  END LOOP;
  IF NOT pg_has_role('gw_owner', 'gw_ledger', 'MEMBER') THEN GRANT gw_ledger TO gw_owner; END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND rolsuper)
     AND NOT pg_has_role('gw_owner', 'USAGE') THEN
    EXECUTE format('GRANT gw_owner TO %I', current_user);
  END IF;
  IF NOT has_schema_privilege('gw_owner', 'public', 'CREATE')
     OR NOT has_schema_privilege('gw_ledger', 'public', 'CREATE')
     OR has_schema_privilege('gw_app', 'public', 'CREATE') THEN
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
    GRANT USAGE ON SCHEMA public TO gw_app, gw_platform;
    GRANT USAGE, CREATE ON SCHEMA public TO gw_owner, gw_ledger;
  END IF;
  IF to_regnamespace('gw_months') IS NULL THEN
    CREATE SCHEMA gw_months AUTHORIZATION gw_owner;
  END IF;
  IF has_database_privilege('gw_app', current_database(), 'TEMPORARY') THEN
    EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
  END IF;
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = current_user AND rolsuper) THEN
    FOR thing IN
      SELECT p.oid::regprocedure::text AS name FROM pg_proc p
      WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~ open_to_all
        AND has_function_privilege('gw_bi', p.oid, 'EXECUTE')
    LOOP
      EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO gw_owner, gw_ledger, gw_app, gw_platform',
                     thing.name);
      EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', thing.name);
    END LOOP;
  END IF;
  FOR thing IN
    SELECT c.oid::regclass::text AS name FROM pg_class c
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
      AND c.relowner <> 'gw_owner'::regrole AND pg_has_role(c.relowner, 'USAGE')
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
  LOOP
    EXECUTE format('ALTER TABLE %s OWNER TO gw_owner', thing.name);
  END LOOP;
  FOR thing IN
    SELECT p.oid::regprocedure::text AS name FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace
      AND p.proowner NOT IN ('gw_owner'::regrole, 'gw_ledger'::regrole)
      AND pg_has_role(p.proowner, 'USAGE')
      AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
  LOOP
    EXECUTE format('ALTER ROUTINE %s OWNER TO gw_owner', thing.name);
  END LOOP;
END $$;
