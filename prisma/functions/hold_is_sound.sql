-- What each hold must obey: a charge is within its hold, and what is refunded within the charge.
CREATE OR REPLACE FUNCTION public.hold_is_sound(p_state text, p_amount bigint, p_charged bigint, p_refunded bigint, p_budgets uuid[], p_periods date[])
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
BEGIN
  RETURN p_state IN ('open', 'finalized', 'delivered', 'refunded', 'released')
    AND (p_state IN ('finalized', 'delivered', 'refunded')) = (p_charged IS NOT NULL)
    AND p_amount >= 0 AND p_charged <= p_amount
    AND p_refunded BETWEEN 0 AND COALESCE(p_charged, 0)
    AND cardinality(p_budgets) = cardinality(p_periods);
END $function$;
ALTER ROUTINE hold_is_sound(text,bigint,bigint,bigint,uuid[],date[]) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE hold_is_sound(text,bigint,bigint,bigint,uuid[],date[]) TO gw_ledger;
