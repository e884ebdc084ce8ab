-- Postings by a person or the platform, which are all types but those of requests. One at a time; the
-- request id makes each happen once. A refund may name the charged request: it then never exceeds
-- what is left of that charge, goes back to the budgets that paid, and bears the tax of the charge. What
-- supplies nothing bears none.
CREATE OR REPLACE FUNCTION public.ledger_post(p_account uuid, p_request uuid, p_type text, p_amount bigint, p_description text, p_actor uuid, p_charged_request uuid DEFAULT NULL::uuid, p_supplied_on date DEFAULT NULL::date)
 RETURNS TABLE(status text, posted bigint, held bigint, version bigint)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET enable_seqscan TO 'off'
 SET jit TO 'off'
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
#variable_conflict use_column
DECLARE b account; h hold; standing bigint; rate int; vat bigint := 0; refused text;
  delta bigint := CASE p_type WHEN 'balance_return' THEN -p_amount ELSE p_amount END;
BEGIN
  IF p_type NOT IN ('top_up', 'refund', 'adjustment', 'credit', 'balance_return')
     OR p_amount = 0 OR (p_amount < 0 AND p_type <> 'adjustment') THEN
    RAISE EXCEPTION 'a % of % micro-rubles', p_type, p_amount USING ERRCODE = '22003';
  END IF;
  SELECT * INTO b FROM account WHERE id = p_account FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN QUERY SELECT 'unknown_account', 0::bigint, 0::bigint, 0::bigint;
    RETURN;
  END IF;
  SELECT account_version INTO standing FROM ledger_entry
  WHERE account_id = p_account AND request_id = p_request AND type = p_type;
  IF FOUND THEN
    RETURN QUERY SELECT 'duplicate', b.posted_micro, b.held_micro, standing;
    RETURN;
  END IF;
  IF p_type IN ('top_up', 'refund') THEN
    rate := vat_rate_on(COALESCE(
      p_supplied_on, (clock_timestamp() AT TIME ZONE 'Europe/Moscow')::date));
    vat := vat_inside(p_amount, rate);
  END IF;
  IF p_charged_request IS NOT NULL THEN
    SELECT * INTO h FROM hold WHERE account_id = p_account AND request_id = p_charged_request;
    refused := CASE
      WHEN h.charged_micro IS NULL OR h.charged_micro = 0 THEN 'no_charge'
      WHEN p_amount > h.charged_micro - h.refunded_micro THEN 'exceeds_charge'
    END;
    SELECT vat_rate_basis_points INTO rate FROM ledger_entry
    WHERE account_id = p_account AND request_id = p_charged_request AND type = 'finalize';
    vat := vat_inside(h.refunded_micro + p_amount, rate) - vat_inside(h.refunded_micro, rate);
  ELSIF b.posted_micro - b.held_micro + delta
      + (CASE p_type WHEN 'balance_return' THEN 0 ELSE b.credit_limit_micro END) < 0 THEN
    refused := 'insufficient';
  END IF;
  IF refused IS NOT NULL THEN
    RETURN QUERY SELECT refused, b.posted_micro, b.held_micro, 0::bigint;
    RETURN;
  END IF;
  UPDATE account a SET posted_micro = a.posted_micro + delta, version = a.version + 1
  WHERE id = p_account RETURNING * INTO b;
  INSERT INTO ledger_entry (
    account_id, account_version, tenant_id, type, request_id, charged_request_id, contra,
    amount_micro, posted_delta, held_delta, posted_after, held_after, vat_rate_basis_points,
    vat_micro, description, actor_id, created_at)
  VALUES (
    p_account, b.version, b.tenant_id, p_type, p_request, p_charged_request,
    CASE p_type WHEN 'refund' THEN 'refunds' WHEN 'credit' THEN 'credits'
                WHEN 'adjustment' THEN 'adjustments' ELSE 'cash_in' END,
    abs(delta), delta, 0, b.posted_micro, b.held_micro, rate, vat, p_description,
    p_actor, clock_timestamp());
  IF p_charged_request IS NOT NULL THEN
    UPDATE hold SET refunded_micro = refunded_micro + p_amount
    WHERE account_id = p_account AND request_id = p_charged_request;
    UPDATE budget_counter c SET spent_micro = c.spent_micro - p_amount
    FROM unnest(h.budget_ids, h.period_starts) AS w(budget_id, period_start)
    WHERE c.budget_id = w.budget_id AND c.period_start = w.period_start;
  END IF;
  RETURN QUERY SELECT 'ok', b.posted_micro, b.held_micro, b.version;
END $function$;
ALTER ROUTINE ledger_post(uuid,uuid,text,bigint,text,uuid,uuid,date) OWNER TO gw_ledger;
GRANT EXECUTE ON ROUTINE ledger_post(uuid,uuid,text,bigint,text,uuid,uuid,date) TO gw_platform;
