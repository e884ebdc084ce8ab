-- The tax inside a gross amount: gross × rate / (1 + rate), half up.
CREATE OR REPLACE FUNCTION public.vat_inside(p_gross bigint, p_basis_points integer)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT div(2 * p_gross::numeric * p_basis_points + 10000 + p_basis_points,
             2 * (10000 + p_basis_points))::bigint
$function$;
ALTER ROUTINE vat_inside(bigint,integer) OWNER TO gw_ledger;
