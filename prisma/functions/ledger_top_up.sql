-- A top-up in the transaction of the tenant that it is for. No other account is known to it.
CREATE OR REPLACE FUNCTION public.ledger_top_up(p_account uuid, p_request uuid, p_amount bigint, p_description text, p_actor uuid)
 RETURNS TABLE(status text)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
BEGIN
  PERFORM 1 FROM account a WHERE a.id = p_account
    AND a.tenant_id = nullif(current_setting('gw.tenant_id', true), '')::uuid;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'unknown_account';
    RETURN;
  END IF;
  RETURN QUERY SELECT p.status
  FROM ledger_post(p_account, p_request, 'top_up', p_amount, p_description, p_actor) p;
END $function$;
ALTER ROUTINE ledger_top_up(uuid,uuid,bigint,text,uuid) OWNER TO gw_ledger;
GRANT EXECUTE ON ROUTINE ledger_top_up(uuid,uuid,bigint,text,uuid) TO gw_app, gw_platform;
