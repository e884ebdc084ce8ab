-- What each line of the ledger must obey: it names its tax where something was supplied.
CREATE OR REPLACE FUNCTION public.ledger_entry_is_sound(p_type text, p_amount bigint, p_vat_rate integer)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
BEGIN
  RETURN p_type IN (
      'top_up', 'hold', 'finalize', 'release', 'refund', 'adjustment', 'credit', 'balance_return')
    AND p_amount >= 0
    AND (p_type IN ('credit', 'adjustment', 'balance_return')
      OR (p_vat_rate IS NULL) = (p_type IN ('hold', 'release')));
END $function$;
ALTER ROUTINE ledger_entry_is_sound(text,bigint,integer) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE ledger_entry_is_sound(text,bigint,integer) TO gw_ledger;
