-- Budgets of other scopes than policies: what happens at their caps, and when they tell of it.
ALTER TABLE "budget"
  ADD COLUMN "on_cap_reached" TEXT NOT NULL DEFAULT 'block',
  ADD COLUMN "degrade_to" TEXT,
  ADD COLUMN "soft_alerts" INTEGER[] NOT NULL DEFAULT '{}',
  ADD COLUMN "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
ALTER TABLE budget ADD CHECK (
  on_cap_reached IN ('allow', 'block', 'degrade', 'require_approval'));
ALTER TABLE budget ADD CHECK ((on_cap_reached = 'degrade') = (degrade_to IS NOT NULL));
ALTER TABLE budget ADD CHECK (
  scope_kind IN ('policy', 'use_case', 'route', 'partner_client', 'agent_session'));
CREATE UNIQUE INDEX budget_of_scope ON budget (tenant_id, scope_kind, scope_ref, period)
  WHERE scope_kind <> 'policy';

-- Nodes hold them in memory by tenant: a change drops them everywhere.
CREATE TRIGGER budget_notify AFTER INSERT OR UPDATE ON budget
  FOR EACH ROW WHEN (NEW.scope_kind <> 'policy') EXECUTE FUNCTION notify_access_change();

-- An exception from such a budget has no policy, and its period may be the whole.
ALTER TABLE budget_exception ALTER COLUMN policy_id DROP NOT NULL;
ALTER TABLE budget_exception DROP CONSTRAINT budget_exception_period_check;
ALTER TABLE budget_exception ADD CHECK (period IN ('day', 'month', 'total'));

-- Soft alerts, each once for a budget, period and threshold.
CREATE TABLE budget_alert (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  budget_id uuid NOT NULL,
  period_start date NOT NULL,
  threshold_basis_points int NOT NULL,
  spent_micro bigint NOT NULL,
  cap_micro bigint NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  FOREIGN KEY (tenant_id, budget_id) REFERENCES budget (tenant_id, id)
);
CREATE UNIQUE INDEX "budget_alert_budget_id_period_start_threshold_basis_points_key"
  ON "budget_alert"("budget_id", "period_start", "threshold_basis_points");
CREATE INDEX "budget_alert_tenant_id_id_idx" ON "budget_alert"("tenant_id", "id");
CALL make_append_only('budget_alert');
CALL keep_to_tenant('budget_alert', 'SELECT, INSERT');
