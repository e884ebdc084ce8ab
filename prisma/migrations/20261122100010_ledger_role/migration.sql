-- The books have a writer of their own: gw_ledger, as whom the functions of the ledger run. The
-- application may call those that it needs, and none of the parts that they are made of.

GRANT SELECT, INSERT, UPDATE ON account, hold, budget_counter, gateway_node TO gw_ledger;
GRANT SELECT, INSERT ON ledger_entry, ledger_overrun, usage_event TO gw_ledger;
GRANT SELECT, INSERT, DELETE ON kept_answer TO gw_ledger;
GRANT SELECT ON budget, budget_exception, vat_rate, tenant, api_key, app_user TO gw_ledger;
GRANT USAGE ON SEQUENCE ledger_entry_seq_seq, usage_event_seq_seq TO gw_ledger;
GRANT EXECUTE ON FUNCTION budget_granted(uuid, date), budget_period_start(text, text, timestamptz)
TO gw_ledger;

-- Opens the account of a new tenant, empty.
CREATE FUNCTION ledger_open_account(p_account uuid, p_tenant uuid) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO account (id, tenant_id) VALUES (p_account, p_tenant)
$$;

-- A top-up in the transaction of the tenant that it is for. No other account is known to it.
CREATE FUNCTION ledger_top_up(
  p_account uuid, p_request uuid, p_amount bigint, p_description text, p_actor uuid
) RETURNS TABLE (status text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM account a WHERE a.id = p_account
    AND a.tenant_id = nullif(current_setting('gw.tenant_id', true), '')::uuid;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'unknown_account';
    RETURN;
  END IF;
  RETURN QUERY SELECT p.status
  FROM ledger_post(p_account, p_request, 'top_up', p_amount, p_description, p_actor) p;
END $$;

-- Removes the kept answers whose keys have long expired.
CREATE FUNCTION ledger_forget_answers(p_hours int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM kept_answer WHERE created_at < clock_timestamp() - p_hours * interval '1 hour'
$$;

-- Every function of the ledger belongs to its role. Those that are called from outside run as it,
-- with a search path that nobody can put a table of their own into.
DO $$
DECLARE part regprocedure;
BEGIN
  FOR part IN
    SELECT p.oid::regprocedure FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND p.proname IN (
      'ledger_apply', 'ledger_post', 'ledger_top_up', 'ledger_recover', 'ledger_take_over',
      'ledger_beat', 'ledger_retire', 'ledger_sweep', 'ledger_release_lost',
      'ledger_open_account', 'ledger_forget_answers')
  LOOP
    EXECUTE format('ALTER FUNCTION %s SECURITY DEFINER', part);
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, public, pg_temp', part);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO gw_platform', part);
    EXECUTE format('ALTER FUNCTION %s OWNER TO gw_ledger', part);
  END LOOP;
  FOR part IN
    SELECT p.oid::regprocedure FROM pg_proc p
    WHERE p.pronamespace = 'public'::regnamespace AND p.proname IN (
      'ledger_write', 'ledger_fence', 'ledger_budget_pairs', 'usage_of_lost', 'vat_rate_on',
      'vat_inside')
  LOOP
    EXECUTE format('ALTER FUNCTION %s OWNER TO gw_ledger', part);
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION ledger_top_up(uuid, uuid, bigint, text, uuid) TO gw_app;
