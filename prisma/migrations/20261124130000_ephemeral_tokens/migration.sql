-- Short-lived credentials for browsers, apps and demonstrations. Such a token is a key of its own
-- type, so that hold, usage, revocation and hashes are those of keys; its limits stand beside it.
-- Its cost is a budget that lasts as long as the token does.

-- When a key ends by itself: a token, or a key whose successor has taken over.
ALTER TABLE api_key ADD COLUMN expires_at timestamptz(3);
ALTER TABLE api_key DROP CONSTRAINT api_key_key_type_check;
ALTER TABLE api_key ADD CONSTRAINT api_key_key_type_check
  CHECK (key_type IN ('standard', 'agent', 'service', 'ephemeral'));
ALTER TABLE api_key ADD CHECK (key_type <> 'ephemeral' OR expires_at IS NOT NULL);
DROP INDEX "api_key_tenant_id_id_idx";
CREATE UNIQUE INDEX "api_key_tenant_id_id_key" ON "api_key"("tenant_id", "id");
CREATE INDEX api_key_issued_by ON api_key (created_by) WHERE key_type = 'ephemeral';

-- Nobody remembers a token that was not there.
DROP TRIGGER access_change ON api_key;
CREATE TRIGGER access_change AFTER UPDATE ON api_key
  FOR EACH ROW EXECUTE FUNCTION notify_access_change();
CREATE TRIGGER access_added AFTER INSERT ON api_key
  FOR EACH ROW WHEN (NEW.key_type <> 'ephemeral') EXECUTE FUNCTION notify_access_change();
-- The end of a key is remembered with it.
CALL confirm_by_hold('api_key', $$NEW.expires_at IS NOT NULL AND NEW.key_type <> 'ephemeral'$$);

-- Budgets of single tokens and single users are asked by their ids: nothing is remembered of them,
-- so that they come and go without a word to other requests.
ALTER TABLE budget DROP CONSTRAINT budget_scope_kind_check;
ALTER TABLE budget ADD CONSTRAINT budget_scope_kind_check CHECK (scope_kind IN (
  'policy', 'use_case', 'route', 'partner_client', 'agent_session', 'ephemeral_token',
  'workspace_user'));
DROP TRIGGER budget_notify ON budget;
CREATE TRIGGER budget_notify AFTER INSERT OR UPDATE ON budget
  FOR EACH ROW WHEN (NEW.scope_kind NOT IN ('policy', 'ephemeral_token', 'workspace_user'))
  EXECUTE FUNCTION notify_access_change();
DROP TRIGGER control_change ON budget;
CALL confirm_by_hold('budget', $$NEW.scope_kind NOT IN ('ephemeral_token', 'workspace_user')$$);

CREATE TABLE "ephemeral_token" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "scope" TEXT NOT NULL,
    "allowed_models" TEXT[],
    "models_limited" BOOLEAN NOT NULL,
    "requests_max" INTEGER NOT NULL,
    "requests_used" INTEGER NOT NULL DEFAULT 0,
    "cost_max_micro" BIGINT NOT NULL,
    "budget_id" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "ephemeral_token_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "ephemeral_token_tenant_id_id_key" ON "ephemeral_token"("tenant_id", "id");
ALTER TABLE "ephemeral_token" ADD CONSTRAINT "ephemeral_token_tenant_id_id_fkey"
    FOREIGN KEY ("tenant_id", "id") REFERENCES "api_key"("tenant_id", "id")
    ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "ephemeral_token" ADD CONSTRAINT "ephemeral_token_tenant_id_budget_id_fkey"
    FOREIGN KEY ("tenant_id", "budget_id") REFERENCES "budget"("tenant_id", "id")
    ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE ephemeral_token ADD CHECK (scope IN ('frontend', 'mobile', 'demo'));
-- Whatever counts, no token is ever used more often than it may be.
ALTER TABLE ephemeral_token ADD CHECK (requests_used BETWEEN 0 AND requests_max);
CALL keep_to_tenant('ephemeral_token', 'SELECT, INSERT, UPDATE');
