-- What nodes of the release before call: the same batch, its lanes as text.
CREATE OR REPLACE FUNCTION public.ledger_apply_lanes(p_node text, p_epoch bigint, p_accounts uuid[], p_charges json, p_marks json, p_holds json, p_rest jsonb)
 RETURNS TABLE(lane text, i integer, status text, amount bigint, detail jsonb)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  SELECT * FROM ledger_apply_batch(p_node, p_epoch, p_accounts, p_charges::jsonb, p_marks::jsonb,
                                   p_holds::jsonb, p_rest)
$function$;
ALTER ROUTINE ledger_apply_lanes(text,bigint,uuid[],json,json,json,jsonb) OWNER TO gw_ledger;
GRANT EXECUTE ON ROUTINE ledger_apply_lanes(text,bigint,uuid[],json,json,json,jsonb) TO gw_platform;
