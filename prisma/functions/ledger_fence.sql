-- Refuses the statement of a process whose epoch is over. The row stays share-locked until the
-- commit, so a take-over waits for statements in flight; heartbeats do not wait for each other.
CREATE OR REPLACE FUNCTION public.ledger_fence(p_node text, p_epoch bigint)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
BEGIN
  PERFORM 1 FROM gateway_node WHERE node_id = p_node AND epoch = p_epoch FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'epoch % of node % is over', p_epoch, p_node USING ERRCODE = 'GW001';
  END IF;
END $function$;
ALTER ROUTINE ledger_fence(text,bigint) OWNER TO gw_ledger;
