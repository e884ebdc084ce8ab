-- Gives back an open hold whose request is gone from the process that placed it.
CREATE OR REPLACE FUNCTION public.ledger_release_lost(p_node text, p_epoch bigint, p_account uuid, p_request uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE known jsonb; answer text;
BEGIN
  PERFORM ledger_fence(p_node, p_epoch);
  PERFORM 1 FROM account WHERE id = p_account FOR NO KEY UPDATE;
  SELECT checkpoint_usage INTO known FROM hold
  WHERE account_id = p_account AND request_id = p_request AND state = 'open';
  IF NOT FOUND THEN RETURN false; END IF;
  SELECT w.status INTO answer FROM ledger_write(p_node, p_epoch, jsonb_build_array(
    jsonb_build_object('kind', 'release', 'account', p_account, 'request', p_request,
                       'usage', usage_of_lost(known, 'request_lost')))) w;
  RETURN answer = 'ok';
END $function$;
ALTER ROUTINE ledger_release_lost(text,bigint,uuid,uuid) OWNER TO gw_ledger;
GRANT EXECUTE ON ROUTINE ledger_release_lost(text,bigint,uuid,uuid) TO gw_platform;
