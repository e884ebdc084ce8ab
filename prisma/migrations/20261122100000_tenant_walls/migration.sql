-- The second wall between tenants. Migrations run as gw_owner, to whom every table belongs. The
-- application works as gw_app, who sees the rows of the tenant that its transaction names and none
-- without one; gw_platform is the same for work that is for all tenants; gw_ledger alone writes the
-- books. The start makes these roles, and the logins behind gw_app and gw_platform.

-- The start has made the roles; Prisma's own command line, which does not know it, has not.
DO $$
DECLARE role text;
BEGIN
  FOREACH role IN ARRAY ARRAY['gw_owner', 'gw_ledger', 'gw_app', 'gw_platform'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', role);
    END IF;
  END LOOP;
END $$;

-- Nothing is anybody's by default.
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC;
REVOKE EXECUTE ON ALL ROUTINES IN SCHEMA public FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON ROUTINES FROM PUBLIC;

-- Closes a table of tenants and gives the application exactly these rights on it. The tenant is
-- read once for a statement. The setting is empty, and not null, after a transaction that had one.
CREATE PROCEDURE keep_to_tenant(name regclass, rights text, tenant_column text DEFAULT 'tenant_id')
LANGUAGE plpgsql AS $$
DECLARE sequence text;
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', name);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', name);
  EXECUTE format('CREATE POLICY own_rows ON %s TO gw_app USING (%I =
    (SELECT nullif(current_setting(''gw.tenant_id'', true), '''')::uuid))', name, tenant_column);
  EXECUTE format('CREATE POLICY all_rows ON %s TO gw_platform, gw_ledger, gw_owner
    USING (true)', name);
  EXECUTE format('GRANT %s ON %s TO gw_app, gw_platform', rights, name);
  IF rights ILIKE '%insert%' THEN
    FOR sequence IN
      SELECT pg_get_serial_sequence(name::text, attname) FROM pg_attribute
      WHERE attrelid = name AND attnum > 0 AND NOT attisdropped
        AND pg_get_serial_sequence(name::text, attname) IS NOT NULL
    LOOP
      EXECUTE format('GRANT USAGE ON SEQUENCE %s TO gw_app, gw_platform', sequence);
    END LOOP;
  END IF;
END $$;

CALL keep_to_tenant('tenant', 'SELECT, INSERT, UPDATE', 'id');
CALL keep_to_tenant('project', 'SELECT, INSERT');
CALL keep_to_tenant('app_user', 'SELECT, INSERT, UPDATE');
CALL keep_to_tenant('invite', 'SELECT, INSERT, UPDATE');
CALL keep_to_tenant('session', 'SELECT, INSERT, UPDATE');
CALL keep_to_tenant('api_key', 'SELECT, INSERT, UPDATE');
CALL keep_to_tenant('policy', 'SELECT, INSERT, UPDATE');
CALL keep_to_tenant('policy_version', 'SELECT, INSERT');

CALL keep_to_tenant('sealed_receipt', 'SELECT, INSERT');
CALL keep_to_tenant('contract_version', 'SELECT, INSERT');
CALL keep_to_tenant('journal_entry', 'SELECT, INSERT');
CALL keep_to_tenant('approval', 'SELECT, INSERT, UPDATE');
CALL keep_to_tenant('audit_event', 'SELECT, INSERT');
CALL keep_to_tenant('idempotency_record', 'SELECT, INSERT, UPDATE, DELETE');
CALL keep_to_tenant('keyed_outcome', 'SELECT, INSERT, UPDATE, DELETE');
CALL keep_to_tenant('feed_event', 'SELECT, INSERT');

-- The books are read here and written by the ledger's functions alone.
CALL keep_to_tenant('account', 'SELECT');
CALL keep_to_tenant('hold', 'SELECT');
CALL keep_to_tenant('ledger_entry', 'SELECT');
CALL keep_to_tenant('ledger_overrun', 'SELECT');
CALL keep_to_tenant('usage_event', 'SELECT');
CALL keep_to_tenant('budget_counter', 'SELECT');
CALL keep_to_tenant('kept_answer', 'SELECT');
CALL keep_to_tenant('budget', 'SELECT, INSERT, UPDATE');
CALL keep_to_tenant('budget_exception', 'SELECT, INSERT, UPDATE');
CALL keep_to_tenant('commercial_terms', 'SELECT, INSERT');

CALL keep_to_tenant('prompt', 'SELECT, INSERT, UPDATE');
CALL keep_to_tenant('prompt_version', 'SELECT, INSERT');
CALL keep_to_tenant('prompt_stage', 'SELECT, INSERT, UPDATE');
CALL keep_to_tenant('context_policy', 'SELECT, INSERT');

CALL keep_to_tenant('tool_call', 'SELECT, INSERT, UPDATE');
CALL keep_to_tenant('integration_record', 'SELECT, INSERT, UPDATE');
CALL keep_to_tenant('integration_preview', 'SELECT, INSERT');
CALL keep_to_tenant('integration_action', 'SELECT, INSERT, UPDATE');

CALL keep_to_tenant('blueprint_run', 'SELECT, INSERT');
CALL keep_to_tenant('blueprint_run_underway', 'SELECT, INSERT, UPDATE, DELETE');
CALL keep_to_tenant('blueprint_deployment', 'SELECT, INSERT');
CALL keep_to_tenant('migration_project', 'SELECT, INSERT, UPDATE');
CALL keep_to_tenant('migration_check_run', 'SELECT, INSERT');

-- What belongs to no tenant.
GRANT SELECT, INSERT ON signing_key TO gw_platform;
GRANT SELECT ON vat_rate, gateway_node TO gw_app, gw_platform;
-- A view reads with the rights of its owner, who sees all rows.
GRANT SELECT ON ledger_posting TO gw_platform;

-- These run with the rights of their caller.
GRANT EXECUTE ON FUNCTION
  receipt_chain_hash(bytea, bytea, uuid, bigint, uuid, text, timestamptz, text),
  seal_receipt(uuid, uuid, text, text, text),
  append_contract_version(uuid, uuid, text, text, jsonb, uuid),
  key_member(uuid, uuid),
  budget_granted(uuid, date),
  budget_period_start(text, text, timestamptz)
TO gw_app, gw_platform;
