-- The same for a gateway process, as long as its epoch is current.
CREATE OR REPLACE FUNCTION public.ledger_apply(p_node text, p_epoch bigint, p_ops jsonb)
 RETURNS TABLE(i integer, status text, amount bigint, detail jsonb)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM ledger_fence(p_node, p_epoch);
  RETURN QUERY SELECT w.i, w.status, w.amount, w.detail FROM ledger_write(p_node, p_epoch, p_ops) w;
END $function$;
ALTER ROUTINE ledger_apply(text,bigint,jsonb) OWNER TO gw_ledger;
GRANT EXECUTE ON ROUTINE ledger_apply(text,bigint,jsonb) TO gw_platform;
