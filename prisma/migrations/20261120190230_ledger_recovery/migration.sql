-- What keeps money true when processes die. A node is a name; each process that serves under it
-- has an epoch of its own, and only the current epoch may write.

-- Makes the caller the node's only process: waits for statements of the epoch before, refuses
-- later ones, and returns the new epoch. A process that takes its own epoch over again, because it
-- was taken for dead, keeps the requests that nobody has resolved meanwhile.
CREATE FUNCTION ledger_take_over(p_node text, p_owner uuid) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE before gateway_node; current_epoch bigint;
BEGIN
  INSERT INTO gateway_node (node_id, epoch, owner, seen_at)
  VALUES (p_node, 0, p_owner, clock_timestamp()) ON CONFLICT (node_id) DO NOTHING;
  SELECT * INTO before FROM gateway_node WHERE node_id = p_node FOR UPDATE;
  UPDATE gateway_node
  SET epoch = epoch + 1, owner = p_owner, seen_at = clock_timestamp(), retired_at = NULL
  WHERE node_id = p_node RETURNING epoch INTO current_epoch;
  IF before.owner = p_owner THEN
    UPDATE hold SET epoch = current_epoch
    WHERE node_id = p_node AND epoch <= before.epoch AND state IN ('open', 'finalized');
  END IF;
  RETURN current_epoch;
END $$;

-- Says that the process lives, and returns the milliseconds since it said so before, by this clock.
CREATE FUNCTION ledger_beat(p_node text, p_epoch bigint) RETURNS int LANGUAGE plpgsql AS $$
DECLARE before timestamptz;
BEGIN
  PERFORM ledger_fence(p_node, p_epoch);
  SELECT seen_at INTO before FROM gateway_node WHERE node_id = p_node;
  UPDATE gateway_node SET seen_at = clock_timestamp() WHERE node_id = p_node AND epoch = p_epoch;
  RETURN (extract(epoch FROM clock_timestamp() - before) * 1000)::int;
END $$;

-- Ends the process's epoch: what it has left open belongs to recovery from now on.
CREATE FUNCTION ledger_retire(p_node text, p_epoch bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM gateway_node WHERE node_id = p_node AND epoch = p_epoch FOR UPDATE;
  UPDATE gateway_node SET epoch = epoch + 1, retired_at = clock_timestamp()
  WHERE node_id = p_node AND epoch = p_epoch;
  RETURN FOUND;
END $$;

-- Ends the epochs of nodes that were not seen for the given time, by the database's clock. One
-- caller at a time does it. A hold is taken back because its process is gone, never because of its
-- age, so a long stream is safe.
CREATE FUNCTION ledger_sweep(p_unseen_ms int) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE dead record; swept text[] := '{}';
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('ledger_sweep')) THEN RETURN swept; END IF;
  FOR dead IN
    SELECT node_id, epoch FROM gateway_node
    WHERE retired_at IS NULL AND seen_at < clock_timestamp() - p_unseen_ms * interval '1 ms'
    ORDER BY node_id FOR UPDATE
  LOOP
    PERFORM ledger_retire(dead.node_id, dead.epoch);
    swept := swept || dead.node_id;
  END LOOP;
  RETURN swept;
END $$;

-- Resolves up to p_limit requests of ended epochs. A charge whose answer did not reach the client
-- is refunded; an open hold is charged at its last durable checkpoint, or else released.
-- Returns how many of each; when all are zero, nothing is left.
CREATE FUNCTION ledger_recover(p_node text, p_epoch bigint, p_limit int)
RETURNS TABLE (released int, finalized int, refunded int) LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off
AS $$
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
           WHEN x.checkpoint_usage IS NULL THEN jsonb_build_object(
             'kind', 'release', 'account', x.account_id, 'request', x.request_id)
           ELSE jsonb_build_object(
             'kind', 'finalize', 'account', x.account_id, 'request', x.request_id, 'final', true,
             'amount', x.checkpoint_micro,
             'usage', x.checkpoint_usage || '{"status": "partial", "error_code": "node_lost"}')
         END),
         count(*) FILTER (WHERE x.checkpoint_usage IS NULL),
         count(*) FILTER (WHERE x.checkpoint_usage IS NOT NULL)
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
END $$;
