-- Whose terms hold for a budget: its own, or of a cap of each those of the budget that has made it,
-- with whose id its reference begins.
CREATE OR REPLACE FUNCTION public.budget_of_terms(p_id uuid, p_scope_kind text, p_scope_ref text)
 RETURNS uuid
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT CASE p_scope_kind WHEN 'each' THEN left(p_scope_ref, 36)::uuid ELSE p_id END
$function$;
ALTER ROUTINE budget_of_terms(uuid,text,text) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE budget_of_terms(uuid,text,text) TO gw_app, gw_ledger, gw_platform;
