CREATE OR REPLACE FUNCTION public.only_grow_tile()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF substr(NEW.hashes, 1, length(OLD.hashes)) <> OLD.hashes
     OR NEW.keys[1:cardinality(OLD.keys)] IS DISTINCT FROM OLD.keys THEN
    RAISE EXCEPTION 'the log of % only grows', OLD.tenant_id USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $function$;
ALTER ROUTINE only_grow_tile() OWNER TO gw_owner;
