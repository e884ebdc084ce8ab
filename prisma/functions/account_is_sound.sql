-- What each account must obey: nothing of it is overdrawn beyond its credit.
CREATE OR REPLACE FUNCTION public.account_is_sound(p_posted bigint, p_held bigint, p_credit_limit bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
BEGIN
  RETURN p_held >= 0 AND p_credit_limit >= 0 AND p_posted - p_held >= -p_credit_limit;
END $function$;
ALTER ROUTINE account_is_sound(bigint,bigint,bigint) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE account_is_sound(bigint,bigint,bigint) TO gw_ledger;
