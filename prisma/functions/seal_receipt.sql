-- Seals once by (tenant, kind, key). One tenant's seals stand in line from here to the end of the
-- transaction, because each needs the chain hash before it. Under READ COMMITTED every statement
-- of this function sees what was committed before it, so the second look finds a racer's receipt.
CREATE OR REPLACE FUNCTION public.seal_receipt(new_id uuid, of_tenant uuid, of_kind text, with_key text, canonical text, sealed bytea DEFAULT NULL::bytea, OUT receipt_id uuid, OUT already_sealed boolean)
 RETURNS record
 LANGUAGE plpgsql
AS $function$
DECLARE
  content_hash bytea := sha256(convert_to(canonical, 'UTF8'));
  last_position bigint;
  last_hash bytea;
  sealed_at timestamptz(3);
BEGIN
  already_sealed := true;
  SELECT id INTO receipt_id FROM sealed_receipt
    WHERE tenant_id = of_tenant AND kind = of_kind AND seal_key = with_key;
  IF FOUND THEN RETURN; END IF;
  -- The data key before the line of receipts, as an erasure takes them: the other way round, each
  -- would wait for the other.
  IF sealed IS NOT NULL THEN
    PERFORM enter_data_key_gate(of_tenant);
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('sealed_receipt ' || of_tenant, 0));
  SELECT id INTO receipt_id FROM sealed_receipt
    WHERE tenant_id = of_tenant AND kind = of_kind AND seal_key = with_key;
  IF FOUND THEN RETURN; END IF;
  SELECT position, chain_hash INTO last_position, last_hash FROM sealed_receipt
    WHERE tenant_id = of_tenant ORDER BY position DESC LIMIT 1;
  sealed_at := clock_timestamp();
  last_position := coalesce(last_position, 0) + 1;
  INSERT INTO sealed_receipt (id, tenant_id, kind, seal_key, position, content, content_sealed,
      sha256, previous_hash, chain_hash, created_at)
    VALUES (new_id, of_tenant, of_kind, with_key, last_position,
      CASE WHEN sealed IS NULL THEN canonical END, sealed, content_hash, last_hash,
      receipt_chain_hash(last_hash, content_hash, of_tenant, last_position, new_id, of_kind,
        sealed_at, with_key),
      sealed_at);
  receipt_id := new_id;
  already_sealed := false;
END $function$;
ALTER ROUTINE seal_receipt(uuid,uuid,text,text,text,bytea) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE seal_receipt(uuid,uuid,text,text,text,bytea) TO gw_app, gw_platform;
