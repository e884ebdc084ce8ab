-- Appends the next version of a contract. Publishers of one contract stand in line, so that the
-- versions have no gap and no racer fails.
CREATE OR REPLACE FUNCTION public.append_contract_version(new_id uuid, of_tenant uuid, of_kind text, of_key text, new_body jsonb, author uuid)
 RETURNS integer
 LANGUAGE plpgsql
AS $function$
DECLARE
  next_version integer;
BEGIN
  PERFORM pg_advisory_xact_lock(
    hashtextextended(concat_ws(E'\n', 'contract_version', of_tenant, of_kind, of_key), 0));
  SELECT coalesce(max(version), 0) + 1 INTO next_version FROM contract_version
    WHERE tenant_id = of_tenant AND kind = of_kind AND contract_key = of_key;
  INSERT INTO contract_version (id, tenant_id, kind, contract_key, version, body, created_by)
    VALUES (new_id, of_tenant, of_kind, of_key, next_version, new_body, author);
  RETURN next_version;
END $function$;
ALTER ROUTINE append_contract_version(uuid,uuid,text,text,jsonb,uuid) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE append_contract_version(uuid,uuid,text,text,jsonb,uuid) TO gw_app, gw_platform;
