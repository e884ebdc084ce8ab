-- The steps of the budget ladder act on the requests of a budget that says so.
ALTER TABLE "budget" ADD COLUMN "ladder" BOOLEAN NOT NULL DEFAULT false;
ALTER TABLE budget ADD CHECK (NOT ladder OR scope_kind <> 'policy');

-- Steps that have begun, each once for a budget, a period and the cap that it began under. It holds
-- until the period ends or its cap is higher. A step is a control: holds confirm it on every node.
CREATE TABLE budget_step (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  budget_id uuid NOT NULL,
  period_start date NOT NULL,
  step text NOT NULL CHECK (step IN ('alert', 'restrict_premium', 'disable_exploration',
    'force_batch', 'read_only', 'hard_stop')),
  spent_micro bigint NOT NULL,
  cap_micro bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  FOREIGN KEY (tenant_id, budget_id) REFERENCES budget (tenant_id, id)
);
CREATE UNIQUE INDEX "budget_step_budget_id_period_start_step_cap_micro_key"
  ON "budget_step"("budget_id", "period_start", "step", "cap_micro");
CREATE INDEX "budget_step_tenant_id_id_idx" ON "budget_step"("tenant_id", "id");
CALL make_append_only('budget_step');
CALL keep_to_tenant('budget_step', 'SELECT, INSERT');
CREATE TRIGGER budget_step_notify AFTER INSERT ON budget_step
  FOR EACH ROW EXECUTE FUNCTION notify_access_change();
CALL confirm_by_hold('budget_step');

-- What is granted raises the cap, so that steps may end.
CREATE TRIGGER budget_exception_notify AFTER INSERT OR UPDATE ON budget_exception
  FOR EACH ROW WHEN (NEW.status = 'granted') EXECUTE FUNCTION notify_access_change();
CALL confirm_by_hold('budget_exception', $$NEW.status = 'granted'$$);

-- Where each budget with a ladder stands in its current period, and which steps hold by what was
-- recorded.
CREATE VIEW budget_ladder WITH (security_invoker = true) AS
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
WHERE b.ladder AND b.active AND b.scope_kind <> 'policy';
GRANT SELECT ON budget_ladder TO gw_app, gw_platform;
