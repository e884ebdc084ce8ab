-- Ends the process's epoch: what it has left open belongs to recovery from now on.
CREATE OR REPLACE FUNCTION public.ledger_retire(p_node text, p_epoch bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM 1 FROM gateway_node WHERE node_id = p_node AND epoch = p_epoch FOR UPDATE;
  UPDATE gateway_node SET epoch = epoch + 1, retired_at = clock_timestamp()
  WHERE node_id = p_node AND epoch = p_epoch;
  RETURN FOUND;
END $function$;
ALTER ROUTINE ledger_retire(text,bigint) OWNER TO gw_ledger;
GRANT EXECUTE ON ROUTINE ledger_retire(text,bigint) TO gw_platform;
