-- What exceptions have added to the cap of a budget in one period. In PL/pgSQL, so that its plan is
-- kept: the ledger asks for every budget and period of a batch, once for each, and by the index
-- also while the table is too young to have statistics. The bound keeps the
-- sum with any cap inside a bigint: an overflow would stop the batches of all tenants.
CREATE OR REPLACE FUNCTION public.budget_granted(p_budget uuid, p_period_start date)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
 SET enable_seqscan TO 'off'
AS $function$
BEGIN
  RETURN (
    SELECT LEAST(COALESCE(sum(amount_micro), 0), 4000000000000000000) FROM budget_exception
    WHERE budget_id = p_budget AND period_start = p_period_start AND status = 'granted'
  );
END $function$;
ALTER ROUTINE budget_granted(uuid,date) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE budget_granted(uuid,date) TO gw_app, gw_ledger, gw_platform;
