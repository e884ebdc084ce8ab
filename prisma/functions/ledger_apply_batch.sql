-- A batch of operations by lanes: the common ones of each set by set, the rest one by one, and a
-- lone one by itself. A row for each that was not done as it was asked. Marks come after holds, so
-- that both lock the account once.
CREATE OR REPLACE FUNCTION public.ledger_apply_batch(p_node text, p_epoch bigint, p_accounts uuid[], p_charges jsonb, p_marks jsonb, p_holds jsonb, p_rest jsonb)
 RETURNS TABLE(lane text, i integer, status text, amount bigint, detail jsonb)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE done int[]; written int; left_over jsonb; places int[];
BEGIN
  PERFORM ledger_fence(p_node, p_epoch);
  -- Holds and marks that the disk has not seen are sent again by their process; see `Unflushed`.
  IF p_charges IS NULL AND p_rest IS NULL THEN
    PERFORM set_config('synchronous_commit', 'off', true);
  END IF;
  IF p_accounts IS NOT NULL THEN
    PERFORM FROM account WHERE id = ANY (p_accounts) ORDER BY id FOR NO KEY UPDATE;
  END IF;

  IF p_charges IS NOT NULL AND NOT ledger_apply_one(p_node, p_epoch, p_charges, true) THEN
    WITH w AS MATERIALIZED (
      SELECT r.*, x.place, x.held, x.lines, sum(x.lines) OVER so_far AS lines_so_far,
             sum(r.amount) OVER so_far AS charged_so_far, sum(x.held) OVER so_far AS held_so_far
      FROM ROWS FROM (jsonb_to_recordset(p_charges) AS (
        account uuid, request uuid, amount bigint, final boolean, usage jsonb, own_hold boolean,
        key uuid, member uuid, controls bigint
      )) WITH ORDINALITY AS r(account, request, amount, final, usage, own_hold, key, member,
                              controls, position)
      CROSS JOIN LATERAL (
        -- OFFSET and CASE keep the planner to the key: it knows nothing of a growing table.
        SELECT h.ctid AS place, h.amount_micro AS held, 1 AS lines FROM hold h
        WHERE r.own_hold IS NULL AND h.account_id = r.account AND h.request_id = r.request
          AND CASE WHEN h.state = 'open' AND r.amount BETWEEN 0 AND h.amount_micro
                     AND cardinality(h.budget_ids) = 0 THEN true ELSE false END
        UNION ALL
        -- One that brings its hold with it: what it holds is free again at once.
        SELECT NULL, 0, 2 FROM account a JOIN tenant t ON t.id = a.tenant_id
        WHERE r.own_hold AND a.id = r.account AND r.amount >= 0 AND t.status = 'active'
          AND (r.controls IS NULL OR r.controls = t.control_version)
          AND (r.key IS NULL OR EXISTS (
            SELECT FROM api_key y
            WHERE y.id = r.key AND y.tenant_id = t.id AND y.revoked_at IS NULL
              AND (y.expires_at IS NULL OR y.expires_at > clock_timestamp())))
          AND (r.member IS NULL OR EXISTS (
            SELECT FROM app_user m
            WHERE m.id = r.member AND m.tenant_id = t.id AND m.status = 'active'))
        OFFSET 0
      ) x
      WINDOW so_far AS (PARTITION BY r.account ORDER BY r.position ROWS UNBOUNDED PRECEDING)
    ), total AS MATERIALIZED (
      SELECT account, sum(lines) AS lines, sum(amount)::bigint AS charged,
             sum(held)::bigint AS held, sum(amount) FILTER (WHERE own_hold) AS asked
      FROM w GROUP BY account
    ), u AS (
      UPDATE account a SET posted_micro = a.posted_micro - t.charged,
             held_micro = a.held_micro - t.held, version = a.version + t.lines
      FROM total t
      WHERE a.id = t.account AND (
        t.asked IS NULL OR a.posted_micro - a.held_micro + a.credit_limit_micro >= t.asked)
      RETURNING a.id, a.tenant_id, a.posted_micro + t.charged AS posted,
                a.held_micro + t.held AS held, a.version - t.lines AS version,
                clock_timestamp() AS at
    ), c AS MATERIALIZED (
      SELECT w.*, u.tenant_id, u.posted, u.held AS held_before, u.version, u.at, u.rate,
             vat_inside(w.amount, u.rate) AS vat
      FROM (
        SELECT u.*, vat_rate_on((u.at AT TIME ZONE 'Europe/Moscow')::date) AS rate FROM u OFFSET 0
      ) u JOIN w ON w.account = u.id
    ), settled AS (
      UPDATE hold h SET state = CASE WHEN c.final THEN 'delivered' ELSE 'finalized' END,
             charged_micro = c.amount, node_id = p_node, epoch = p_epoch, checkpoint_usage = NULL
      FROM c
      WHERE h.ctid = c.place AND CASE WHEN h.state = 'open' THEN true ELSE false END
      RETURNING 1
    ), placed AS (
      INSERT INTO hold (
        account_id, request_id, tenant_id, amount_micro, state, charged_micro, node_id, epoch,
        created_at)
      SELECT c.account, c.request, c.tenant_id, c.amount,
             CASE WHEN c.final THEN 'delivered' ELSE 'finalized' END, c.amount, p_node, p_epoch,
             c.at
      FROM c WHERE c.own_hold
      RETURNING 1
    ), entered AS (
      INSERT INTO ledger_entry (
        account_id, account_version, tenant_id, type, request_id, contra, amount_micro,
        posted_delta, held_delta, posted_after, held_after, vat_rate_basis_points, vat_micro,
        created_at)
      SELECT c.account, c.version + c.lines_so_far - l.back, c.tenant_id, l.type, c.request,
             l.contra, c.amount, l.posted, l.held, c.posted - c.charged_so_far + l.back * c.amount,
             c.held_before - c.held_so_far + l.back * c.amount, l.rate, l.vat, c.at
      FROM c CROSS JOIN LATERAL (
        SELECT 1 AS back, 'hold' AS type, 'held' AS contra, 0::bigint AS posted, c.amount AS held,
               NULL::int AS rate, 0::bigint AS vat
        WHERE c.own_hold
        UNION ALL
        SELECT 0, 'finalize', 'revenue', -c.amount,
               CASE WHEN c.own_hold THEN -c.amount ELSE -c.held END, c.rate, c.vat
      ) l
    ), used AS (
      INSERT INTO usage_event (
        tenant_id, id, account_id, project_id, key_id, user_id, operation, requested_model, model,
        provider, route, simulated, feature, environment, client_id, input_uncached, input_cached,
        cache_write, output_text, output_reasoning, raw_usage, usage_source, prices, cost_micro,
        amount_micro, vat_rate_basis_points, vat_micro, status, error_code, http_status,
        finish_reason, streamed, latency_ms, time_to_first_token_ms, upstream_ms, overhead_us,
        attempts, policy_versions, data_class, firewall_findings, metadata, created_at)
      SELECT c.tenant_id, c.request, c.account, r.project_id, r.key_id, r.user_id, r.operation,
             r.requested_model, r.model, r.provider, r.route, r.simulated, r.feature,
             r.environment, r.client_id, r.input_uncached, r.input_cached, r.cache_write,
             r.output_text, r.output_reasoning, r.raw_usage, r.usage_source, r.prices, c.amount,
             c.amount, c.rate, c.vat, r.status, r.error_code, r.http_status, r.finish_reason,
             r.streamed, r.latency_ms, r.time_to_first_token_ms, r.upstream_ms, r.overhead_us,
             r.attempts, r.policy_versions, r.data_class, r.firewall_findings, r.metadata, c.at
      FROM c CROSS JOIN LATERAL jsonb_to_record(c.usage) AS r(
        project_id uuid, key_id uuid, user_id uuid, operation text, requested_model text,
        model text, provider text, route text, simulated boolean, feature text, environment text,
        client_id text, input_uncached int, input_cached int, cache_write int, output_text int,
        output_reasoning int, raw_usage jsonb, usage_source text, prices jsonb, status text,
        error_code text, http_status int, finish_reason text, streamed boolean, latency_ms int,
        time_to_first_token_ms int, upstream_ms int, overhead_us int, attempts int,
        policy_versions jsonb, data_class text, firewall_findings jsonb, metadata jsonb)
    )
    SELECT array_agg(c.position::int),
           (SELECT count(*) FROM settled) + (SELECT count(*) FROM placed)
    INTO done, written FROM c;
    IF written <> COALESCE(cardinality(done), 0) THEN
      RAISE EXCEPTION 'a hold was changed under its charge' USING ERRCODE = 'GW002';
    END IF;
    IF written < jsonb_array_length(p_charges) THEN
      SELECT jsonb_agg(s.op ORDER BY o.position, s.step),
             array_agg(o.position ORDER BY o.position, s.step)
      INTO left_over, places
      FROM jsonb_array_elements(p_charges) WITH ORDINALITY AS o(op, position)
      CROSS JOIN LATERAL (
        SELECT 1 AS step, o.op || '{"kind": "hold"}' AS op
        WHERE o.op -> 'own_hold' IS NOT NULL
        UNION ALL SELECT 2, o.op
      ) s
      WHERE (o.position = ANY (done)) IS NOT TRUE;
      RETURN QUERY SELECT 'charge', places[w.i], w.status, w.amount, w.detail
      FROM ledger_write(p_node, p_epoch, left_over) w;
    END IF;
  END IF;

  IF p_rest IS NOT NULL THEN
    RETURN QUERY SELECT 'rest', w.i, w.status, w.amount, w.detail
    FROM ledger_write(p_node, p_epoch, p_rest) w;
  END IF;

  IF p_holds IS NOT NULL AND NOT ledger_apply_one(p_node, p_epoch, p_holds, false) THEN
    WITH w AS MATERIALIZED (
      SELECT r.*, row_number() OVER so_far AS n, sum(r.amount) OVER so_far AS so_far
      FROM ROWS FROM (jsonb_to_recordset(p_holds) AS (
        account uuid, request uuid, amount bigint, key uuid, member uuid, controls bigint,
        usage jsonb
      )) WITH ORDINALITY AS r(account, request, amount, key, member, controls, usage, position)
      WINDOW so_far AS (PARTITION BY r.account ORDER BY r.position ROWS UNBOUNDED PRECEDING)
    ), total AS MATERIALIZED (
      SELECT w.account, count(*) AS n, sum(w.amount)::bigint AS amount
      FROM w
      JOIN account a ON a.id = w.account
      JOIN tenant t ON t.id = a.tenant_id
      GROUP BY w.account
      HAVING bool_and(
        t.status = 'active' AND w.amount >= 0
        AND (w.controls IS NULL OR w.controls = t.control_version)
        AND (w.key IS NULL OR EXISTS (
          SELECT FROM api_key y
          WHERE y.id = w.key AND y.tenant_id = t.id AND y.revoked_at IS NULL
            AND (y.expires_at IS NULL OR y.expires_at > clock_timestamp())))
        AND (w.member IS NULL OR EXISTS (
          SELECT FROM app_user m
          WHERE m.id = w.member AND m.tenant_id = t.id AND m.status = 'active')))
    ), u AS (
      UPDATE account a SET held_micro = a.held_micro + t.amount, version = a.version + t.n
      FROM total t
      WHERE a.id = t.account
        AND a.posted_micro - a.held_micro + a.credit_limit_micro >= t.amount
      RETURNING a.id, a.tenant_id, a.posted_micro AS posted, a.held_micro - t.amount AS held,
                a.version - t.n AS version, clock_timestamp() AS at
    ), entered AS (
      INSERT INTO ledger_entry (
        account_id, account_version, tenant_id, type, request_id, contra, amount_micro,
        posted_delta, held_delta, posted_after, held_after, created_at)
      SELECT u.id, u.version + w.n, u.tenant_id, 'hold', w.request, 'held', w.amount, 0, w.amount,
             u.posted, u.held + w.so_far, u.at
      FROM u JOIN w ON w.account = u.id
    ), placed AS (
      INSERT INTO hold (
        account_id, request_id, tenant_id, amount_micro, state, node_id, epoch, checkpoint_usage,
        created_at)
      SELECT u.id, w.request, u.tenant_id, w.amount, 'open', p_node, p_epoch, w.usage, u.at
      FROM u JOIN w ON w.account = u.id
    )
    SELECT array_agg(w.position::int) INTO done FROM u JOIN w ON w.account = u.id;
    IF COALESCE(cardinality(done), 0) < jsonb_array_length(p_holds) THEN
      SELECT jsonb_agg(o.op ORDER BY o.position), array_agg(o.position ORDER BY o.position)
      INTO left_over, places
      FROM jsonb_array_elements(p_holds) WITH ORDINALITY AS o(op, position)
      WHERE (o.position = ANY (done)) IS NOT TRUE;
      RETURN QUERY SELECT 'hold', places[w.i], w.status, w.amount, w.detail
      FROM ledger_write(p_node, p_epoch, left_over) w;
    END IF;
  END IF;

  -- Last: where nothing but holds came before, theirs is the lock of the account.
  IF p_marks IS NOT NULL THEN
    UPDATE hold h SET state = 'delivered', node_id = p_node, epoch = p_epoch
    FROM (
      SELECT x.place FROM jsonb_to_recordset(p_marks) AS r(account uuid, request uuid)
      CROSS JOIN LATERAL (
        SELECT f.ctid AS place FROM hold f
        WHERE f.account_id = r.account AND f.request_id = r.request
          AND CASE WHEN f.state = 'finalized' THEN true ELSE false END
        OFFSET 0
      ) x
    ) w
    WHERE h.ctid = w.place AND CASE WHEN h.state = 'finalized' THEN true ELSE false END;
  END IF;
END $function$;
ALTER ROUTINE ledger_apply_batch(text,bigint,uuid[],jsonb,jsonb,jsonb,jsonb) OWNER TO gw_ledger;
GRANT EXECUTE ON ROUTINE ledger_apply_batch(text,bigint,uuid[],jsonb,jsonb,jsonb,jsonb) TO gw_platform;
