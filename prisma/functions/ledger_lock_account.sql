-- Locks an account for the operation of a person, and answers what it owns and holds.
CREATE OR REPLACE FUNCTION public.ledger_lock_account(p_account uuid)
 RETURNS TABLE(tenant_id uuid, posted bigint, held bigint)
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  SELECT a.tenant_id, a.posted_micro, a.held_micro FROM account a
  WHERE a.id = p_account FOR NO KEY UPDATE
$function$;
ALTER ROUTINE ledger_lock_account(uuid) OWNER TO gw_ledger;
GRANT EXECUTE ON ROUTINE ledger_lock_account(uuid) TO gw_platform;
