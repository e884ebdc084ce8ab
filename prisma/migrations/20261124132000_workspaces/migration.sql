-- Workspaces of employees: what requests that are made under one may do, and how it is taken up.
CREATE TABLE "workspace" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "departments" TEXT[],
    "approved_routes" TEXT[],
    "data_classes" TEXT[],
    "actions" TEXT[],
    "user_budget_micro" BIGINT,
    "user_budget_period" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "workspace_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "workspace_tenant_id_id_key" ON "workspace"("tenant_id", "id");
ALTER TABLE workspace ADD CHECK (user_budget_micro IS NULL OR user_budget_micro >= 0);
ALTER TABLE workspace ADD CHECK (user_budget_period IN ('day', 'month', 'total'));
CALL keep_to_tenant('workspace', 'SELECT, INSERT, UPDATE');
CREATE TRIGGER workspace_notify AFTER INSERT OR UPDATE ON workspace
  FOR EACH ROW EXECUTE FUNCTION notify_access_change();
CALL confirm_by_hold('workspace');

CREATE TABLE "adoption_event" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "workspace_id" UUID NOT NULL,
    "event_type" TEXT NOT NULL,
    "source" TEXT NOT NULL,
    "user_ref" TEXT,
    "department" TEXT,
    "prompt_pack" TEXT,
    "minutes_saved" DOUBLE PRECISION,
    "reason" TEXT,
    "external_ref" TEXT,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "adoption_event_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "adoption_event_tenant_id_external_ref_key"
    ON "adoption_event"("tenant_id", "external_ref");
CREATE INDEX "adoption_event_tenant_id_workspace_id_occurred_at_idx"
    ON "adoption_event"("tenant_id", "workspace_id", "occurred_at");
ALTER TABLE "adoption_event" ADD CONSTRAINT "adoption_event_tenant_id_workspace_id_fkey"
    FOREIGN KEY ("tenant_id", "workspace_id") REFERENCES "workspace"("tenant_id", "id")
    ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE adoption_event ADD CHECK (source IN ('caller', 'gateway'));
CALL make_append_only('adoption_event');
CALL keep_to_tenant('adoption_event', 'SELECT, INSERT');

-- The requests of a workspace; rows of others are not in it and pay nothing for it.
CREATE INDEX usage_event_of_workspace
  ON usage_event (tenant_id, ((metadata -> 'gw_workspace') ->> 'id'), created_at)
  WHERE metadata ? 'gw_workspace';
