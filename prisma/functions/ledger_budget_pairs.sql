-- The budgets that the requests of a batch count against: for a standing hold those of the moment
-- when it was placed, for a new one the active ones that it names, in their current period. One row
-- for each pair, in the order of the slots. A budget that the tenant does not have has no period.
CREATE OR REPLACE FUNCTION public.ledger_budget_pairs(p_accounts uuid[], p_requests uuid[], p_states text[], p_new_slots integer[], p_new_tenants uuid[], p_new_budgets jsonb[], p_at timestamp with time zone)
 RETURNS TABLE(slot integer, counter integer, budget_id uuid, period_start date)
 LANGUAGE sql
 STABLE
AS $function$
  WITH pair AS (
    SELECT s.slot::int AS slot, b.ord, b.budget_id, b.period_start
    FROM unnest(p_accounts, p_requests, p_states)
      WITH ORDINALITY AS s(account_id, request_id, state, slot)
    JOIN hold h ON h.account_id = s.account_id AND h.request_id = s.request_id
    CROSS JOIN LATERAL unnest(h.budget_ids, h.period_starts)
      WITH ORDINALITY AS b(budget_id, period_start, ord)
    WHERE s.state IS NOT NULL
    UNION ALL
    SELECT n.slot, b.ord, b.id,
           CASE WHEN g.id IS NOT NULL THEN budget_period_start(g.period, g.time_zone, p_at) END
    FROM unnest(p_new_slots, p_new_tenants, p_new_budgets) AS n(slot, tenant_id, budgets)
    CROSS JOIN LATERAL (
      SELECT id::uuid AS id, min(position) AS ord
      FROM jsonb_array_elements_text(n.budgets) WITH ORDINALITY AS named(id, position)
      GROUP BY 1
    ) b
    LEFT JOIN budget g ON g.id = b.id AND g.tenant_id = n.tenant_id
    LEFT JOIN budget t ON t.id = budget_of_terms(g.id, g.scope_kind, g.scope_ref)
    WHERE t.active IS NOT FALSE
  )
  SELECT pair.slot, dense_rank() OVER (ORDER BY pair.budget_id, pair.period_start)::int,
         pair.budget_id, pair.period_start
  FROM pair
  ORDER BY pair.slot, pair.ord
$function$;
ALTER ROUTINE ledger_budget_pairs(uuid[],uuid[],text[],integer[],uuid[],jsonb[],timestamp with time zone) OWNER TO gw_ledger;
