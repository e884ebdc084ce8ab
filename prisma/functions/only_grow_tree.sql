CREATE OR REPLACE FUNCTION public.only_grow_tree()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF NEW.size < OLD.size OR NEW.entries < OLD.entries OR NEW.receipts < OLD.receipts THEN
    RAISE EXCEPTION 'the log of % only grows', OLD.tenant_id USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $function$;
ALTER ROUTINE only_grow_tree() OWNER TO gw_owner;
