-- Calls of tools, and previews and simulated executions of integrations.

-- CreateTable
CREATE TABLE "tool_call" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "tool_key" TEXT NOT NULL,
    "contract_version" INTEGER NOT NULL,
    "verb" TEXT NOT NULL,
    "arguments" JSONB NOT NULL,
    "decision" TEXT NOT NULL,
    "decided" JSONB NOT NULL,
    "blast_radius" JSONB NOT NULL,
    "bound_hash" BYTEA NOT NULL,
    "status" TEXT NOT NULL,
    "approval_status" TEXT NOT NULL,
    "approval_id" UUID,
    "simulated" BOOLEAN NOT NULL,
    "requested_by_kind" TEXT NOT NULL,
    "requested_by" UUID NOT NULL,
    "requested_by_role" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "reason" TEXT,
    "session_id" TEXT,
    "rollback_of" UUID,
    "result" JSONB,
    "failure" TEXT,
    "latency_ms" INTEGER,
    "receipt_id" UUID,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "execute_after" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "tool_call_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "integration_record" (
    "tenant_id" UUID NOT NULL,
    "connector" TEXT NOT NULL,
    "record_ref" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "state" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "integration_record_pkey" PRIMARY KEY ("tenant_id","connector","record_ref")
);

-- CreateTable
CREATE TABLE "integration_preview" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "connector" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "record_ref" TEXT NOT NULL,
    "record_version" INTEGER NOT NULL,
    "input" JSONB NOT NULL,
    "state_before" JSONB NOT NULL,
    "proposed_changes" JSONB NOT NULL,
    "risk_level" TEXT NOT NULL,
    "approval_required" BOOLEAN NOT NULL,
    "decision" TEXT NOT NULL,
    "decided" JSONB NOT NULL,
    "requested_by_kind" TEXT NOT NULL,
    "requested_by" UUID NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "integration_preview_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "integration_action" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "preview_id" UUID NOT NULL,
    "connector" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "record_ref" TEXT NOT NULL,
    "decision" TEXT NOT NULL,
    "status" TEXT NOT NULL,
    "approval_id" UUID,
    "changed_fields" JSONB NOT NULL,
    "rollback" JSONB NOT NULL,
    "request_ids" JSONB NOT NULL,
    "requested_by_kind" TEXT NOT NULL,
    "requested_by" UUID NOT NULL,
    "failure" TEXT,
    "receipt_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "integration_action_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "tool_call_approval_id_key" ON "tool_call"("approval_id");

-- CreateIndex
CREATE INDEX "tool_call_tenant_id_id_idx" ON "tool_call"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "tool_call_tenant_id_approval_status_id_idx" ON "tool_call"("tenant_id", "approval_status", "id");

-- CreateIndex
CREATE INDEX "tool_call_tenant_id_requested_by_id_idx" ON "tool_call"("tenant_id", "requested_by", "id");

-- CreateIndex
CREATE INDEX "tool_call_execute_after_idx" ON "tool_call"("execute_after");

-- CreateIndex
CREATE INDEX "integration_preview_tenant_id_id_idx" ON "integration_preview"("tenant_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "integration_action_preview_id_key" ON "integration_action"("preview_id");

-- CreateIndex
CREATE UNIQUE INDEX "integration_action_approval_id_key" ON "integration_action"("approval_id");

-- CreateIndex
CREATE INDEX "integration_action_tenant_id_id_idx" ON "integration_action"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "integration_action_tenant_id_status_id_idx" ON "integration_action"("tenant_id", "status", "id");

-- CreateIndex
CREATE INDEX "integration_action_tenant_id_requested_by_id_idx" ON "integration_action"("tenant_id", "requested_by", "id");

ALTER TABLE tool_call ADD CHECK (decision IN ('allow', 'needs_approval', 'block'));
ALTER TABLE tool_call ADD CHECK (octet_length(bound_hash) = 32);
-- A call is undone once: only an undoing that certainly did nothing makes room for another.
CREATE UNIQUE INDEX tool_call_rollback_of_key ON tool_call (rollback_of)
  WHERE status NOT IN ('blocked', 'rejected', 'expired', 'voided');
CREATE INDEX tool_call_rollback_of_idx ON tool_call (rollback_of) WHERE rollback_of IS NOT NULL;
ALTER TABLE integration_record ADD CHECK (version > 0);

CALL make_append_only('integration_preview');
