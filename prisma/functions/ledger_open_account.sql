-- Opens the account of a new tenant, empty.
CREATE OR REPLACE FUNCTION public.ledger_open_account(p_account uuid, p_tenant uuid)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  INSERT INTO account (id, tenant_id) VALUES (p_account, p_tenant)
$function$;
ALTER ROUTINE ledger_open_account(uuid,uuid) OWNER TO gw_ledger;
GRANT EXECUTE ON ROUTINE ledger_open_account(uuid,uuid) TO gw_platform;
