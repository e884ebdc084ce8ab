CREATE OR REPLACE FUNCTION public.month_start_id(p_month date)
 RETURNS uuid
 LANGUAGE sql
 STABLE
AS $function$
  SELECT rpad(lpad(to_hex((extract(epoch FROM p_month::timestamp AT TIME ZONE 'Europe/Moscow')
    * 1000)::bigint), 12, '0'), 32, '0')::uuid
$function$;
ALTER ROUTINE month_start_id(date) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE month_start_id(date) TO gw_app, gw_platform;
