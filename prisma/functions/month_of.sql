CREATE OR REPLACE FUNCTION public.month_of(p_at timestamp with time zone)
 RETURNS date
 LANGUAGE sql
 STABLE
AS $function$
  SELECT date_trunc('month', p_at AT TIME ZONE 'Europe/Moscow')::date
$function$;
ALTER ROUTINE month_of(timestamp with time zone) OWNER TO gw_owner;
