CREATE OR REPLACE FUNCTION public.make_months(p_ahead integer)
 RETURNS integer
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
 SET lock_timeout TO '1s'
AS $function$
DECLARE each text; next date; made int := 0;
BEGIN
  IF p_ahead NOT BETWEEN 0 AND 24 THEN
    RAISE EXCEPTION '% months ahead', p_ahead USING ERRCODE = '22003';
  END IF;
  IF NOT pg_try_advisory_xact_lock(hashtext('make_months')) THEN RETURN 0; END IF;
  FOREACH each IN ARRAY ARRAY['usage_event', 'feed_event'] LOOP
    LOOP
      SELECT max(until_month) INTO next FROM month_partition WHERE of_table = each;
      EXIT WHEN next > month_of(clock_timestamp()) + p_ahead * interval '1 month';
      CALL add_month(each, next);
      made := made + 1;
    END LOOP;
  END LOOP;
  RETURN made;
END $function$;
ALTER ROUTINE make_months(integer) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE make_months(integer) TO gw_platform;
