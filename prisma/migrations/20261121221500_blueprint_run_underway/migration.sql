-- A run of a blueprint bills its steps one by one, and its row can only be appended when it has
-- ended. So it stands here from its first moment: a process that dies leaves this row, from which
-- the run is ended as failed.

CREATE TABLE "blueprint_run_underway" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "blueprint_id" TEXT NOT NULL,
    "blueprint_version" TEXT NOT NULL,
    "manifest_hash" BYTEA NOT NULL,
    "input" JSONB NOT NULL,
    "steps" JSONB NOT NULL,
    "business_result" JSONB NOT NULL,
    "requested_by" UUID NOT NULL,
    "requested_by_kind" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "alive_until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "blueprint_run_underway_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "blueprint_run_underway_tenant_id_id_idx" ON "blueprint_run_underway"("tenant_id", "id");

CREATE INDEX "blueprint_run_underway_alive_until_idx" ON "blueprint_run_underway"("alive_until");

ALTER TABLE blueprint_run_underway ADD CHECK (requested_by_kind IN ('user', 'api_key'));

-- Why the run itself ended, where no step says it.
ALTER TABLE blueprint_run ADD COLUMN failure TEXT CHECK (failure IN ('node_lost'));
