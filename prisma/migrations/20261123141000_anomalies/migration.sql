-- What the spending of a scope showed against what was expected. Append-only.
CREATE TABLE anomaly (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  rule_key text NOT NULL,
  type text NOT NULL,
  scope_kind text NOT NULL,
  scope_ref text NOT NULL,
  metric text NOT NULL,
  observed double precision NOT NULL,
  expected double precision NOT NULL,
  threshold double precision NOT NULL,
  method text NOT NULL,
  severity text NOT NULL,
  action text NOT NULL,
  -- Who published the rule; null for a standing one, which alerts alone.
  rule_by uuid,
  window_start timestamptz(3) NOT NULL,
  window_end timestamptz(3) NOT NULL,
  request_ids uuid[] NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK (action = 'alert' OR rule_by IS NOT NULL)
);
CREATE UNIQUE INDEX "anomaly_tenant_id_id_key" ON "anomaly"("tenant_id", "id");
CREATE INDEX anomaly_acting ON anomaly (created_at) WHERE action <> 'alert';
CALL make_append_only('anomaly');
CALL keep_to_tenant('anomaly', 'SELECT, INSERT');

-- What an anomaly did to its scope. A scope that is paused refuses requests until it is resumed.
CREATE TABLE spend_pause (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  anomaly_id uuid NOT NULL UNIQUE,
  scope_kind text NOT NULL,
  scope_ref text NOT NULL,
  reason text NOT NULL,
  status text NOT NULL CHECK (status IN ('under_review', 'paused', 'resumed', 'cleared', 'joined')),
  approval_id uuid,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  decided_at timestamptz(3),
  FOREIGN KEY (tenant_id, anomaly_id) REFERENCES anomaly (tenant_id, id)
);
CREATE UNIQUE INDEX "spend_pause_tenant_id_id_key" ON "spend_pause"("tenant_id", "id");
CREATE UNIQUE INDEX spend_pause_open ON spend_pause (tenant_id, scope_kind, scope_ref)
  WHERE status IN ('under_review', 'paused');
CALL keep_to_tenant('spend_pause', 'SELECT, INSERT, UPDATE');
CREATE TRIGGER spend_pause_notify AFTER INSERT OR UPDATE ON spend_pause
  FOR EACH ROW EXECUTE FUNCTION notify_access_change();
CALL confirm_by_hold('spend_pause');

-- What is known of the last hour of each scope that spends, and its sums by hour: made of usage rows
-- by the reader `spend_watch`, which alone writes them.
CREATE TABLE spend_watch (
  tenant_id uuid NOT NULL,
  scope_kind text NOT NULL,
  scope_ref text NOT NULL,
  state jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, scope_kind, scope_ref)
) WITH (fillfactor = 70);
CREATE INDEX "spend_watch_updated_at_idx" ON "spend_watch"("updated_at");
CALL keep_to_tenant('spend_watch', 'SELECT, INSERT, UPDATE, DELETE');
REVOKE INSERT, UPDATE, DELETE ON spend_watch FROM gw_app;

CREATE TABLE spend_hour (
  tenant_id uuid NOT NULL,
  scope_kind text NOT NULL,
  scope_ref text NOT NULL,
  hour timestamptz(3) NOT NULL,
  requests bigint NOT NULL,
  cost_micro bigint NOT NULL,
  PRIMARY KEY (tenant_id, scope_kind, scope_ref, hour)
) WITH (fillfactor = 70);
CREATE INDEX "spend_hour_hour_idx" ON "spend_hour"("hour");
CALL keep_to_tenant('spend_hour', 'SELECT, INSERT, UPDATE, DELETE');
REVOKE INSERT, UPDATE, DELETE ON spend_hour FROM gw_app;
CREATE UNIQUE INDEX "spend_pause_tenant_id_anomaly_id_key"
  ON "spend_pause"("tenant_id", "anomaly_id");
