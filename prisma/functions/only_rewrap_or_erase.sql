CREATE OR REPLACE FUNCTION public.only_rewrap_or_erase()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  IF OLD.erased_at IS NOT NULL OR NEW.id <> OLD.id OR NEW.tenant_id <> OLD.tenant_id
     OR NEW.created_at <> OLD.created_at THEN
    RAISE EXCEPTION 'the data key % cannot be changed so', OLD.id USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $function$;
ALTER ROUTINE only_rewrap_or_erase() OWNER TO gw_owner;
