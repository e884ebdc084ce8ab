CREATE OR REPLACE FUNCTION public.months_standing()
 RETURNS TABLE(of_table text, until_month date, beyond bigint, late bigint)
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
DECLARE each record;
BEGIN
  FOR each IN
    SELECT m.of_table, max(m.until_month) AS until_month FROM month_partition m GROUP BY 1 ORDER BY 1
  LOOP
    RETURN QUERY EXECUTE format(
      'SELECT %L::text, %L::date, count(*) FILTER (WHERE id >= %L),
         count(*) FILTER (WHERE id < %L) FROM gw_months.%I',
      each.of_table, each.until_month, month_start_id(each.until_month),
      month_start_id(each.until_month), each.of_table || '_rest');
  END LOOP;
END $function$;
ALTER ROUTINE months_standing() OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE months_standing() TO gw_platform;
