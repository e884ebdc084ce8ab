CREATE OR REPLACE FUNCTION public.drop_kept_answers(of_tenant uuid, rows_max integer, OUT answers integer, OUT deliveries integer)
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
  UPDATE idempotency_record SET answer = NULL WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM idempotency_record WHERE tenant_id = of_tenant AND answer IS NOT NULL
    LIMIT rows_max FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS answers = ROW_COUNT;
  UPDATE keyed_outcome SET answer = NULL WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM keyed_outcome WHERE tenant_id = of_tenant AND answer IS NOT NULL
    LIMIT rows_max FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS dropped = ROW_COUNT;
  answers := answers + dropped;
  DELETE FROM kept_answer WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM kept_answer WHERE tenant_id = of_tenant LIMIT rows_max
    FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS dropped = ROW_COUNT;
  answers := answers + dropped;
  DELETE FROM webhook_delivery WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM webhook_delivery WHERE tenant_id = of_tenant AND ended_at IS NOT NULL
    LIMIT rows_max FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS deliveries = ROW_COUNT;
END $function$;
ALTER ROUTINE drop_kept_answers(uuid,integer) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE drop_kept_answers(uuid,integer) TO gw_app;
