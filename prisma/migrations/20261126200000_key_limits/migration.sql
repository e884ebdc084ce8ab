-- What a key may ask for beside its rights: models, rates, addresses and budgets. The row is called
-- by the id of the key for which it was stated first; the key that a rotation makes has the same row,
-- so that both are counted together.
CREATE TABLE "key_limits" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "allowed_models" TEXT[] NOT NULL,
    "allowed_addresses" TEXT[] NOT NULL,
    "rpm" INTEGER,
    "tpm" INTEGER,
    "daily_micro" BIGINT,
    "monthly_micro" BIGINT,
    "total_micro" BIGINT,
    "changed_by" UUID NOT NULL,
    "changed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "key_limits_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "key_limits_tenant_id_id_key" ON "key_limits"("tenant_id", "id");
ALTER TABLE key_limits ADD CHECK (rpm > 0 AND tpm > 0);
ALTER TABLE key_limits ADD CHECK (daily_micro > 0 AND monthly_micro > 0 AND total_micro > 0);
CALL keep_to_tenant('key_limits', 'SELECT, INSERT, UPDATE');
-- They are remembered with the key, and hold for its next request on every node.
CREATE TRIGGER key_limits_notify AFTER INSERT OR UPDATE ON key_limits
  FOR EACH ROW EXECUTE FUNCTION notify_access_change();
CALL confirm_by_hold('key_limits');

ALTER TABLE api_key ADD COLUMN limits_id UUID;
ALTER TABLE api_key ADD CONSTRAINT api_key_tenant_id_limits_id_fkey
    FOREIGN KEY (tenant_id, limits_id) REFERENCES key_limits (tenant_id, id)
    ON DELETE RESTRICT ON UPDATE CASCADE;

-- Project and rights of a key are remembered with it too. A new key is remembered by nobody.
CREATE CONSTRAINT TRIGGER control_change_of_key AFTER UPDATE OF project_id, limits_id ON api_key
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION raise_control_version();

-- A key's budgets are asked by their ids; what changes them changes the row of the limits as well.
ALTER TABLE budget DROP CONSTRAINT budget_scope_kind_check;
ALTER TABLE budget ADD CONSTRAINT budget_scope_kind_check CHECK (scope_kind IN (
  'policy', 'use_case', 'route', 'partner_client', 'agent_session', 'ephemeral_token',
  'workspace_user', 'key'));
DROP TRIGGER budget_notify ON budget;
CREATE TRIGGER budget_notify AFTER INSERT OR UPDATE ON budget
  FOR EACH ROW WHEN (NEW.scope_kind NOT IN ('policy', 'ephemeral_token', 'workspace_user', 'key'))
  EXECUTE FUNCTION notify_access_change();
DROP TRIGGER control_change ON budget;
CALL confirm_by_hold('budget',
  $$NEW.scope_kind NOT IN ('ephemeral_token', 'workspace_user', 'key')$$);
