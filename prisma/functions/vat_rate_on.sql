-- The rate for a service rendered on a day of Moscow time.
CREATE OR REPLACE FUNCTION public.vat_rate_on(p_day date)
 RETURNS integer
 LANGUAGE sql
 STABLE
AS $function$
  SELECT basis_points FROM vat_rate WHERE effective_from <= p_day
  ORDER BY effective_from DESC LIMIT 1
$function$;
ALTER ROUTINE vat_rate_on(date) OWNER TO gw_ledger;
