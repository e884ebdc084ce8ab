-- What events of an account amount to for those who sell. A signal keeps the events that it was
-- derived from, so that none of them counts twice for its rule.
CREATE TABLE revenue_signal (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  account_ref text NOT NULL,
  rule text NOT NULL,
  evidence uuid[] NOT NULL,
  -- The event that completed the rule.
  completed_by uuid NOT NULL,
  status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'won', 'lost', 'dismissed')),
  note text,
  resolved_by uuid,
  resolved_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK ((status = 'open') = (resolved_at IS NULL)),
  CHECK ((status = 'open') = (resolved_by IS NULL))
);
CREATE UNIQUE INDEX "revenue_signal_tenant_id_account_ref_rule_completed_by_key"
  ON "revenue_signal"("tenant_id", "account_ref", "rule", "completed_by");
CREATE INDEX "revenue_signal_tenant_id_status_id_idx" ON "revenue_signal"("tenant_id", "status", "id");
CREATE INDEX "revenue_signal_tenant_id_resolved_at_idx"
  ON "revenue_signal"("tenant_id", "resolved_at");
CALL keep_to_tenant('revenue_signal', 'SELECT, INSERT, UPDATE');
