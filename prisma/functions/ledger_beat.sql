-- Says that the process lives, and returns the milliseconds since it said so before, by this clock.
CREATE OR REPLACE FUNCTION public.ledger_beat(p_node text, p_epoch bigint)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE before timestamptz;
BEGIN
  PERFORM ledger_fence(p_node, p_epoch);
  SELECT seen_at INTO before FROM gateway_node WHERE node_id = p_node;
  UPDATE gateway_node SET seen_at = clock_timestamp() WHERE node_id = p_node AND epoch = p_epoch;
  RETURN least(abs(extract(epoch FROM clock_timestamp() - before) * 1000), 2147483647)::int;
END $function$;
ALTER ROUTINE ledger_beat(text,bigint) OWNER TO gw_ledger;
GRANT EXECUTE ON ROUTINE ledger_beat(text,bigint) TO gw_platform;
