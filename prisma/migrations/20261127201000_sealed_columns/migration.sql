-- What may hold personal data is sealed beside the column in which it stood open. Rows from before
-- are read from the open column until a worker has sealed them.
CALL seal_columns('tool_call', ARRAY['arguments', 'result']);
CALL seal_columns('integration_record', ARRAY['state']);
CALL seal_columns('integration_preview', ARRAY['input', 'state_before', 'proposed_changes']);
CALL seal_columns('integration_action', ARRAY['changed_fields', 'rollback']);
CALL seal_columns('approval', ARRAY['shown']);
CALL seal_columns('prompt_version', ARRAY['samples']);
CALL seal_columns('blueprint_run', ARRAY['input', 'steps', 'business_result']);
CALL seal_columns('blueprint_run_underway', ARRAY['input', 'steps']);
CALL seal_columns('sealed_receipt', ARRAY['content'],
  'kind IN (''integration_action'', ''integration_rollback'', ''blueprint_step'', ''blueprint_run'')');
ALTER TABLE sealed_receipt ADD CHECK (content IS NOT NULL OR content_sealed IS NOT NULL);

-- A receipt whose content is sealed is hashed and chained by its open text all the same.
DROP FUNCTION seal_receipt(uuid, uuid, text, text, text);
CREATE FUNCTION seal_receipt(new_id uuid, of_tenant uuid, of_kind text, with_key text,
    canonical text, sealed bytea DEFAULT NULL, OUT receipt_id uuid, OUT already_sealed boolean)
LANGUAGE plpgsql AS $$
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
END $$;
ALTER FUNCTION seal_receipt(uuid, uuid, text, text, text, bytea) OWNER TO gw_owner;
REVOKE EXECUTE ON FUNCTION seal_receipt(uuid, uuid, text, text, text, bytea) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION seal_receipt(uuid, uuid, text, text, text, bytea) TO gw_app, gw_platform;
