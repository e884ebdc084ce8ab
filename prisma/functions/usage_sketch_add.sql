CREATE OR REPLACE FUNCTION public.usage_sketch_add(state bigint[], elements bigint[])
 RETURNS bigint[]
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
BEGIN
  IF elements IS NULL THEN RETURN state; END IF;
  IF cardinality(state) + cardinality(elements) > 4096 THEN
    RETURN public.usage_sketch(state || elements);
  END IF;
  RETURN state || elements;
END $function$;
ALTER ROUTINE usage_sketch_add(bigint[],bigint[]) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE usage_sketch_add(bigint[],bigint[]) TO gw_app, gw_platform;
