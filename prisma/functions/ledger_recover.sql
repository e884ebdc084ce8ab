-- Resolves up to p_limit requests of ended epochs. A charge whose answer did not reach the client
-- is refunded; an open hold is charged at its last durable checkpoint, or else released.
-- Returns how many of each; when all are zero, nothing is left.
CREATE OR REPLACE FUNCTION public.ledger_recover(p_node text, p_epoch bigint, p_limit integer)
 RETURNS TABLE(released integer, finalized integer, refunded integer)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE keys uuid[]; requests uuid[]; ops jsonb; h hold; released int := 0; finalized int := 0;
  refunded int := 0; answer text;
BEGIN
  PERFORM ledger_fence(p_node, p_epoch);
  PERFORM pg_advisory_xact_lock(hashtext('ledger_recover'));
  SELECT array_agg(w.account_id), array_agg(w.request_id) INTO keys, requests
  FROM (SELECT x.account_id, x.request_id
        FROM gateway_node g JOIN hold x ON x.node_id = g.node_id AND x.epoch < g.epoch
        WHERE x.state IN ('open', 'finalized') LIMIT p_limit) w;
  IF keys IS NULL THEN
    RETURN QUERY SELECT 0, 0, 0;
    RETURN;
  END IF;
  PERFORM 1 FROM account WHERE id = ANY (keys) ORDER BY id FOR NO KEY UPDATE;
  -- From here on the accounts are locked: what is read now stays so.
  SELECT jsonb_agg(CASE
           WHEN x.checkpoint_micro IS NULL THEN jsonb_build_object(
             'kind', 'release', 'account', x.account_id, 'request', x.request_id,
             'usage', usage_of_lost(x.checkpoint_usage, 'node_lost'))
           ELSE jsonb_build_object(
             'kind', 'finalize', 'account', x.account_id, 'request', x.request_id, 'final', true,
             'amount', x.checkpoint_micro,
             'usage', x.checkpoint_usage || '{"status": "partial", "error_code": "node_lost"}')
         END),
         count(*) FILTER (WHERE x.checkpoint_micro IS NULL),
         count(*) FILTER (WHERE x.checkpoint_micro IS NOT NULL)
  INTO ops, released, finalized
  FROM unnest(keys, requests) AS w(account_id, request_id)
  JOIN hold x ON x.account_id = w.account_id AND x.request_id = w.request_id
  JOIN gateway_node g ON g.node_id = x.node_id AND x.epoch < g.epoch
  WHERE x.state = 'open';
  PERFORM * FROM ledger_write(p_node, p_epoch, COALESCE(ops, '[]'));
  FOR h IN
    SELECT x.* FROM unnest(keys, requests) AS w(account_id, request_id)
    JOIN hold x ON x.account_id = w.account_id AND x.request_id = w.request_id
    JOIN gateway_node g ON g.node_id = x.node_id AND x.epoch < g.epoch
    WHERE x.state = 'finalized'
  LOOP
    IF h.charged_micro > h.refunded_micro THEN
      SELECT p.status INTO STRICT answer FROM ledger_post(
        h.account_id, h.request_id, 'refund', h.charged_micro - h.refunded_micro,
        'The answer did not reach the client', NULL, h.request_id) p;
      IF answer NOT IN ('ok', 'duplicate') THEN
        RAISE EXCEPTION 'the refund of % was refused: %', h.request_id, answer;
      END IF;
    END IF;
    UPDATE hold SET state = 'refunded', node_id = p_node, epoch = p_epoch
    WHERE account_id = h.account_id AND request_id = h.request_id;
    refunded := refunded + 1;
  END LOOP;
  RETURN QUERY SELECT released, finalized, refunded;
END $function$;
ALTER ROUTINE ledger_recover(text,bigint,integer) OWNER TO gw_ledger;
GRANT EXECUTE ON ROUTINE ledger_recover(text,bigint,integer) TO gw_platform;
