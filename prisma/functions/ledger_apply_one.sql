-- One hold or one charge, by the rules and with the rows of its lane in `ledger_apply_batch`, in
-- statements that cost less to begin. False, and nothing is done, where `p_ops` has another number
-- of operations, or where the lane would not do this one as it was asked.
CREATE OR REPLACE FUNCTION public.ledger_apply_one(p_node text, p_epoch bigint, p_ops jsonb, p_charges boolean)
 RETURNS boolean
 LANGUAGE plpgsql
AS $function$
DECLARE
  op record; balance record; at timestamptz; final_state text; freed bigint; rate int; vat bigint;
  -- of what is taken here
  charged bigint; kept bigint;
BEGIN
  IF jsonb_array_length(p_ops) <> 1 THEN RETURN false; END IF;
  SELECT r.* INTO op FROM jsonb_to_record(p_ops -> 0) AS r(
    account uuid, request uuid, amount bigint, final boolean, usage jsonb, own_hold boolean,
    key uuid, member uuid, controls bigint);
  IF op.amount < 0 THEN RETURN false; END IF;
  final_state := CASE WHEN op.final THEN 'delivered' ELSE 'finalized' END;

  IF NOT p_charges OR op.own_hold THEN
    -- What a charge brings with it is free again at once.
    charged := CASE WHEN p_charges THEN op.amount ELSE 0 END;
    kept := op.amount - charged;
    UPDATE account a SET posted_micro = a.posted_micro - charged,
           held_micro = a.held_micro + kept, version = a.version + 1 + p_charges::int
    FROM tenant t
    WHERE a.id = op.account AND t.id = a.tenant_id AND t.status = 'active'
      AND (op.controls IS NULL OR op.controls = t.control_version)
      AND a.posted_micro - a.held_micro + a.credit_limit_micro >= op.amount
      AND (op.key IS NULL OR EXISTS (
        SELECT FROM api_key y
        WHERE y.id = op.key AND y.tenant_id = t.id AND y.revoked_at IS NULL
          AND (y.expires_at IS NULL OR y.expires_at > clock_timestamp())))
      AND (op.member IS NULL OR EXISTS (
        SELECT FROM app_user m
        WHERE m.id = op.member AND m.tenant_id = t.id AND m.status = 'active'))
    RETURNING a.tenant_id, a.version, a.posted_micro, a.held_micro INTO balance;
    IF NOT FOUND THEN RETURN false; END IF;
    at := clock_timestamp();
    freed := op.amount;
    INSERT INTO ledger_entry (
      account_id, account_version, tenant_id, type, request_id, contra, amount_micro,
      posted_delta, held_delta, posted_after, held_after, created_at)
    VALUES (
      op.account, balance.version - p_charges::int, balance.tenant_id, 'hold', op.request, 'held',
      op.amount, 0, op.amount, balance.posted_micro + charged, balance.held_micro + charged, at);
    INSERT INTO hold (
      account_id, request_id, tenant_id, amount_micro, state, charged_micro, node_id, epoch,
      checkpoint_usage, created_at)
    VALUES (
      op.account, op.request, balance.tenant_id, op.amount,
      CASE WHEN p_charges THEN final_state ELSE 'open' END,
      CASE WHEN p_charges THEN op.amount END, p_node, p_epoch,
      CASE WHEN p_charges THEN NULL ELSE op.usage END, at);
    IF NOT p_charges THEN RETURN true; END IF;
  ELSE
    -- CASE keeps the planner to the key: it knows nothing of a growing table.
    UPDATE account a SET posted_micro = a.posted_micro - op.amount,
           held_micro = a.held_micro - h.amount_micro, version = a.version + 1
    FROM hold h
    WHERE a.id = op.account AND h.account_id = op.account AND h.request_id = op.request
      AND CASE WHEN h.state = 'open' AND op.amount <= h.amount_micro
                 AND cardinality(h.budget_ids) = 0 THEN true ELSE false END
    RETURNING a.tenant_id, a.version, a.posted_micro, a.held_micro, h.amount_micro AS freed,
              h.ctid AS place
    INTO balance;
    IF NOT FOUND THEN RETURN false; END IF;
    at := clock_timestamp();
    freed := balance.freed;
    UPDATE hold h SET state = final_state, charged_micro = op.amount, node_id = p_node,
           epoch = p_epoch, checkpoint_usage = NULL
    WHERE h.ctid = balance.place AND CASE WHEN h.state = 'open' THEN true ELSE false END;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'a hold was changed under its charge' USING ERRCODE = 'GW002';
    END IF;
  END IF;

  rate := vat_rate_on((at AT TIME ZONE 'Europe/Moscow')::date);
  vat := vat_inside(op.amount, rate);
  INSERT INTO ledger_entry (
    account_id, account_version, tenant_id, type, request_id, contra, amount_micro, posted_delta,
    held_delta, posted_after, held_after, vat_rate_basis_points, vat_micro, created_at)
  VALUES (
    op.account, balance.version, balance.tenant_id, 'finalize', op.request, 'revenue', op.amount,
    -op.amount, -freed, balance.posted_micro, balance.held_micro, rate, vat, at);
  INSERT INTO usage_event (
    tenant_id, id, account_id, project_id, key_id, user_id, operation, requested_model, model,
    provider, route, simulated, feature, environment, client_id, input_uncached, input_cached,
    cache_write, output_text, output_reasoning, raw_usage, usage_source, prices, cost_micro,
    amount_micro, vat_rate_basis_points, vat_micro, status, error_code, http_status,
    finish_reason, streamed, latency_ms, time_to_first_token_ms, upstream_ms, overhead_us,
    attempts, policy_versions, data_class, firewall_findings, metadata, created_at)
  SELECT balance.tenant_id, op.request, op.account, r.project_id, r.key_id, r.user_id, r.operation,
         r.requested_model, r.model, r.provider, r.route, r.simulated, r.feature,
         r.environment, r.client_id, r.input_uncached, r.input_cached, r.cache_write,
         r.output_text, r.output_reasoning, r.raw_usage, r.usage_source, r.prices, op.amount,
         op.amount, rate, vat, r.status, r.error_code, r.http_status, r.finish_reason,
         r.streamed, r.latency_ms, r.time_to_first_token_ms, r.upstream_ms, r.overhead_us,
         r.attempts, r.policy_versions, r.data_class, r.firewall_findings, r.metadata, at
  FROM jsonb_to_record(op.usage) AS r(
    project_id uuid, key_id uuid, user_id uuid, operation text, requested_model text,
    model text, provider text, route text, simulated boolean, feature text, environment text,
    client_id text, input_uncached int, input_cached int, cache_write int, output_text int,
    output_reasoning int, raw_usage jsonb, usage_source text, prices jsonb, status text,
    error_code text, http_status int, finish_reason text, streamed boolean, latency_ms int,
    time_to_first_token_ms int, upstream_ms int, overhead_us int, attempts int,
    policy_versions jsonb, data_class text, firewall_findings jsonb, metadata jsonb);
  RETURN true;
END $function$;
ALTER ROUTINE ledger_apply_one(text,bigint,jsonb,boolean) OWNER TO gw_ledger;
