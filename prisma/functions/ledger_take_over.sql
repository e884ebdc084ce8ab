-- Makes the caller the node's only process: waits for statements of the epoch before, refuses
-- later ones, and returns the new epoch. A process that takes its own epoch over again, because it
-- was taken for dead, keeps the requests that nobody has resolved meanwhile.
CREATE OR REPLACE FUNCTION public.ledger_take_over(p_node text, p_owner uuid)
 RETURNS bigint
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE before gateway_node; current_epoch bigint;
BEGIN
  INSERT INTO gateway_node (node_id, epoch, owner, seen_at)
  VALUES (p_node, 0, p_owner, clock_timestamp()) ON CONFLICT (node_id) DO NOTHING;
  SELECT * INTO before FROM gateway_node WHERE node_id = p_node FOR UPDATE;
  UPDATE gateway_node
  SET epoch = epoch + 1, owner = p_owner, seen_at = clock_timestamp(), retired_at = NULL
  WHERE node_id = p_node RETURNING epoch INTO current_epoch;
  IF before.owner = p_owner THEN
    UPDATE hold SET epoch = current_epoch
    WHERE node_id = p_node AND epoch <= before.epoch AND state IN ('open', 'finalized');
  END IF;
  RETURN current_epoch;
END $function$;
ALTER ROUTINE ledger_take_over(text,uuid) OWNER TO gw_ledger;
GRANT EXECUTE ON ROUTINE ledger_take_over(text,uuid) TO gw_platform;
