CREATE OR REPLACE FUNCTION public.erase_personal_data(of_tenant uuid, OUT keys integer, OUT answers integer, OUT deliveries integer)
 RETURNS record
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE dropped int;
BEGIN
  IF of_tenant IS DISTINCT FROM nullif(current_setting('gw.tenant_id', true), '')::uuid THEN
    RAISE EXCEPTION 'personal data of another tenant' USING ERRCODE = '42501';
  END IF;
  -- Waits for whoever is sealing under it, and keeps them from it from now on.
  PERFORM pg_advisory_xact_lock(hashtextextended('data_key ' || of_tenant, 0));
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
END $function$;
ALTER ROUTINE erase_personal_data(uuid) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE erase_personal_data(uuid) TO gw_app;
