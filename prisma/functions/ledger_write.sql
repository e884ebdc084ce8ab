-- Applies a mixed batch: hold, finalize, release, delivered, checkpoint. One lock and one balance
-- write for each account; everything between is decided in memory, in the order of the batch.
-- Operations of one request share a slot, so a batch may carry the same request more than once.
-- An operation that is refused changes nothing; one that was done before answers `duplicate`.
-- A charge is at most its hold. What an upstream reported beyond the bounds of the request comes as
-- `overrun` and is kept in a row of its own; the answer of a keyed request comes as `answer`, is
-- kept with the charge, and makes it final. A hold brings what recovery writes as its usage.
-- A budget that allows counts and never refuses; one that degrades does not refuse a hold that
-- names it in `beyond`, since that request has given way to it. Their highest cap is then what they
-- count. A cap of each has the terms of the budget that has made it.
-- Plans are pinned to the indexes: a plan made while the tables were empty must not read them whole
-- when they have grown.
CREATE OR REPLACE FUNCTION public.ledger_write(p_node text, p_epoch bigint, p_ops jsonb)
 RETURNS TABLE(i integer, status text, amount bigint, detail jsonb)
 LANGUAGE plpgsql
 SET enable_seqscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
 SET plan_cache_mode TO 'force_generic_plan'
 SET jit TO 'off'
AS $function$
#variable_conflict use_column
DECLARE
  n int := jsonb_array_length(p_ops);
  now_at timestamptz;
  today date;
  -- by operation
  op_kind text[]; op_slot int[]; op_account int[]; op_account_id uuid[]; op_request uuid[];
  op_amount bigint[]; op_key uuid[]; op_member uuid[]; op_budgets jsonb[]; op_beyond jsonb[];
  op_usage jsonb[];
  op_final boolean[]; op_day date[]; op_overrun jsonb[]; op_answer text[]; op_controls bigint[];
  op_refusal text[];
  out_status text[]; out_amount bigint[]; out_detail jsonb[];
  -- by account
  account_ids uuid[]; account_tenant uuid[]; account_posted bigint[]; account_held bigint[];
  account_credit bigint[]; account_version bigint[]; account_before bigint[];
  -- by request
  slot_account_id uuid[]; slot_request uuid[]; slot_account int[]; slot_before text[];
  slot_state text[]; slot_amount bigint[]; slot_charged bigint[]; slot_uncollected bigint[];
  slot_budgeted boolean[]; slot_changed boolean[]; slot_from int[]; slot_to int[];
  slot_checkpoint bigint[]; slot_checkpoint_usage jsonb[];
  -- by pair of request and budget, and by budget and period
  pair_slot int[]; pair_counter int[]; pair_budget uuid[]; pair_period date[];
  counter_budget uuid[]; counter_period date[]; counter_name text[]; counter_kind text[];
  counter_cap bigint[]; counter_spent bigint[]; counter_held bigint[]; counter_overrun bigint[];
  counter_tenant uuid[]; counter_on_cap text[]; counter_changed boolean[];
  -- lines to write
  e int := 0; entry_op int[]; entry_amount bigint[]; entry_posted bigint[]; entry_held bigint[];
  entry_posted_after bigint[]; entry_held_after bigint[]; entry_version bigint[];
  entry_rate int[]; entry_vat bigint[];
  u int := 0; usage_op int[]; usage_cost bigint[]; usage_amount bigint[]; usage_rate int[];
  usage_vat bigint[];
  o int := 0; overrun_op int[]; overrun_held bigint[]; overrun_cost bigint[];
  overrun_charged bigint[];
  kept_op int[];
  -- of the operation at hand
  k int; s int; a int; c int; p int; kind text; state text; refusal text; free bigint;
  money bigint; charge bigint; posted_delta bigint; held_delta bigint; rate int; rate_today int;
  vat bigint;
BEGIN
  IF n = 0 THEN RETURN; END IF;
  SELECT array_agg(x.kind), array_agg(x.slot), array_agg(x.account_ix), array_agg(x.account),
         array_agg(x.request), array_agg(x.amount), array_agg(x.key), array_agg(x.member),
         array_agg(x.budgets), array_agg(x.beyond), array_agg(x.usage), array_agg(x.final),
         array_agg(x.supplied_on), array_agg(x.overrun), array_agg(x.answer), array_agg(x.controls)
  INTO op_kind, op_slot, op_account, op_account_id, op_request, op_amount, op_key, op_member,
       op_budgets, op_beyond, op_usage, op_final, op_day, op_overrun, op_answer, op_controls
  FROM (
    SELECT r.*, dense_rank() OVER (ORDER BY r.account, r.request)::int AS slot,
           dense_rank() OVER (ORDER BY r.account)::int AS account_ix
    FROM ROWS FROM (jsonb_to_recordset(p_ops) AS (
      kind text, account uuid, request uuid, amount bigint, key uuid, member uuid, budgets jsonb,
      beyond jsonb, usage jsonb, final boolean, supplied_on date, overrun jsonb, answer text,
      controls bigint
    )) WITH ORDINALITY AS r(kind, account, request, amount, key, member, budgets, beyond, usage,
                            final, supplied_on, overrun, answer, controls, position)
    ORDER BY r.position
  ) x;

  -- Accounts are locked in the order of their ids, so that batches of two nodes cannot deadlock.
  account_ids := ARRAY(SELECT DISTINCT id FROM unnest(op_account_id) id ORDER BY id);
  WITH locked AS MATERIALIZED (
    SELECT * FROM account WHERE id = ANY (account_ids) ORDER BY id FOR NO KEY UPDATE
  )
  SELECT array_agg(l.tenant_id), array_agg(l.posted_micro), array_agg(l.held_micro),
         array_agg(l.credit_limit_micro), array_agg(l.version)
  INTO account_tenant, account_posted, account_held, account_credit, account_before
  FROM (
    SELECT locked.* FROM unnest(account_ids) WITH ORDINALITY AS w(wanted, position)
    LEFT JOIN locked ON locked.id = w.wanted ORDER BY w.position
  ) l;
  account_version := account_before;
  -- After the lock, so that the lines of an account are in the order of their times.
  now_at := clock_timestamp();
  today := (now_at AT TIME ZONE 'Europe/Moscow')::date;
  IF 'finalize' = ANY (op_kind) OR 'release' = ANY (op_kind) THEN
    SELECT basis_points INTO rate_today FROM vat_rate WHERE effective_from <= today
    ORDER BY effective_from DESC LIMIT 1;
  END IF;

  SELECT array_agg(l.account_id), array_agg(l.request_id), array_agg(l.account_ix),
         array_agg(l.state), array_agg(l.amount_micro), array_agg(l.charged_micro),
         array_agg(l.uncollected_micro), array_agg(l.budgeted), array_agg(false)
  INTO slot_account_id, slot_request, slot_account, slot_before, slot_amount, slot_charged,
       slot_uncollected, slot_budgeted, slot_changed
  FROM (
    SELECT w.account_id, w.request_id, w.account_ix, h.state, h.amount_micro, h.charged_micro,
           h.uncollected_micro, cardinality(h.budget_ids) > 0 AS budgeted
    FROM (
      SELECT DISTINCT ON (slot) slot, account_id, request_id, account_ix
      FROM unnest(op_slot, op_account_id, op_request, op_account)
        AS w(slot, account_id, request_id, account_ix)
      ORDER BY slot
    ) w
    LEFT JOIN hold h ON h.account_id = w.account_id AND h.request_id = w.request_id
    ORDER BY w.slot
  ) l;
  slot_state := slot_before;
  slot_from := array_fill(1, ARRAY[cardinality(slot_state)]);
  slot_to := array_fill(0, ARRAY[cardinality(slot_state)]);
  slot_checkpoint := array_fill(NULL::bigint, ARRAY[cardinality(slot_state)]);
  slot_checkpoint_usage := array_fill(NULL::jsonb, ARRAY[cardinality(slot_state)]);

  IF true = ANY (slot_budgeted) OR EXISTS (
    SELECT 1 FROM unnest(op_budgets) b WHERE jsonb_array_length(b) > 0
  ) THEN
    SELECT array_agg(b.slot), array_agg(b.counter), array_agg(b.budget_id),
           array_agg(b.period_start)
    INTO pair_slot, pair_counter, pair_budget, pair_period
    FROM (
      WITH first_hold AS (
        SELECT DISTINCT ON (w.slot) w.slot, account_tenant[w.account_ix] AS tenant_id, w.budgets
        FROM unnest(op_kind, op_slot, op_account, op_budgets) WITH ORDINALITY
          AS w(kind, slot, account_ix, budgets, position)
        WHERE w.kind = 'hold' AND slot_state[w.slot] IS NULL
        ORDER BY w.slot, w.position
      )
      SELECT * FROM ledger_budget_pairs(
        slot_account_id, slot_request, slot_before,
        ARRAY(SELECT slot FROM first_hold ORDER BY slot),
        ARRAY(SELECT tenant_id FROM first_hold ORDER BY slot),
        ARRAY(SELECT budgets FROM first_hold ORDER BY slot), now_at)
    ) b;
    FOR p IN 1 .. COALESCE(cardinality(pair_slot), 0) LOOP
      s := pair_slot[p];
      IF slot_to[s] = 0 THEN slot_from[s] := p; END IF;
      slot_to[s] := p;
    END LOOP;
    SELECT array_agg(l.budget_id), array_agg(l.period_start), array_agg(l.name),
           array_agg(l.period), array_agg(l.cap), array_agg(l.spent), array_agg(l.held),
           array_agg(l.overrun), array_agg(l.tenant_id), array_agg(l.on_cap), array_agg(false)
    INTO counter_budget, counter_period, counter_name, counter_kind, counter_cap, counter_spent,
         counter_held, counter_overrun, counter_tenant, counter_on_cap, counter_changed
    FROM (
      SELECT w.budget_id, w.period_start, g.name, g.period, g.tenant_id,
             t.on_cap_reached AS on_cap,
             CASE WHEN w.period_start IS NOT NULL
               THEN t.cap_micro + budget_granted(w.budget_id, w.period_start) END AS cap,
             COALESCE(b.spent_micro, 0) AS spent, COALESCE(b.held_micro, 0) AS held,
             COALESCE(b.overrun_micro, 0) AS overrun
      FROM (SELECT DISTINCT budget_id, period_start
            FROM unnest(pair_budget, pair_period) AS w(budget_id, period_start)) w
      LEFT JOIN budget g ON g.id = w.budget_id
      LEFT JOIN budget t ON t.id = budget_of_terms(g.id, g.scope_kind, g.scope_ref)
      LEFT JOIN budget_counter b ON b.budget_id = w.budget_id AND b.period_start = w.period_start
      ORDER BY w.budget_id, w.period_start
    ) l;
  END IF;

  IF 'hold' = ANY (op_kind) THEN
    op_refusal := ARRAY(
      SELECT CASE
               WHEN w.kind <> 'hold' THEN NULL
               WHEN t.status IS DISTINCT FROM 'active' THEN 'tenant_suspended'
               WHEN w.member IS NOT NULL AND m.status IS DISTINCT FROM 'active' THEN 'user_removed'
               WHEN w.key IS NOT NULL AND (y.id IS NULL OR y.revoked_at IS NOT NULL)
                 THEN 'key_revoked'
               WHEN y.expires_at <= clock_timestamp() THEN 'key_expired'
               WHEN w.controls <> t.control_version THEN 'controls_changed'
             END
      FROM (
        SELECT kind, key, member, controls, position,
               CASE WHEN kind = 'hold' THEN account_tenant[account_ix] END AS tenant_id
        FROM unnest(op_kind, op_account, op_key, op_member, op_controls) WITH ORDINALITY
          AS w(kind, account_ix, key, member, controls, position)
      ) w
      LEFT JOIN tenant t ON t.id = w.tenant_id
      LEFT JOIN api_key y ON y.id = w.key AND y.tenant_id = w.tenant_id
      LEFT JOIN app_user m ON m.id = w.member AND m.tenant_id = w.tenant_id
      ORDER BY w.position
    );
  END IF;

  out_status := array_fill('ok'::text, ARRAY[n]);
  out_amount := array_fill(0::bigint, ARRAY[n]);
  out_detail := array_fill(NULL::jsonb, ARRAY[n]);
  FOR k IN 1 .. n LOOP
    kind := op_kind[k]; s := op_slot[k]; a := op_account[k]; state := slot_state[s];
    money := op_amount[k];
    IF kind IN ('hold', 'finalize', 'checkpoint') AND (money >= 0) IS NOT TRUE THEN
      RAISE EXCEPTION 'a % of % micro-rubles', kind, money USING ERRCODE = '22003';
    END IF;
    IF account_before[a] IS NULL THEN
      out_status[k] := 'unknown_account';
      CONTINUE;
    END IF;
    free := account_posted[a] - account_held[a] + account_credit[a];

    IF kind = 'hold' THEN
      IF state IS NOT NULL THEN
        out_status[k] := CASE state WHEN 'open' THEN 'duplicate' ELSE 'already_settled' END;
        out_amount[k] := slot_amount[s];
        CONTINUE;
      END IF;
      refusal := op_refusal[k];
      FOR p IN slot_from[s] .. slot_to[s] LOOP
        EXIT WHEN refusal IS NOT NULL;
        c := pair_counter[p];
        IF counter_cap[c] IS NULL THEN
          refusal := 'unknown_budget';
        ELSIF counter_on_cap[c] = 'allow' OR (counter_on_cap[c] = 'degrade'
              AND COALESCE(op_beyond[k] ? counter_budget[c]::text, false)) THEN
          CONTINUE;
        ELSIF counter_spent[c] + counter_held[c] + money > counter_cap[c] THEN
          refusal := CASE WHEN counter_spent[c] + money > counter_cap[c]
                       THEN 'budget_exhausted' ELSE 'budget_reserved' END;
          out_detail[k] := jsonb_build_object(
            'budget', counter_budget[c], 'name', counter_name[c], 'period', counter_kind[c],
            'spent', counter_spent[c]::text, 'held', counter_held[c]::text,
            'cap', counter_cap[c]::text);
        END IF;
      END LOOP;
      IF refusal IS NULL AND free < money THEN
        refusal := 'insufficient';
        out_detail[k] := jsonb_build_object('available', free::text);
      END IF;
      IF refusal IS NOT NULL THEN
        out_status[k] := refusal;
        CONTINUE;
      END IF;
      posted_delta := 0; held_delta := money; charge := money; rate := NULL; vat := 0;
      slot_state[s] := 'open'; slot_amount[s] := money; slot_checkpoint_usage[s] := op_usage[k];
      FOR p IN slot_from[s] .. slot_to[s] LOOP
        c := pair_counter[p];
        counter_held[c] := counter_held[c] + money;
        counter_changed[c] := true;
      END LOOP;

    ELSIF kind IN ('finalize', 'release') AND state = 'open' THEN
      rate := CASE WHEN op_day[k] IS NULL THEN rate_today ELSE vat_rate_on(op_day[k]) END;
      held_delta := -slot_amount[s];
      IF kind = 'finalize' THEN
        -- The caller keeps to the hold by construction; here is the wall behind it.
        charge := LEAST(money, slot_amount[s]);
        posted_delta := -charge;
        vat := vat_inside(charge, rate);
        IF op_answer[k] IS NOT NULL THEN kept_op := kept_op || k; END IF;
        slot_state[s] := CASE WHEN op_final[k] OR op_answer[k] IS NOT NULL
                           THEN 'delivered' ELSE 'finalized' END;
        slot_charged[s] := charge; slot_uncollected[s] := money - charge;
        IF money > charge THEN
          out_detail[k] := jsonb_build_object('uncollected', (money - charge)::text);
        END IF;
        IF money > slot_amount[s] OR op_overrun[k] IS NOT NULL THEN
          o := o + 1;
          overrun_op[o] := k; overrun_held[o] := slot_amount[s];
          overrun_cost[o] := GREATEST(money, (op_overrun[k] ->> 'cost')::bigint);
          overrun_charged[o] := charge;
        END IF;
        out_amount[k] := charge;
      ELSE
        charge := slot_amount[s]; posted_delta := 0; vat := 0;
        slot_state[s] := 'released';
      END IF;
      FOR p IN slot_from[s] .. slot_to[s] LOOP
        c := pair_counter[p];
        counter_held[c] := counter_held[c] - slot_amount[s];
        counter_spent[c] := counter_spent[c] - posted_delta;
        counter_changed[c] := true;
      END LOOP;
      IF op_usage[k] IS NOT NULL THEN
        u := u + 1;
        usage_op[u] := k; usage_amount[u] := -posted_delta; usage_rate[u] := rate;
        usage_vat[u] := vat;
        usage_cost[u] := CASE kind WHEN 'finalize' THEN money ELSE 0 END;
      END IF;
      IF kind = 'release' THEN rate := NULL; END IF;

    ELSIF kind = 'delivered' AND state = 'finalized' THEN
      slot_state[s] := 'delivered';
      slot_changed[s] := true;
      CONTINUE;

    ELSIF kind = 'checkpoint' AND state = 'open' THEN
      slot_checkpoint[s] := money; slot_checkpoint_usage[s] := op_usage[k];
      slot_changed[s] := true;
      CONTINUE;

    ELSE
      out_status[k] := CASE
        WHEN state IS NULL THEN 'no_hold'
        WHEN state = 'open' THEN 'not_finalized'
        WHEN state = 'released' THEN
          CASE kind WHEN 'release' THEN 'duplicate' ELSE 'already_released' END
        WHEN kind = 'finalize' THEN 'duplicate'
        WHEN kind = 'delivered' AND state = 'delivered' THEN 'duplicate'
        WHEN kind = 'delivered' THEN 'already_refunded'
        ELSE 'already_finalized'
      END;
      out_amount[k] := CASE WHEN kind IN ('finalize', 'delivered') THEN slot_charged[s] END;
      IF slot_uncollected[s] > 0 THEN
        out_detail[k] := jsonb_build_object('uncollected', slot_uncollected[s]::text);
      END IF;
      IF kind = 'finalize' AND op_final[k] AND state = 'finalized' THEN
        slot_state[s] := 'delivered'; slot_changed[s] := true;
      END IF;
      CONTINUE;
    END IF;

    slot_changed[s] := true;
    account_posted[a] := account_posted[a] + posted_delta;
    account_held[a] := account_held[a] + held_delta;
    account_version[a] := account_version[a] + 1;
    e := e + 1;
    entry_op[e] := k; entry_amount[e] := charge; entry_posted[e] := posted_delta;
    entry_held[e] := held_delta; entry_posted_after[e] := account_posted[a];
    entry_held_after[e] := account_held[a]; entry_version[e] := account_version[a];
    entry_rate[e] := rate; entry_vat[e] := vat;
    IF kind = 'hold' THEN out_amount[k] := money; END IF;
  END LOOP;

  IF e > 0 THEN
    INSERT INTO ledger_entry (
      account_id, account_version, tenant_id, type, request_id, contra, amount_micro, posted_delta,
      held_delta, posted_after, held_after, vat_rate_basis_points, vat_micro, created_at)
    SELECT op_account_id[w.op], w.version, account_tenant[op_account[w.op]], op_kind[w.op],
           op_request[w.op], CASE op_kind[w.op] WHEN 'finalize' THEN 'revenue' ELSE 'held' END,
           w.amount, w.posted, w.held, w.posted_after, w.held_after, w.rate, w.vat, now_at
    FROM unnest(entry_op, entry_version, entry_amount, entry_posted, entry_held,
                entry_posted_after, entry_held_after, entry_rate, entry_vat)
      AS w(op, version, amount, posted, held, posted_after, held_after, rate, vat);
    UPDATE account SET posted_micro = w.posted, held_micro = w.held, version = w.version
    FROM unnest(account_ids, account_posted, account_held, account_version, account_before)
      AS w(id, posted, held, version, before)
    WHERE account.id = w.id AND w.version <> w.before;
  END IF;
  IF true = ANY (slot_changed) THEN
    INSERT INTO hold (
      account_id, request_id, tenant_id, amount_micro, state, charged_micro, uncollected_micro,
      budget_ids, period_starts, node_id, epoch, checkpoint_micro, checkpoint_usage, created_at)
    SELECT w.account_id, w.request_id, account_tenant[w.account_ix], w.amount, w.state, w.charged,
           COALESCE(w.uncollected, 0), COALESCE(pair_budget[w.low:w.high], '{}'),
           COALESCE(pair_period[w.low:w.high], '{}'), p_node, p_epoch, w.checkpoint,
           CASE WHEN w.state = 'open' THEN w.checkpoint_usage END, now_at
    FROM unnest(slot_account_id, slot_request, slot_account, slot_before, slot_state, slot_amount,
                slot_charged, slot_uncollected, slot_from, slot_to, slot_checkpoint,
                slot_checkpoint_usage, slot_changed)
      AS w(account_id, request_id, account_ix, before, state, amount, charged, uncollected, low,
           high, checkpoint, checkpoint_usage, changed)
    WHERE w.changed AND w.before IS NULL;
    UPDATE hold h SET state = w.state, charged_micro = w.charged,
           uncollected_micro = w.uncollected, node_id = p_node, epoch = p_epoch,
           checkpoint_micro = COALESCE(w.checkpoint, h.checkpoint_micro),
           checkpoint_usage = CASE WHEN w.state <> 'open' THEN NULL
                                   ELSE COALESCE(w.checkpoint_usage, h.checkpoint_usage) END
    FROM unnest(slot_account_id, slot_request, slot_before, slot_state, slot_charged,
                slot_uncollected, slot_checkpoint, slot_checkpoint_usage, slot_changed)
      AS w(account_id, request_id, before, state, charged, uncollected, checkpoint,
           checkpoint_usage, changed)
    WHERE h.account_id = w.account_id AND h.request_id = w.request_id
      AND w.changed AND w.before IS NOT NULL;
  END IF;
  IF true = ANY (counter_changed) THEN
    INSERT INTO budget_counter AS b (
      budget_id, period_start, tenant_id, spent_micro, held_micro, cap_micro, overrun_micro)
    SELECT w.budget_id, w.period_start, w.tenant_id, w.spent, w.held,
           CASE WHEN w.on_cap IN ('allow', 'degrade')
             THEN GREATEST(w.cap, w.spent + w.held - w.overrun) ELSE w.cap END,
           w.overrun
    FROM unnest(counter_budget, counter_period, counter_tenant, counter_spent, counter_held,
                counter_cap, counter_overrun, counter_on_cap, counter_changed)
      AS w(budget_id, period_start, tenant_id, spent, held, cap, overrun, on_cap, changed)
    WHERE w.changed
    ON CONFLICT (budget_id, period_start) DO UPDATE
      SET spent_micro = EXCLUDED.spent_micro, held_micro = EXCLUDED.held_micro,
          cap_micro = GREATEST(b.cap_micro, EXCLUDED.cap_micro),
          overrun_micro = EXCLUDED.overrun_micro;
  END IF;
  IF o > 0 THEN
    INSERT INTO ledger_overrun (
      account_id, request_id, tenant_id, held_micro, cost_micro, charged_micro, provider, model,
      raw_usage, input_tokens_max, output_tokens_max, created_at)
    SELECT op_account_id[w.op], op_request[w.op], account_tenant[op_account[w.op]], w.held, w.cost,
           w.charged, r.provider, r.model, r.raw_usage, r.input_tokens_max, r.output_tokens_max,
           now_at
    FROM unnest(overrun_op, overrun_held, overrun_cost, overrun_charged)
      AS w(op, held, cost, charged)
    LEFT JOIN LATERAL jsonb_to_record(op_overrun[w.op]) AS r(
      provider text, model text, raw_usage jsonb, input_tokens_max bigint,
      output_tokens_max bigint) ON true;
  END IF;
  IF kept_op IS NOT NULL THEN
    INSERT INTO kept_answer (account_id, request_id, tenant_id, answer, created_at)
    SELECT op_account_id[w.op], op_request[w.op], account_tenant[op_account[w.op]],
           decode(op_answer[w.op], 'base64'), now_at
    FROM unnest(kept_op) AS w(op);
  END IF;
  IF u > 0 THEN
    INSERT INTO usage_event (
      tenant_id, id, account_id, project_id, key_id, user_id, operation, requested_model, model,
      provider, route, simulated, feature, environment, client_id, input_uncached, input_cached,
      cache_write, output_text, output_reasoning, raw_usage, usage_source, prices, cost_micro,
      amount_micro, vat_rate_basis_points, vat_micro, status, error_code, http_status,
      finish_reason, streamed, latency_ms, time_to_first_token_ms, upstream_ms, overhead_us,
      attempts, policy_versions, data_class, firewall_findings, metadata, created_at)
    SELECT account_tenant[op_account[w.op]], op_request[w.op], op_account_id[w.op], r.project_id,
           r.key_id, r.user_id, r.operation, r.requested_model, r.model, r.provider, r.route,
           r.simulated, r.feature, r.environment, r.client_id, r.input_uncached, r.input_cached,
           r.cache_write, r.output_text, r.output_reasoning, r.raw_usage, r.usage_source, r.prices,
           w.cost, w.amount, w.rate, w.vat, r.status, r.error_code, r.http_status, r.finish_reason,
           r.streamed, r.latency_ms, r.time_to_first_token_ms, r.upstream_ms, r.overhead_us,
           r.attempts, r.policy_versions, r.data_class, r.firewall_findings, r.metadata, now_at
    FROM unnest(usage_op, usage_cost, usage_amount, usage_rate, usage_vat)
      AS w(op, cost, amount, rate, vat)
    CROSS JOIN LATERAL jsonb_to_record(op_usage[w.op]) AS r(
      project_id uuid, key_id uuid, user_id uuid, operation text, requested_model text, model text,
      provider text, route text, simulated boolean, feature text, environment text, client_id text,
      input_uncached int, input_cached int, cache_write int, output_text int, output_reasoning int,
      raw_usage jsonb, usage_source text, prices jsonb, status text, error_code text,
      http_status int, finish_reason text, streamed boolean, latency_ms int,
      time_to_first_token_ms int, upstream_ms int, overhead_us int, attempts int,
      policy_versions jsonb, data_class text, firewall_findings jsonb, metadata jsonb);
  END IF;

  RETURN QUERY SELECT w.position::int, w.status, w.amount, w.detail
  FROM unnest(out_status, out_amount, out_detail) WITH ORDINALITY
    AS w(status, amount, detail, position);
END $function$;
ALTER ROUTINE ledger_write(text,bigint,jsonb) OWNER TO gw_ledger;
