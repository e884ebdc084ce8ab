CREATE OR REPLACE FUNCTION public.forbid_change_but_sealing()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  name text;
  before jsonb := to_jsonb(OLD);
  after jsonb;
  sealed text;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    after := to_jsonb(NEW);
    FOREACH name IN ARRAY TG_ARGV LOOP
      sealed := name || '_sealed';
      IF before -> name <> 'null' AND after -> name = 'null'
         AND before -> sealed = 'null' AND after -> sealed <> 'null' THEN
        before := before - name - sealed;
        after := after - name - sealed;
      END IF;
    END LOOP;
    IF before = after THEN RETURN NEW; END IF;
  END IF;
  RAISE EXCEPTION 'append-only table %: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = '42501';
END $function$;
ALTER ROUTINE forbid_change_but_sealing() OWNER TO gw_owner;
