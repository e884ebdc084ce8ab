-- Removes the kept answers whose keys have long expired.
CREATE OR REPLACE FUNCTION public.ledger_forget_answers(p_hours integer)
 RETURNS void
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
  DELETE FROM kept_answer WHERE created_at < clock_timestamp() - p_hours * interval '1 hour'
$function$;
ALTER ROUTINE ledger_forget_answers(integer) OWNER TO gw_ledger;
GRANT EXECUTE ON ROUTINE ledger_forget_answers(integer) TO gw_platform;
