-- Erases the personal data of a tenant: its data key, and the texts that are kept for a while under
-- other keys or none. Ledger, usage, receipts' hashes and the chains over them are not touched.
CREATE FUNCTION erase_personal_data(of_tenant uuid, OUT keys int, OUT answers int,
    OUT deliveries int)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE dropped int;
BEGIN
  IF of_tenant IS DISTINCT FROM nullif(current_setting('gw.tenant_id', true), '')::uuid THEN
    RAISE EXCEPTION 'personal data of another tenant' USING ERRCODE = '42501';
  END IF;
  -- Waits for whoever is sealing under it, and keeps them from it from now on.
  PERFORM FROM tenant_data_key WHERE tenant_id = of_tenant AND erased_at IS NULL FOR UPDATE;
  UPDATE tenant_data_key SET wrapped = NULL, erased_at = clock_timestamp()
    WHERE tenant_id = of_tenant AND erased_at IS NULL;
  GET DIAGNOSTICS keys = ROW_COUNT;
  UPDATE idempotency_record SET answer = NULL WHERE tenant_id = of_tenant AND answer IS NOT NULL;
  GET DIAGNOSTICS answers = ROW_COUNT;
  UPDATE keyed_outcome SET answer = NULL WHERE tenant_id = of_tenant AND answer IS NOT NULL;
  GET DIAGNOSTICS dropped = ROW_COUNT;
  answers := answers + dropped;
  DELETE FROM kept_answer WHERE tenant_id = of_tenant;
  GET DIAGNOSTICS dropped = ROW_COUNT;
  answers := answers + dropped;
  -- What is still to be delivered is; what receivers have answered is not kept.
  DELETE FROM webhook_delivery WHERE tenant_id = of_tenant AND ended_at IS NOT NULL;
  GET DIAGNOSTICS deliveries = ROW_COUNT;
  UPDATE webhook_delivery SET response = NULL, attempt_log = '[]'
    WHERE tenant_id = of_tenant AND (response IS NOT NULL OR attempt_log <> '[]');
END $$;
ALTER FUNCTION erase_personal_data(uuid) OWNER TO gw_owner;
REVOKE EXECUTE ON FUNCTION erase_personal_data(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION erase_personal_data(uuid) TO gw_app;
