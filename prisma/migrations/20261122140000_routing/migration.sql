-- Nodes hold in memory what a router decides by: a new version drops it everywhere.
CREATE TRIGGER contract_version_notify_routing AFTER INSERT ON contract_version
  FOR EACH ROW
  WHEN (NEW.kind IN ('routing_contract', 'route_policy', 'model_scorecard', 'router_kill_switch'))
  EXECUTE FUNCTION notify_access_change();

-- What many decisions have in common (terms, kill switch, models with prices, estimates, health) is
-- kept once by its hash; the usage rows name it. Append-only: decisions are made again from it.
CREATE TABLE routing_situation (
  tenant_id uuid NOT NULL,
  sha256 bytea NOT NULL CHECK (octet_length(sha256) = 32),
  content text NOT NULL CHECK (sha256 = sha256(convert_to(content, 'UTF8'))),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, sha256)
);
CALL make_append_only('routing_situation');
CALL keep_to_tenant('routing_situation', 'SELECT, INSERT');

-- The model that a router stays with until another is clearly better. The latest row holds.
CREATE TABLE routing_incumbent (
  tenant_id uuid NOT NULL,
  seq bigserial,
  contract_key text NOT NULL,
  use_case text NOT NULL,
  model text NOT NULL,
  request_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, contract_key, use_case, seq)
);
CALL make_append_only('routing_incumbent');
CALL keep_to_tenant('routing_incumbent', 'SELECT, INSERT');
CREATE TRIGGER routing_incumbent_notify AFTER INSERT ON routing_incumbent
  FOR EACH ROW EXECUTE FUNCTION notify_access_change();

-- Portfolios and what-ifs read the decisions among the usage rows.
CREATE INDEX usage_event_decisions ON usage_event (tenant_id, created_at)
  WHERE metadata ? 'gw_routing';

-- Outcomes are counted by use case and model.
CREATE INDEX journal_entry_routing_outcome ON journal_entry (tenant_id, created_at)
  INCLUDE (value) WHERE kind = 'routing_outcome';
