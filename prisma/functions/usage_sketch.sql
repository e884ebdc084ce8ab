CREATE OR REPLACE FUNCTION public.usage_sketch(elements bigint[])
 RETURNS bigint[]
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  SELECT coalesce(array_agg((bucket << 40) + n ORDER BY bucket), '{}')
  FROM (SELECT e >> 40 AS bucket, sum(e & 1099511627775)::bigint AS n
        FROM unnest(elements) AS e GROUP BY 1) each
$function$;
ALTER ROUTINE usage_sketch(bigint[]) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE usage_sketch(bigint[]) TO gw_app, gw_platform;
