-- Ends the epochs of nodes that were not seen for the given time, by the database's clock. One
-- caller at a time does it. A hold is taken back because its process is gone, never because of its
-- age, so a long stream is safe.
CREATE OR REPLACE FUNCTION public.ledger_sweep(p_unseen_ms integer)
 RETURNS text[]
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE dead record; swept text[] := '{}';
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('ledger_sweep')) THEN RETURN swept; END IF;
  FOR dead IN
    SELECT node_id, epoch FROM gateway_node
    WHERE retired_at IS NULL AND seen_at < clock_timestamp() - p_unseen_ms * interval '1 ms'
    ORDER BY node_id FOR UPDATE
  LOOP
    PERFORM ledger_retire(dead.node_id, dead.epoch);
    swept := swept || dead.node_id;
  END LOOP;
  RETURN swept;
END $function$;
ALTER ROUTINE ledger_sweep(integer) OWNER TO gw_ledger;
GRANT EXECUTE ON ROUTINE ledger_sweep(integer) TO gw_platform;
