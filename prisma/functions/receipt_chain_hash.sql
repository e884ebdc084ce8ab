-- The chain hash of a receipt covers the chain before it, its content and what its row says about
-- it, so that no column can be edited unseen. The seal key stands last: it alone is free text.
CREATE OR REPLACE FUNCTION public.receipt_chain_hash(previous_hash bytea, content_hash bytea, tenant_id uuid, position_in_chain bigint, id uuid, kind text, created_at timestamp with time zone, seal_key text)
 RETURNS bytea
 LANGUAGE sql
 STABLE
AS $function$
  SELECT sha256(coalesce(previous_hash, ''::bytea) || content_hash || convert_to(
    concat_ws(E'\n', tenant_id, position_in_chain, id, kind,
      to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), seal_key), 'UTF8'))
$function$;
ALTER ROUTINE receipt_chain_hash(bytea,bytea,uuid,bigint,uuid,text,timestamp with time zone,text) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE receipt_chain_hash(bytea,bytea,uuid,bigint,uuid,text,timestamp with time zone,text) TO gw_app, gw_platform;
