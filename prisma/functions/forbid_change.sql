-- Append-only means that the database refuses: for every role, also when triggers are switched
-- to replica mode.
CREATE OR REPLACE FUNCTION public.forbid_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  RAISE EXCEPTION 'append-only table %: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = '42501';
END $function$;
ALTER ROUTINE forbid_change() OWNER TO gw_owner;
