-- The first day of the period that a moment falls into; a budget in total has one period.
CREATE OR REPLACE FUNCTION public.budget_period_start(p_period text, p_time_zone text, p_at timestamp with time zone)
 RETURNS date
 LANGUAGE sql
 STABLE
AS $function$
  SELECT CASE p_period
    WHEN 'day' THEN (p_at AT TIME ZONE p_time_zone)::date
    WHEN 'month' THEN date_trunc('month', p_at AT TIME ZONE p_time_zone)::date
    ELSE DATE '1970-01-01'
  END
$function$;
ALTER ROUTINE budget_period_start(text,text,timestamp with time zone) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE budget_period_start(text,text,timestamp with time zone) TO gw_app, gw_ledger, gw_platform;
