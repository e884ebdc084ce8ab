-- An organization may have a cap for each of very many sessions. What reads all of its budgets passes
-- over their rows by this index.
CREATE INDEX budget_not_of_each ON budget (tenant_id) WHERE scope_kind <> 'each';
CREATE OR REPLACE VIEW budget_ladder WITH (security_invoker = true) AS
SELECT b.id AS budget_id, b.tenant_id, b.name, b.scope_kind, b.scope_ref, s.period_start,
  CASE b.period
    WHEN 'day' THEN (s.period_start + 1)::timestamp AT TIME ZONE b.time_zone
    WHEN 'month' THEN (s.period_start + interval '1 month') AT TIME ZONE b.time_zone
  END AS period_end,
  COALESCE(c.spent_micro, 0) AS spent_micro, g.cap_micro,
  ARRAY(
    SELECT e.step FROM budget_step e
    WHERE e.budget_id = b.id AND e.period_start = s.period_start AND e.cap_micro >= g.cap_micro
  ) AS recorded
FROM budget b
CROSS JOIN LATERAL (
  SELECT budget_period_start(b.period, b.time_zone, clock_timestamp()) AS period_start
) s
CROSS JOIN LATERAL (
  SELECT b.cap_micro + budget_granted(b.id, s.period_start) AS cap_micro
) g
LEFT JOIN budget_counter c ON c.budget_id = b.id AND c.period_start = s.period_start
WHERE b.ladder AND b.active AND b.scope_kind <> 'policy' AND b.scope_kind <> 'each';
