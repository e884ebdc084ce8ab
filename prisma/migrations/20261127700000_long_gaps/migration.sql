-- A process whose database comes back with another time beats on: a gap beyond 24 days did not fit
-- the answer, and the node was never ready again. A clock that was set back makes a gap too.
CREATE OR REPLACE FUNCTION ledger_beat(p_node text, p_epoch bigint) RETURNS int LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE before timestamptz;
BEGIN
  PERFORM ledger_fence(p_node, p_epoch);
  SELECT seen_at INTO before FROM gateway_node WHERE node_id = p_node;
  UPDATE gateway_node SET seen_at = clock_timestamp() WHERE node_id = p_node AND epoch = p_epoch;
  RETURN least(abs(extract(epoch FROM clock_timestamp() - before) * 1000), 2147483647)::int;
END $$;
